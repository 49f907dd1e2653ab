// Phase II of Relaxer (Burnim, Sen and Stergiou, ISSTA 2011, section 4.3 and figures 7 to 9): brings a predicted cycle
// about. Each conflict of the cycle has an access that must come early, the second one of a pair (EVEN in the paper),
// and an access that must come late, the first one of the next pair (ODD in the paper).
// - A late store stays in its buffer, and the thread of a late load or read-modify-write pauses, for a while.
// - An early access runs as soon as it can: an early store reaches memory at once, and an early load reads the oldest
//   write that it may read. Where a store chooses its place in modification order, an early one takes the oldest.
// - Everything else happens as under sc: stores reach memory at once, and loads read the newest write.
//
// Each such decision is made with probability p, so that executions differ in which of the accesses of one source line
// take part in the cycle. Time is logical: it counts operations, and passes at once when everything waits.
//
// The paper waits for a fixed time, and every access with the right label counts as early. Half of the executions do
// that. The others also know what they wait for, which confirms more cycles in loops:
// - A late access continues when the early access before it in the cycle has taken effect.
// - An access counts as early only if its thread has begun the pair: it has executed the first access of the pair, and
//   that one is still in its buffer or did not have to wait any more.
//
// In half of the executions, threads pause before late stores, too, for as long as an execution: until the other
// threads wait, too. A thread that delays a store in its buffer continues, and may then take a lock, or wait for its
// buffer, so that the other threads of the cycle do not get to their accesses (figure 13).
//
// The second half of a trial also varies the other accesses: in most of its executions they are drawn as late or early,
// by thread, location and kind. A cycle may need a store between its accesses that stays in the buffer, or an old read.
//
// Under rc11 and c11, stores have no buffer: that early loads read old writes has the same effect.
//
// Without cycles, each execution draws which accesses come late and which early, by their location and kind.
#include "strategies/directed.hpp"

#include "base/hash.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {

constexpr Parameter parameters[] = {
    {.name = "p",
     .help = "the probability of each decision in favour of the cycle",
     .type = Parameter::Type::real_number,
     .least = 0,
     .most = 1,
     .default_value = 0.5},
    {.name = "delay",
     .help = "how many operations a late load waits; a late store waits four times as long; 0: drawn",
     .least = 0,
     .most = 1'000'000,
     .default_value = 0},
};

// Short delays suit loops, in which the accesses of the cycle come again and again, long ones straight-line code. The
// longest one is as long as an execution, so that the other threads can get to their accesses.
constexpr std::uint64_t shortest_delay = 4, next_delay_factor = 4, least_longest_delay = 256;
// Stores are delayed for longer than loads, so that a late store does not reach memory while another thread pauses.
constexpr std::uint64_t store_factor = 4;

}  // namespace

constinit const StrategyDescriptor directed_strategy = {
    .name = "directed",
    .help = "delays and old reads that show predicted cycles, see heddle predict",
    .parameters = parameters,
    .first_weight = 0,  // its executions are for cycles that heddle predict found
    .make = [](std::uint64_t seed, base::Arena& arena) -> Strategy* {
      return arena.create<DirectedStrategy>(seed, arena);
    },
};

void DirectedStrategy::set_parameters(const ParameterValues& values) {
  probability_ = *values[0];
  given_delay_ = values.whole(1);
}

bool DirectedStrategy::begin_execution(std::uint64_t number) {
  if (cycles_ != nullptr && number >= cycles_->end_execution()) return false;
  random_.begin(seed_, number);
  role_seed_ = random_.next();
  draw_delays();
  cycle_ = cycles_ == nullptr ? nullptr : &cycles_->cycles[cycles_->cycle_of(number)];
  draws_others_ = cycle_ != nullptr && number % cycles_->executions >= cycles_->executions / 2 && !random_.one_in(4);
  knows_waits_ = cycle_ != nullptr && random_.one_in(2);
  pauses_stores_ = cycle_ != nullptr && random_.one_in(2);
  single_ = 0;
  for (std::uint32_t i = 0; cycle_ != nullptr && i < cycle_->size; ++i)
    if (cycle_->pairs[i].is_single != 0) single_ |= Pairs{1} << i;
  now_ = 1;
  threads_.clear();
  delayed_.clear();
  effects_.clear();
  return true;
}

void DirectedStrategy::draw_delays() {
  const std::uint64_t wanted = cycles_ == nullptr ? 0 : cycles_->longest_execution;
  std::uint32_t choices = 1;
  for (longest_delay_ = shortest_delay; longest_delay_ < least_longest_delay || longest_delay_ < wanted; ++choices)
    longest_delay_ *= next_delay_factor;
  delay_ = shortest_delay;
  for (std::uint64_t i = random_.below(choices); i > 0; --i) delay_ *= next_delay_factor;
  if (given_delay_ != 0) delay_ = longest_delay_ = given_delay_;
}

DirectedStrategy::PairProgress& DirectedStrategy::state_of(graph::ThreadId thread) {
  if (number(thread) >= threads_.size()) threads_.resize(arena_, number(thread) + std::size_t{1});
  return threads_[number(thread)];
}

/// The random role of an access that is not in the cycle, or of any access if there is no cycle.
DirectedStrategy::Role DirectedStrategy::drawn_role(std::uint64_t thread, const PendingOperation& operation) const {
  const std::uint64_t drawn =
      base::hash_words(role_seed_, thread, number(operation.location), static_cast<std::uint64_t>(operation.kind));
  return drawn % 2 != 0 ? Role{.late = no_pair} : Role{.early = no_pair};
}

DirectedStrategy::Role DirectedStrategy::role_of(graph::ThreadId thread, const PendingOperation& operation) {
  if (!accesses_memory(operation.kind) || operation.location == graph::no_location) return {};
  if (cycle_ == nullptr) return drawn_role(0, operation);
  const std::uint32_t label = labels_->label_of(thread);
  Role role;
  if (label == no_label) return draws_others_ ? drawn_role(number(thread), operation) : role;
  for (std::uint32_t i = 0; i < cycle_->size; ++i) {
    if (cycle_->pairs[i].first == label) role.late |= Pairs{1} << i;
    if (cycle_->pairs[i].second == label) role.early |= Pairs{1} << i;
  }
  return draws_others_ && role.late == 0 && role.early == 0 ? drawn_role(number(thread), operation) : role;
}

/// The state of the thread's pending operation. Whether it pauses is drawn once for each operation.
DirectedStrategy::PairProgress& DirectedStrategy::look_at(graph::ThreadId thread, const PendingOperation& operation) {
  PairProgress& state = state_of(thread);
  if (state.is_known) return state;
  state.is_known = true;
  state.role = role_of(thread, operation);
  state.paused_until = 0;
  const bool is_read = reads(operation.kind);
  if (state.role.late != 0 && (is_read || pauses_stores_) && with_probability())
    state.paused_until = now_ + (is_read ? delay_ : longest_delay_);
  return state;
}

/// The pairs that the thread has begun. A pair that began with a buffered store is begun for as long as the store is in
/// the buffer; wait_of() keeps those whose store left it at the right time.
DirectedStrategy::Pairs DirectedStrategy::begun_pairs(PairProgress& state) const {
  if (!knows_waits_) return all_pairs();
  for (std::uint32_t i = 0; i < cycle_->size; ++i) {
    const Pairs bit = Pairs{1} << i;
    if ((state.buffered & bit) == 0 || is_buffered(graph_->event(state.firsts[i]))) continue;
    state.buffered &= ~bit;
    state.begun &= ~bit;
  }
  return state.begun | single_ | no_pair;
}

/// Of these pairs, those whose first access, by this thread, need not wait: the second access of the pair before has
/// taken effect.
DirectedStrategy::Pairs DirectedStrategy::answered_pairs(Pairs pairs, graph::ThreadId thread,
                                                         graph::LocationId location) const {
  Pairs answered = 0;
  for (const Effect& effect : effects_) {
    const std::uint32_t next = effect.pair + 1 == cycle_->size ? 0 : effect.pair + 1;
    if ((pairs >> next & 1) != 0 && effect.location == location && effect.thread != thread &&
        !is_buffered(graph_->event(effect.event)))
      answered |= Pairs{1} << next;
  }
  return answered;
}

/// Until when the option has to wait; not later than now: it need not.
std::uint64_t DirectedStrategy::wait_of(const Option& option) {
  if (!option.is_internal_step()) {
    const PairProgress& state = look_at(option.thread, *option.pending);
    if (state.paused_until <= now_) return 0;
    return answered_pairs(state.role.late, option.thread, option.pending->location) != 0 ? 0 : state.paused_until;
  }
  const graph::Event& store = graph_->event(option.write);
  for (const DelayedStore& delayed : delayed_) {
    if (delayed.thread != store.thread || delayed.index != store.index) continue;
    const Pairs answered = answered_pairs(delayed.pairs, delayed.thread, delayed.location);
    state_of(delayed.thread).buffered &= ~answered;  // they stay begun when the store has left its buffer
    return answered != 0 ? 0 : delayed.until;
  }
  return 0;
}

/// Stores that are not delayed reach memory first. Then a thread runs that does not pause. If there is none, time
/// passes until the first wait ends.
std::uint32_t DirectedStrategy::choose_thread(const Choice& choice) {
  candidates_.clear();
  std::uint32_t next = 0, early = no_label;
  std::uint64_t next_time = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < choice.options.size(); ++i) {
    const Option& option = choice.options[i];
    if (const std::uint64_t until = wait_of(option); until > now_) {
      if (until < next_time) {
        next_time = until;
        next = i;
      }
      continue;
    }
    if (option.is_internal_step()) return i;
    candidates_.push_back(arena_, i);
    if (is_early(state_of(option.thread))) early = i;
  }
  if (candidates_.empty()) {
    now_ = next_time;
    return next;
  }
  if (early != no_label && with_probability()) return early;
  // A thread that yields lets others go first.
  if (choice.going_on != nullptr && choice.going_on->yields && candidates_.size() > 1 &&
      !random_.one_in(ignored_yield_odds)) {
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (choice.options[candidates_[i]].thread == choice.current) candidates_.erase(i);
  }
  return candidates_[random_.below(candidates_.size())];
}

/// Options are oldest first.
std::uint32_t DirectedStrategy::choose_early_or_newest(const Choice& choice) {
  const auto newest = static_cast<std::uint32_t>(choice.options.size()) - 1;
  PairProgress& state = state_of(choice.current);
  if (!is_early(state)) return newest;
  const bool has_no_part = cycle_ != nullptr && state.role.early == no_pair;
  if (has_no_part) return static_cast<std::uint32_t>(random_.below(choice.options.size()));
  return with_probability() ? 0 : newest;
}

std::uint32_t DirectedStrategy::choose(const Choice& choice) {
  switch (choice.kind) {
    case ChoiceKind::thread: return choose_thread(choice);
    case ChoiceKind::reads_from:
    case ChoiceKind::mo_slot: return choose_early_or_newest(choice);
    default: return choose_by_chance(random_, choice);
  }
}

bool DirectedStrategy::about_to_execute(graph::ThreadId thread, const PendingOperation& operation) {
  ++now_;
  look_at(thread, operation).is_known = false;
  return true;
}

void DirectedStrategy::executed(const graph::Event& event) {
  if (event.thread == graph::no_thread || !accesses_memory(event.kind)) return;
  PairProgress& state = state_of(event.thread);
  if (state.role.late == 0 && state.role.early == 0) return;
  const graph::EventId id{static_cast<std::uint32_t>(graph_->events().size() - 1)};
  // The second access of a pair comes after the first one, so an access that is both is not its own partner.
  const Pairs early = state.role.early & (knows_waits_ ? begun_pairs(state) : 0);
  if (state.role.late != 0) record_first(event, id, state);
  if (early != 0) record_second(event, id, early);
  state.role = {};
}

void DirectedStrategy::record_first(const graph::Event& event, graph::EventId id, PairProgress& state) {
  const bool is_in_buffer = is_buffered(event);
  if (is_in_buffer && with_probability())
    delayed_.push_back(arena_,
                       {event.thread, event.index, event.location, state.role.late, now_ + store_factor * delay_});
  if (!knows_waits_) return;
  const Pairs answered = answered_pairs(state.role.late, event.thread, event.location);
  // Without a buffer, other threads may ignore the store for as long as they like.
  const Pairs begun = event.kind == graph::EventKind::store ? state.role.late : answered;
  state.begun |= begun;
  for (std::uint32_t i = 0; i < cycle_->size; ++i) {
    const Pairs bit = Pairs{1} << i;
    if ((begun & bit) == 0) continue;
    state.firsts[i] = id;
    state.buffered = is_in_buffer && (answered & bit) == 0 ? state.buffered | bit : state.buffered & ~bit;
  }
}

void DirectedStrategy::record_second(const graph::Event& event, graph::EventId id, Pairs pairs) {
  for (std::uint32_t i = 0; i < cycle_->size; ++i) {
    if ((pairs >> i & 1) == 0) continue;
    Effect* known = nullptr;
    for (Effect& effect : effects_)
      if (effect.pair == i && effect.thread == event.thread && effect.location == event.location) known = &effect;
    if (known == nullptr)
      effects_.push_back(arena_, {i, event.thread, event.location, id});
    else if (is_buffered(graph_->event(known->event)))
      known->event = id;
  }
}

}  // namespace heddle::strategies
