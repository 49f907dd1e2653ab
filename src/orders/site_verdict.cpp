#include "orders/site_verdict.hpp"

#include <algorithm>
#include <optional>

#include "orders/cost.hpp"

namespace heddle::orders {

SiteVerdict verdict_of_weaker(const OrderSite& site, const std::vector<WeakerOrder>& weaker) {
  const auto is = [](Judgement judgement) {
    return [judgement](const WeakerOrder& one) { return one.judgement == judgement; };
  };
  const bool breaks = std::any_of(weaker.begin(), weaker.end(), is(Judgement::wrong));
  const bool stays = std::any_of(weaker.begin(), weaker.end(), is(Judgement::right));
  if (weaker.empty() || (!breaks && !stays) || std::any_of(weaker.begin(), weaker.end(), is(Judgement::unknown)))
    return SiteVerdict::unknown;
  if (breaks) return stays ? SiteVerdict::too_strong : SiteVerdict::needed;
  return site.is_shared || is_fence(site.operation) ? SiteVerdict::not_needed : SiteVerdict::not_reached;
}

int cost_of_sites(const SiteList& sites, const std::map<std::size_t, MemoryOrder>& changed) {
  const auto order_of = [&](std::size_t site) {
    const auto found = changed.find(site);
    return found != changed.end() ? std::optional(found->second) : sites[site].order();
  };
  int cost = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const OrderSite& site = sites[i];
    const auto order = order_of(i);
    if (site.operation == SiteOperation::compare_exchange) {
      // Its failure is the next site: sites are sorted by place, then operation.
      const bool has_failure = i + 1 < sites.size() && sites[i + 1].operation == SiteOperation::failed_exchange &&
                               sites[i + 1].place == site.place;
      const auto failure = has_failure ? order_of(i + 1) : std::nullopt;
      cost += cost_of_exchange(order.value_or(MemoryOrder::relaxed), failure.value_or(MemoryOrder::relaxed)).weight;
    } else if (site.operation != SiteOperation::failed_exchange && order) {
      cost += cost_of(site.operation, *order).weight;
    }
  }
  return cost;
}

}  // namespace heddle::orders
