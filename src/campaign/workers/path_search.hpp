// The search for an executable in the folders of PATH.
#pragma once

#include <optional>
#include <string>

namespace heddle::campaign {

/// The file that a shell would run for this name. A name with a slash is a path. Nothing if there is no such
/// executable.
std::optional<std::string> find_executable(const std::string& name);

}  // namespace heddle::campaign
