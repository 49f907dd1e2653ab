// What the trials of a site's weaker orders come to, and what the orders of all sites cost.
#pragma once

#include <map>
#include <vector>

#include "orders/order_results.hpp"

namespace heddle::orders {

/// Of a site that was executed, with an order that could be weaker.
SiteVerdict verdict_of_weaker(const OrderSite& site, const std::vector<WeakerOrder>& weaker);

/// The weight of all sites that were executed, some of them with other orders. The two sites of a compare-exchange have
/// one cost.
int cost_of_sites(const SiteList& sites, const std::map<std::size_t, MemoryOrder>& changed);

}  // namespace heddle::orders
