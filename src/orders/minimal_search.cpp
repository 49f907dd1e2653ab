#include "orders/minimal_search.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

namespace heddle::orders {

bool is_at_most(const Assignment& a, const Assignment& b) {
  for (std::size_t d = 0; d < a.size(); ++d)
    if (!is_at_most(a[d], b[d])) return false;
  return true;
}

namespace {

class MinimalSearch {
 public:
  MinimalSearch(const Box& box, Oracle& oracle, const SearchLimits& limits)
      : box_(box), oracle_(oracle), limits_(limits) {
    add_node(box.highest);
  }

  MinimalAnswers run() {
    while (true) {
      const std::vector<Assignment> batch = next_batch();
      if (batch.empty()) break;
      if (found_.answers.size() >= limits_.most_answers) return std::move(found_);
      if (limits_.on_batch) limits_.on_batch(found_, nodes_.size());
      const std::vector<Judgement> judgements = oracle_.run(batch);
      if (judgements.size() != batch.size()) return std::move(found_);
      for (std::size_t i = 0; i < batch.size(); ++i) learn(batch[i], judgements[i]);
      if (std::erase_if(found_.answers, [&](const Assignment& answer) { return is_wrong(answer); }) != 0) begin_again();
    }
    found_.is_complete = true;
    return std::move(found_);
  }

 private:
  bool is_wrong(const Assignment& assignment) {
    const auto below = [&](const Assignment& given_up) { return is_at_most(assignment, given_up); };
    return std::any_of(given_up_.begin(), given_up_.end(), below) || oracle_.is_known_wrong(assignment);
  }

  void learn(const Assignment& assignment, Judgement judgement) {
    if (judgement == Judgement::right) {
      found_.answers.push_back(assignment);
    } else if (judgement == Judgement::unknown) {
      ++found_.unknown;
      given_up_.push_back(assignment);
    }
  }

  /// Nodes were divided by an answer that is none.
  void begin_again() {
    nodes_.clear();
    seen_.clear();
    add_node(box_.highest);
  }

  void add_node(Assignment upper) {
    if (seen_.insert(upper).second) nodes_.push_back(std::move(upper));
  }

  /// Closes and divides nodes until so many assignments are to be run, or no node is left. A node whose assignment is
  /// run stays: its upper bound may have other answers below it.
  std::vector<Assignment> next_batch() {
    std::vector<Assignment> batch;
    std::deque<Assignment> kept;
    while (!nodes_.empty() && batch.size() < limits_.batch) {
      Assignment upper = std::move(nodes_.front());
      nodes_.pop_front();
      if (is_wrong(upper)) continue;
      const auto below = std::find_if(found_.answers.begin(), found_.answers.end(),
                                      [&](const Assignment& answer) { return is_at_most(answer, upper); });
      if (below != found_.answers.end()) {
        divide(upper, *below);
        continue;
      }
      Assignment least = lowered(upper);
      if (std::find(batch.begin(), batch.end(), least) == batch.end()) batch.push_back(std::move(least));
      kept.push_back(std::move(upper));
    }
    // In the order in which they were made, so that the search does not depend on the size of the batch.
    nodes_.insert(nodes_.begin(), std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end()));
    return batch;
  }

  /// The children of step 2.
  void divide(const Assignment& upper, const Assignment& answer) {
    for (const std::size_t d : box_.priority) {
      for (const MemoryOrder order : strongest_not_above(d, answer[d], upper[d])) {
        Assignment child = upper;
        child[d] = order;
        add_node(std::move(child));
      }
    }
  }

  /// The strongest orders of a dimension that are at most `upper` and not at least `order`.
  std::vector<MemoryOrder> strongest_not_above(std::size_t d, MemoryOrder order, MemoryOrder upper) const {
    std::vector<MemoryOrder> fitting;
    for (const MemoryOrder candidate : orders_of(box_.operations[d]))
      if (is_at_most(candidate, upper) && is_at_most(box_.lowest[d], candidate) && !is_at_most(order, candidate))
        fitting.push_back(candidate);
    std::erase_if(fitting, [&](MemoryOrder candidate) {
      return std::any_of(fitting.begin(), fitting.end(),
                         [&](MemoryOrder other) { return other != candidate && is_at_most(candidate, other); });
    });
    return fitting;
  }

  /// Step 3. One pass is enough: what cannot be lowered while other dimensions are high cannot be lowered later.
  Assignment lowered(Assignment assignment) {
    for (const std::size_t d : box_.priority) {
      const MemoryOrder highest = assignment[d];
      for (const MemoryOrder order : orders_of(box_.operations[d])) {
        if (!is_at_most(box_.lowest[d], order) || !is_at_most(order, highest)) continue;
        assignment[d] = order;
        if (order == highest || !is_wrong(assignment)) break;
      }
    }
    return assignment;
  }

  const Box& box_;
  Oracle& oracle_;
  const SearchLimits& limits_;
  std::deque<Assignment> nodes_;
  std::set<Assignment> seen_;
  std::vector<Assignment> given_up_;
  MinimalAnswers found_;
};

}  // namespace

MinimalAnswers find_minimal(const Box& box, Oracle& oracle, const SearchLimits& limits) {
  return MinimalSearch(box, oracle, limits).run();
}

}  // namespace heddle::orders
