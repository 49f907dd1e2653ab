#include "exploration/preemptions.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "exploration/enumeration.hpp"

namespace heddle::exploration {

namespace {

/// Finds a cheapest order, in the manner of Dijkstra: a state is how many events of each thread have been executed.
///
/// A thread that runs, runs on as long as its next event may be executed. That is never worse than an earlier end: the
/// events that have to precede an event are a fixed set, so executing one more event hinders none.
class OrderSearch {
 public:
  OrderSearch(Steps steps, ExecutionOrders orders, base::Arena& scratch)
      : steps_(steps), orders_(orders), scratch_(scratch), seen_(scratch) {
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      while (threads_.size() <= number(steps[i].name.thread)) threads_.push_back(scratch, {});
      auto& events = threads_[number(steps[i].name.thread)];
      places_.push_back(scratch, static_cast<std::uint32_t>(events.size()));
      events.push_back(scratch, i);
    }
  }

  std::uint64_t least(std::uint64_t most) {
    base::ArenaVector<State> now, later;
    now.push_back(scratch_, scratch_.create_array<std::uint32_t>(threads_.size()));
    for (std::uint64_t cost = 0; cost <= most && !now.empty(); ++cost) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (!seen_.insert(hash_of(now[i]))) continue;
        if (is_end(now[i])) return cost;
        for (std::size_t t = 0; t < threads_.size(); ++t) {
          State next = run(now[i], t);
          if (next.empty()) continue;
          (is_preempted(next, t) ? later : now).push_back(scratch_, next);
        }
      }
      now = later;
      later.forget();
    }
    return most + 1;
  }

 private:
  using State = std::span<std::uint32_t>;  ///< by thread: how many of its events have been executed

  static std::uint64_t hash_of(State state) { return base::hash_bytes(state.data(), state.size_bytes()); }
  bool is_end(State state) const {
    for (std::size_t t = 0; t < threads_.size(); ++t)
      if (state[t] != threads_[t].size()) return false;
    return true;
  }
  bool is_executed(State state, std::uint32_t event) const {
    return event == initial || places_[event] < state[number(steps_[event].name.thread)];
  }
  bool may_execute(State state, std::uint32_t event) const {
    const Step& step = steps_[event];
    if (!is_executed(state, step.synchronised)) return false;
    if (reads(step.kind) && !is_executed(state, step.reads_from)) return false;
    if (orders_ != ExecutionOrders::sequential || !writes(step.kind)) return true;
    for (std::uint32_t i = 0; i < steps_.size(); ++i)
      if (accesses_memory(steps_[i].kind) && steps_[i].location == step.location &&
          steps_[i].mo_position < step.mo_position && !is_executed(state, i))
        return false;
    return true;
  }
  /// Lets the thread run until it cannot continue. Empty: it cannot run.
  State run(State state, std::size_t thread) const {
    const auto& events = threads_[thread];
    if (state[thread] == events.size() || !may_execute(state, events[state[thread]])) return {};
    const State next = scratch_.create_array<std::uint32_t>(state.size());
    std::copy(state.begin(), state.end(), next.begin());
    while (next[thread] < events.size() && may_execute(next, events[next[thread]])) ++next[thread];
    return next;
  }
  bool is_preempted(State state, std::size_t thread) const {
    const auto& events = threads_[thread];
    if (state[thread] == events.size()) return false;
    const Step& next = steps_[events[state[thread]]];
    return !next.may_wait && next.synchronised == initial;
  }

  Steps steps_;
  ExecutionOrders orders_;
  base::Arena& scratch_;
  HashSet seen_;
  base::ArenaVector<base::ArenaVector<std::uint32_t>> threads_;  ///< positions of events
  base::ArenaVector<std::uint32_t> places_;                      ///< by position: in its thread
};

}  // namespace

std::uint64_t least_preemptions(Steps steps, ExecutionOrders orders, std::uint64_t most, base::Arena& scratch) {
  return OrderSearch(steps, orders, scratch).least(most);
}

}  // namespace heddle::exploration
