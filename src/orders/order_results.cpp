#include "orders/order_results.hpp"

#include <algorithm>

namespace heddle::orders {

const char* name_of(SiteVerdict verdict) {
  switch (verdict) {
    case SiteVerdict::relaxed: return "relaxed";
    case SiteVerdict::needed: return "needed";
    case SiteVerdict::too_strong: return "too strong";
    case SiteVerdict::not_needed: return "not needed";
    case SiteVerdict::not_reached: return "not reached";
    case SiteVerdict::too_weak: return "too weak";
    case SiteVerdict::never_executed: return "never executed";
    case SiteVerdict::several_orders: return "several orders";
    case SiteVerdict::not_wanted: return "left out";
    case SiteVerdict::unknown: return "unknown";
  }
  return "unknown";
}

bool OrderAnswer::is_proved() const {
  return std::all_of(certificates.begin(), certificates.end(), [](const Certificate& one) { return one.is_proved; });
}

MutationScore mutation_score(const OrderResults& results) {
  MutationScore score;
  for (const AuditedSite& site : results.audit) {
    const bool is_needed = site.verdict == SiteVerdict::needed || site.verdict == SiteVerdict::too_strong;
    const bool is_not = site.verdict == SiteVerdict::not_needed || site.verdict == SiteVerdict::not_reached;
    score.needed += is_needed ? 1 : 0;
    score.judged += is_needed || is_not ? 1 : 0;
  }
  return score;
}

}  // namespace heddle::orders
