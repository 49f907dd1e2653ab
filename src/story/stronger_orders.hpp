// Advice to strengthen memory orders, for people and for tools that change the source.
#pragma once

#include <vector>

#include "findings/explanation.hpp"
#include "story/execution_log.hpp"
#include "story/missing_edges.hpp"

namespace heddle::story {

/// Adds the changes to those that the explanation suggests, each place once, and makes them its advice.
void advise_stronger_orders(const ExecutionLog& log, const std::vector<StrongerOrder>& stronger,
                            findings::Explanation& explanation);

}  // namespace heddle::story
