#include "report/orders_text.hpp"

#include <fmt/format.h>

namespace heddle::report {

std::string orders_text(const orders::OrderResults& results) {
  std::string text;
  for (const orders::OrderBug& bug : results.bugs) text += fmt::format("bug: {} {}\n", bug.kind, bug.message);
  for (const orders::OrderBug& bug : results.incurable)
    text += fmt::format("incurable: {} {}\n", bug.kind, bug.message);
  for (const orders::AuditedSite& audited : results.audit) {
    const orders::OrderSite& site = results.sites[audited.site];
    text += fmt::format("{}:{}:{} {} {} {}x {}", site.place.file, site.place.line, site.place.column,
                        orders::name_of(site.operation), site.order() ? orders::name_of(*site.order()) : "-",
                        site.executed, orders::name_of(audited.verdict));
    for (const auto& weaker : audited.weaker)
      text += fmt::format(" [{}: {}{}]", orders::name_of(weaker.order), static_cast<int>(weaker.judgement),
                          weaker.bugs.empty() ? "" : " " + weaker.bugs[0].message);
    text += "\n";
  }
  for (const orders::OrderAnswer& answer : results.answers)
    text += fmt::format("cost {} {} {}\n", answer.cost, answer.is_proved() ? "proved" : "sampled", answer.orders);
  return text + fmt::format("complete {} trials {} executions {} excluded {} witnesses {} unknown {} {}\n",
                            results.is_complete, results.counts.trials, results.counts.executions,
                            results.counts.excluded, results.counts.witnesses, results.unknown, results.problem);
}

}  // namespace heddle::report
