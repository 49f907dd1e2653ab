// The story of a finding: which events of its execution matter, what kind of mistake it shows, and what would forbid
// it.
#pragma once

#include <cstdint>

#include "findings/explanation.hpp"
#include "findings/finding.hpp"
#include "story/execution_log.hpp"

namespace heddle::story {

/// Whether the finding also shows without stale reads. Then memory orders are not its cause.
enum class NeedsStaleReads : std::uint8_t { no, perhaps };

/// Whether stronger memory orders may remove the finding. If trials have shown that they do not, no orders are
/// suggested, and causes that have nothing to do with them come first.
enum class OrdersHelp : std::uint8_t { no, perhaps };

/// The story of `finding`, which the execution of `log` showed, up to the finding: what came later does not matter to
/// it. Fills in everything but `models`, `before` and `tries`.
findings::Explanation explain(const findings::Finding& finding, ExecutionLog log, NeedsStaleReads needs,
                              OrdersHelp orders = OrdersHelp::perhaps);

/// Every execution showed the finding, which has an explanation: no interleaving of the threads is needed for it.
void tell_every_execution(findings::Finding& finding);

}  // namespace heddle::story
