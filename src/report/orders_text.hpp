// The report of heddle orders, fix and weaken for people.
#pragma once

#include <string>

#include "orders/order_results.hpp"

namespace heddle::report {

std::string orders_text(const orders::OrderResults& results);

}  // namespace heddle::report
