// Loads the plugin for the MPI that started this process (src/mpi/), which is a file of its own beside libheddle.so.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "transport/launcher.hpp"
#include "transport/transport.hpp"

namespace heddle::transport {

/// The function that a plugin has. Returns null, and sets `problem` to a sentence, if MPI cannot be started.
using OpenTransport = Transport*(std::string& problem);
inline constexpr const char* open_function = "heddle_open_transport";

/// `folder` is where the plugins are.
Result<std::unique_ptr<Transport>> open_transport(const Launched& launched, const std::string& folder);

}  // namespace heddle::transport
