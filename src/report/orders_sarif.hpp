// Memory orders that are too weak or too strong in SARIF 2.1.0, each with the change of the source that mends it.
#pragma once

#include <string>

#include "orders/order_results.hpp"

namespace heddle::report {

/// `folder` is the working folder: files below it are named relative to it.
std::string orders_sarif(const orders::OrderResults& results, const std::string& version, const std::string& folder);

}  // namespace heddle::report
