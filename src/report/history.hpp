// The history of a data structure that is not linearizable, as a table with a lane for each thread.
#pragma once

#include <string>
#include <vector>

#include "findings/finding.hpp"

namespace heddle::report {

/// The lines of the table, the first one with the names of the threads. Texts of the program are as they are.
std::vector<std::string> history_lines(const findings::Finding& finding);

}  // namespace heddle::report
