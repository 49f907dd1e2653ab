#include "linearizability/checker.hpp"

#include <bit>

#include "base/check.hpp"
#include "base/hash.hpp"

namespace heddle::linearizability {

namespace {

class Search {
 public:
  Search(History history, Specification& specification, base::Arena& arena, CallSet open)
      : history_(history), specification_(specification), arena_(arena), open_(open), all_(first_calls(history.size())),
        slots_(arena.create_array<Seen*>(slots)) {}

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
  std::span<Seen*> slots_;
};

/// The history as it is without some of its pairs, made transitive again.
void close(std::span<CallSet> before) {
  for (std::size_t middle = 0; middle < before.size(); ++middle)
    for (CallSet& set : before)
      if ((set & only(middle)) != 0) set |= before[middle];
}

}  // namespace

bool is_linearizable(History history, Specification& specification, base::Arena& arena, CallSet open) {
  HEDDLE_CHECK(history.size() <= most_calls, "a history has too many calls");
  const std::size_t used = arena.used();
  const bool found = Search(history, specification, arena, open).run();
  arena.rewind(used);
  return found;
}

Reasons find_reasons(History history, Specification& specification, base::Arena& arena) {
  Reasons reasons;
  // Of several, the one that comes last: what it returned was decided by the others.
  const auto count = static_cast<std::uint32_t>(history.size());
  for (std::uint32_t call = count; call-- > 0 && reasons.call == Reasons::no_call;)
    if (is_linearizable(history, specification, arena, only(call))) reasons.call = call;
  reasons.before = arena.copy_array(history);
  const auto trial = arena.create_array<CallSet>(count);
  for (std::uint32_t later = 0; later < count; ++later) {
    for (std::uint32_t earlier = 0; earlier < count; ++earlier) {
      if ((reasons.before[later] & only(earlier)) == 0) continue;
      for (std::uint32_t i = 0; i < count; ++i) trial[i] = reasons.before[i];
      trial[later] &= ~only(earlier);
      close(trial);
      if (is_linearizable(trial, specification, arena)) continue;
      reasons.before[later] &= ~only(earlier);
    }
  }
  return reasons;
}

}  // namespace heddle::linearizability
