// What heddle orders, fix and weaken do: which memory orders of a program are needed, missing, or too strong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "orders/order_results.hpp"
#include "session/order_trials.hpp"

namespace heddle::session {

using orders::OrderResults;

struct OrderProgress {
  std::uint64_t trials = 0;
  std::uint64_t excluded = 0;  ///< assignments that a witness has shown to be wrong
  std::size_t answers = 0;
  std::size_t open = 0;  ///< parts of the search that are left
};

struct OrderTask {
  std::vector<campaign::Subject> programs;  ///< at least one; a site is changed in all of them
  TrialBudget budget = {};
  /// "queue.hpp", "queue.hpp:50": only these sites change; empty: all.
  std::vector<std::string> wanted_sites = {};
  bool uses_witnesses = true;
  bool adds_fences = false;  ///< heddle fix: also fences before and after operations
  std::size_t most_answers = 64;
  std::function<void(const OrderProgress&)> on_progress = {};
};

/// For each site: does something break if its order is one step weaker?
Result<OrderResults> audit_orders(const OrderTask& task);
/// The smallest changes after which no finding is left that orders can cure.
Result<OrderResults> fix_orders(const OrderTask& task);
/// The weakest orders with which all programs are right. A problem if they are not right as they are.
Result<OrderResults> weaken_orders(const OrderTask& task);

}  // namespace heddle::session
