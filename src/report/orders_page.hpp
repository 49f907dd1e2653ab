// The report of heddle orders, fix and weaken as one HTML page: the source, with its atomic operations coloured by what
// is known of them.
#pragma once

#include <string>

#include "orders/order_results.hpp"

namespace heddle::report {

std::string orders_page(const orders::OrderResults& results);

}  // namespace heddle::report
