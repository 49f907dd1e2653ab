// Runs independent tasks in child processes of the driver, several at once. A campaign watches the signals of its
// process, and libdw is not for several threads: processes keep tasks apart.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "session/time_limit.hpp"

namespace heddle::session {

/// Calls task(0) to task(count - 1), at most `jobs` at once, each in a copy of this process. Returns what they return,
/// in the order of their numbers; empty for a task whose process died. Nothing: the user asked to stop, or the deadline
/// has passed.
std::optional<std::vector<std::string>> run_forked(std::size_t count, std::size_t jobs, const Deadline& deadline,
                                                   const std::function<std::string(std::size_t)>& task);

}  // namespace heddle::session
