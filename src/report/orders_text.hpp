// The report of heddle orders, fix and weaken for the terminal.
#pragma once

#include <string>

#include "orders/order_results.hpp"

namespace heddle::report {

/// `quiet`: only the last line.
std::string orders_text(const orders::OrderResults& results, bool quiet);

}  // namespace heddle::report
