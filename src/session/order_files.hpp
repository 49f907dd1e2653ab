// What heddle orders, fix and weaken write: reports for --json, --sarif and --html, and the source for --apply.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "orders/order_results.hpp"
#include "run/specification.hpp"

namespace heddle::session {

Outcome write_order_reports(const run::RunSpecification& run, const orders::OrderResults& results);

/// Writes the changes of an answer into the source. If some of them are to be made by hand, or if a file has changed
/// meanwhile, nothing is written, and a problem says why. Returns the files.
Result<std::vector<std::string>> apply_answer(const orders::OrderResults& results, std::size_t answer);

}  // namespace heddle::session
