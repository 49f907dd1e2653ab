#include "linearizability/checker.hpp"

#include <bit>

#include "base/check.hpp"
#include "base/hash.hpp"

namespace heddle::linearizability {

namespace {

class Search {
 public:
  Search(History history, Specification& specification, base::Arena& arena, CallSet open, std::uint64_t& steps_left)
      : history_(history), specification_(specification), arena_(arena), open_(open), all_(first_calls(history.size())),
        steps_left_(steps_left), slots_(arena.create_array<Seen*>(slots)) {}

  bool run() {
    const Specification::State state = specification_.make();
    const bool found = continue_from(0, state);
    for (Seen* seen : slots_)
      for (; seen != nullptr; seen = seen->next) specification_.destroy(seen->state);
    return found;
  }

 private:
  /// A set of calls that was tried, and the state after them.
  struct Seen {
    CallSet done;
    std::uint64_t hash;
    Specification::State state;
    Seen* next;
  };
  static constexpr std::size_t slots = 256;

  /// Takes the state over.
  bool continue_from(CallSet done, Specification::State state) {
    if (done == all_) {
      specification_.destroy(state);
      return true;
    }
    if (!remember(done, state)) {
      specification_.destroy(state);
      return false;
    }
    for (CallSet left = all_ & ~done; left != 0; left &= left - 1) {
      const auto call = static_cast<std::uint32_t>(std::countr_zero(left));
      if ((history_[call] & ~done) == 0 && try_next(done, state, call)) return true;
    }
    return false;
  }

  bool try_next(CallSet done, Specification::State state, std::uint32_t call) {
    for (std::uint32_t way = 0;; ++way) {
      if (steps_left_ == 0) return true;
      --steps_left_;
      const Specification::State next = specification_.copy(state);
      const Specification::Step step = specification_.apply(next, call, way);
      const bool fits =
          step == Specification::Step::allowed || (step == Specification::Step::refused && (open_ & only(call)) != 0);
      if (fits) {
        if (continue_from(done | only(call), next)) return true;
        continue;
      }
      specification_.destroy(next);
      if (step == Specification::Step::none) return false;
    }
  }

  /// Keeps the state. False: it was there already.
  bool remember(CallSet done, Specification::State state) {
    const std::uint64_t hash = base::hash_words(done, specification_.hash(state));
    Seen*& first = slots_[hash % slots];
    for (const Seen* seen = first; seen != nullptr; seen = seen->next)
      if (seen->done == done && seen->hash == hash && specification_.equal(seen->state, state)) return false;
    first = arena_.create<Seen>(done, hash, state, first);
    return true;
  }

  History history_;
  Specification& specification_;
  base::Arena& arena_;
  CallSet open_;
  CallSet all_;
  std::uint64_t& steps_left_;  ///< at 0, the search ends as if it had found an order
  std::span<Seen*> slots_;
};

/// The history as it is without some of its pairs, made transitive again.
void close(std::span<CallSet> before) {
  for (std::size_t middle = 0; middle < before.size(); ++middle)
    for (CallSet& set : before)
      if ((set & only(middle)) != 0) set |= before[middle];
}

/// Takes steps from `steps_left`. If none are left, there may be an order that was not found.
bool may_have_order(History history, Specification& specification, base::Arena& arena, CallSet open,
                    std::uint64_t& steps_left) {
  HEDDLE_CHECK(history.size() <= most_calls, "a history has too many calls");
  const std::size_t used = arena.used();
  const bool found = Search(history, specification, arena, open, steps_left).run();
  arena.rewind(used);
  return found;
}

}  // namespace

bool is_linearizable(History history, Specification& specification, base::Arena& arena, CallSet open) {
  std::uint64_t unlimited = ~std::uint64_t{0};
  return may_have_order(history, specification, arena, open, unlimited);
}

namespace {

// Long histories with many open results have very many orders. A sentence is not worth more steps than these.
constexpr std::uint64_t most_steps_for_contradictions = 100'000;
constexpr std::uint64_t most_steps_for_pairs = 20'000;

/// As few pairs of the history as possible, for which the results outside `open` still have no order. Empty if that
/// takes too long to find out.
std::span<CallSet> find_pairs(History history, Specification& specification, base::Arena& arena, CallSet open) {
  const auto count = static_cast<std::uint32_t>(history.size());
  const auto pairs = arena.copy_array(history);
  const auto trial = arena.create_array<CallSet>(count);
  std::uint64_t steps_left = most_steps_for_pairs;
  for (std::uint32_t later = 0; later < count; ++later) {
    for (std::uint32_t earlier = 0; earlier < count; ++earlier) {
      if ((pairs[later] & only(earlier)) == 0) continue;
      for (std::uint32_t i = 0; i < count; ++i) trial[i] = pairs[i];
      trial[later] &= ~only(earlier);
      close(trial);
      if (may_have_order(trial, specification, arena, open, steps_left)) continue;
      pairs[later] &= ~only(earlier);
    }
  }
  return steps_left == 0 ? std::span<CallSet>() : pairs;
}

/// What people have to read. Reasons without pairs, which were not found, come last.
std::uint32_t effort(const Reasons& reasons) {
  int pairs = reasons.before.empty() ? 1000 : 0;
  for (const CallSet set : reasons.before) pairs += std::popcount(set);
  return static_cast<std::uint32_t>(std::popcount(reasons.unexplained) + 2 * pairs);
}

/// Sets of calls whose results contradict each other. At least one.
std::span<const CallSet> find_contradictions(History history, Specification& specification, base::Arena& arena) {
  constexpr std::size_t enough = 24;
  const auto count = static_cast<std::uint32_t>(history.size());
  const CallSet all = first_calls(count);
  const auto found = arena.create_array<CallSet>(enough);
  std::size_t sets = 0;
  std::uint64_t steps_left = most_steps_for_contradictions;
  const auto try_set = [&](CallSet set) {
    if (sets < enough && !may_have_order(history, specification, arena, all & ~set, steps_left)) found[sets++] = set;
  };
  for (std::uint32_t call = 0; call < count; ++call) try_set(only(call));
  // A result that nothing explains may be easier to understand beside another one.
  for (std::uint32_t second = 0; second < count; ++second)
    for (std::uint32_t first = 0; first < second; ++first) try_set(only(first) | only(second));
  if (sets != 0) return found.first(sets);
  // The final part shows what is left, but the cause lies in the calls before it.
  CallSet open = 0;
  for (std::uint32_t call = count; call-- > 0;)
    if (!may_have_order(history, specification, arena, open | only(call), steps_left)) open |= only(call);
  found[0] = all & ~open;
  return found.first(1);
}

}  // namespace

Reasons find_reasons(History history, Specification& specification, base::Arena& arena) {
  Reasons best;
  for (const CallSet unexplained : find_contradictions(history, specification, arena)) {
    const CallSet open = first_calls(history.size()) & ~unexplained;
    const Reasons reasons{unexplained, find_pairs(history, specification, arena, open)};
    if (best.unexplained == 0 || effort(reasons) < effort(best)) best = reasons;
  }
  if (best.before.empty()) best.before = arena.create_array<CallSet>(history.size());
  return best;
}

}  // namespace heddle::linearizability
