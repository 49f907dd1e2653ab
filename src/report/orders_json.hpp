// The report of heddle orders, fix and weaken as JSON; docs/schemas/orders.schema.json describes it.
#pragma once

#include <string>

#include "orders/order_results.hpp"

namespace heddle::report {

std::string orders_json(const orders::OrderResults& results, const std::string& version);

}  // namespace heddle::report
