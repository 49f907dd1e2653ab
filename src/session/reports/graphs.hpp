// --print-graphs and --dot: shows execution graphs of an exhaustive search. The search keeps the decisions of these
// executions, and each of them is repeated to draw it.
#pragma once

#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"

namespace heddle::session {

/// Returns the text of the graphs that --print-graphs asks for, and writes those that --dot asks for. Removes what was
/// kept for this from the results.
Result<std::string> show_graphs(const campaign::Subject& subject, findings::Results& results);

}  // namespace heddle::session
