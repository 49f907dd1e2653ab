// Selectively uniform random walk (Zhao, Wolff, Mathur, Roychoudhury: "Selectively uniform concurrency testing", ASPLOS
// 2025). Choosing uniformly between threads at every step favours short threads: a thread of 6 events beside one of 30
// is nearly always done first. Here threads are weighted by the interesting events that they, and the threads that they
// will create, still have. If these numbers are right, every interleaving of the interesting events is equally likely.
//
// - An operation is interesting if its location is. Each execution draws the interesting locations anew, in groups: the
//   fewer there are, the deeper are the orders among them that a given number of executions reaches.
// - Threads run freely, in random order, up to their next interesting operation. When all threads that can run are
// before
//   one, the weights draw the thread that executes its operation.
// - The numbers of events are averages of earlier executions (strategies/thread_counts.hpp).
//
// The paper draws the next thread before the others have come to their next interesting operation. Drawing afterwards
// has the same distribution, and no draw is lost to a thread that is blocked by then. The paper assumes sequential
// consistency; here a read takes any write that the model allows, uniformly.
#include "strategies/surw.hpp"

#include <algorithm>
#include <bit>

#include "strategies/chance.hpp"

namespace heddle::strategies {

using graph::EventKind;

namespace {

constexpr std::uint32_t all_groups = (std::uint32_t{1} << location_groups) - 1;
// A thread may wait, in a loop that the engine does not recognise, for a thread that is before an interesting
// operation. After this many choices in a row for threads that run freely, the weights draw one of the others.
constexpr std::uint32_t patience = 256;

/// A plain store that an atomic access finds in memory is an event, too, but no scheduling point.
bool can_be_interesting(EventKind kind, graph::MemoryOrder order) {
  if (accesses_memory(kind)) return order != graph::MemoryOrder::plain;
  return kind == EventKind::lock || kind == EventKind::unlock;
}

constexpr double group_numbers[] = {0, 1, 2, 4};
constexpr std::uint8_t group_weights[] = {6, 4, 3, 3};
constexpr Parameter parameters[] = {
    {.name = "locations",
     .help = "how many of 16 groups of locations are interesting, drawn anew for every execution; 0: all",
     .least = 0,
     .most = location_groups,
     .values = group_numbers,
     .first_weights = group_weights},
};

}  // namespace

constinit const StrategyDescriptor surw_strategy = {
    .name = "surw",
    .help = "threads by the number of events that they still have; any write",
    .parameters = parameters,
    .first_weight = 3,
    .learns_threads = true,
    .make = [](std::uint64_t seed, base::Arena& arena) -> Strategy* { return arena.create<SurwStrategy>(seed, arena); },
};

bool SurwStrategy::begin_execution(std::uint64_t number) {
  random_.begin(seed_, number);
  ++execution_;
  met_.clear();
  parents_.clear();
  free_run_ = 0;
  draw_groups();
  return true;
}

/// Draws the interesting groups from those in which earlier executions had events.
void SurwStrategy::draw_groups() {
  mask_ = all_groups;
  if (interesting_groups_ == 0 || averages_ == nullptr) return;
  std::uint32_t known = 0;
  for (std::size_t i = 0; i < averages_->count; ++i)
    for (std::size_t group = 0; group < location_groups; ++group)
      if (averages_->threads[i].events[group] != 0) known |= std::uint32_t{1} << group;
  const auto count = static_cast<std::uint32_t>(std::popcount(known));
  if (count <= interesting_groups_) return;
  mask_ = 0;
  for (std::uint32_t drawn = 0; drawn < interesting_groups_; ++drawn) {
    std::uint64_t skipped = random_.below(count - drawn);
    std::uint32_t left = known & ~mask_;
    for (; skipped != 0; --skipped) left &= left - 1;
    mask_ |= left & (~left + 1);
  }
}

/// Internal steps of the memory model are: if they ran before all interesting operations, no store would stay in its
/// buffer for long.
bool SurwStrategy::is_interesting(const Option& option) const {
  const PendingOperation& pending = *option.pending;
  if (option.is_internal_step()) return true;
  return can_be_interesting(pending.kind, pending.order) && (mask_ >> location_group(pending.location) & 1) != 0;
}

std::int64_t SurwStrategy::expected_events(std::uint64_t thread_name) const {
  const ThreadEvents* known = averages_ == nullptr ? nullptr : averages_->find(thread_name);
  std::int64_t sum = 0;
  for (std::size_t group = 0; known != nullptr && group < location_groups; ++group)
    if ((mask_ >> group & 1) != 0) sum += known->events[group];
  return sum;
}

SurwStrategy::ThreadWeight& SurwStrategy::meet(graph::ThreadId thread) {
  if (number(thread) >= threads_.size()) threads_.resize(arena_, number(thread) + std::size_t{1});
  const std::uint64_t name = graph_ == nullptr ? number(thread) : graph_->thread(thread).name;
  threads_[number(thread)] = {
      .execution = execution_, .place = static_cast<std::uint32_t>(met_.size()), .left = expected_events(name)};
  ThreadEvents& counted = met_.push_back(arena_, {});
  counted.name = name;
  parents_.push_back(arena_, no_parent);
  return threads_[number(thread)];
}

/// Moves the events of a new thread from its parent, whose number includes them, to the thread.
void SurwStrategy::start(const graph::Event& event) {
  if (graph_ == nullptr || event.synchronised.empty()) return;
  const graph::ThreadId creator = graph_->event(event.synchronised[0]).thread;
  const std::uint32_t parent = state(creator).place;  // met before its child: see observation()
  const ThreadWeight& child = state(event.thread);
  parents_[child.place] = parent;
  const std::int64_t moved = child.left;
  state(creator).left -= moved;
}

void SurwStrategy::executed(const graph::Event& event) {
  if (event.thread == graph::no_thread) return;
  if (event.kind == EventKind::start) return start(event);
  if (!can_be_interesting(event.kind, event.order)) return;
  ThreadWeight& thread = state(event.thread);
  const std::size_t group = location_group(event.location);
  ++met_[thread.place].events[group];
  if ((mask_ >> group & 1) != 0) --thread.left;
}

Observation SurwStrategy::observation() {
  // A thread is met after its parent. So in this order its events are complete when they are added to the parent's.
  for (std::size_t i = met_.size(); i-- != 0;) {
    if (parents_[i] == no_parent) continue;
    for (std::size_t group = 0; group < location_groups; ++group)
      met_[parents_[i]].events[group] += met_[i].events[group];
    parents_[i] = no_parent;
  }
  return {.threads = met_};
}

std::uint32_t SurwStrategy::choose(const Choice& choice) {
  return choice.kind == ChoiceKind::thread ? choose_thread(choice) : choose_by_chance(random_, choice);
}

std::uint32_t SurwStrategy::choose_thread(const Choice& choice) {
  free_.clear();
  bool some_wait = false;
  for (std::uint32_t i = 0; i < choice.options.size(); ++i) {
    const Option& option = choice.options[i];
    const bool waits = is_interesting(option);
    some_wait = some_wait || waits;
    const bool is_free = !waits && !option.pending->yields;
    const bool may_be_free = option.pending->yields || option.is_internal_step();
    if (is_free || (may_be_free && random_.one_in(ignored_yield_odds))) free_.push_back(arena_, i);
  }
  if (!free_.empty() && some_wait && ++free_run_ > patience) {
    ++escapes_;
    free_.clear();
  }
  if (!free_.empty()) return free_[random_.below(free_.size())];
  free_run_ = 0;
  return some_wait ? draw_by_weight(choice) : static_cast<std::uint32_t>(random_.below(choice.options.size()));
}

/// Draws one of the options that are before an interesting operation. Such a thread has at least one event left,
/// whatever earlier executions say.
std::uint32_t SurwStrategy::draw_by_weight(const Choice& choice) {
  const auto weight = [&](const Option& option) -> std::uint64_t {
    if (!is_interesting(option)) return 0;
    if (option.is_internal_step()) return 1;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(1, state(option.thread).left));
  };
  std::uint64_t sum = 0;
  for (const Option& option : choice.options) sum += weight(option);
  std::uint64_t position = random_.below(sum);
  std::uint32_t drawn = 0;
  for (; position >= weight(choice.options[drawn]); ++drawn) position -= weight(choice.options[drawn]);
  return drawn;
}

}  // namespace heddle::strategies
