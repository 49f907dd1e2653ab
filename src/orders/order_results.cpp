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

std::optional<double> mutation_score(const OrderResults& results) {
  std::size_t all = 0, needed = 0;
  for (const AuditedSite& site : results.audit) {
    const bool is_needed = site.verdict == SiteVerdict::needed || site.verdict == SiteVerdict::too_strong;
    const bool is_not = site.verdict == SiteVerdict::not_needed || site.verdict == SiteVerdict::not_reached;
    needed += is_needed ? 1 : 0;
    all += is_needed || is_not ? 1 : 0;
  }
  if (all == 0) return std::nullopt;
  return static_cast<double>(needed) / static_cast<double>(all);
}

}  // namespace heddle::orders
