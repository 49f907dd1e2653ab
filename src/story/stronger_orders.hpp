// Advice to strengthen memory orders, for people and for tools that change the source.
#pragma once

#include <string>
#include <vector>

#include "findings/explanation.hpp"
#include "story/execution_log.hpp"
#include "story/missing_edges.hpp"

namespace heddle::story {

/// Adds the changes to those that the explanation suggests, each place once, and makes them its advice.
void advise_stronger_orders(const ExecutionLog& log, const std::vector<StrongerOrder>& stronger,
                            findings::Explanation& explanation);

/// "make the store at line 14 release".
std::string advice_text(const ExecutionLog& log, const std::vector<findings::SuggestedChange>& changes);
/// The order of a name that order_name() returns.
MemoryOrder order_of(const std::string& name);

}  // namespace heddle::story
