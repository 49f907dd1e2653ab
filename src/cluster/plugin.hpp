// Loads the plugin for the MPI that started this process (src/cluster/mpi/), which is a file of its own beside
// libheddle.so.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "cluster/launcher.hpp"
#include "cluster/transport/transport.hpp"

namespace heddle::cluster {

/// `folder` is where the plugins are.
Result<std::unique_ptr<transport::Transport>> open_transport(const Launched& launched, const std::string& folder);

}  // namespace heddle::cluster
