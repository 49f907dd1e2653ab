#include "trace/minimizer.hpp"

namespace heddle::trace {

using strategies::Choice;
using strategies::ChoiceKind;
using strategies::Option;

namespace {

/// Makes room for `index`. New elements are 0.
void grow_to(base::ArenaVector<std::uint32_t>& vector, std::uint32_t index, base::Arena& arena) {
  if (vector.size() <= index) vector.resize(arena, index + std::size_t{1});
}

}  // namespace

Minimizer::Minimizer(std::span<const std::uint8_t> decisions, Budget budget, base::Arena& arena, base::Arena& shared)
    : replayer_(decisions), budget_(budget), arena_(arena),
      record_(*static_cast<Record*>(shared.allocate(sizeof(Record), alignof(Record)))), random_(1) {
  record_.name_count = 0;
}

// ---- the search -----------------------------------------------------------------------------------------------

bool Minimizer::begin_execution(std::uint64_t number) {
  if (phase_ == Phase::repeat) {
    if (executions_ != 0) return false;
    replayer_.begin_execution(number);
  } else if (phase_ != Phase::settled && (is_over_budget() || !propose())) {
    return false;
  }
  record_.shows_finding = record_.is_too_long = false;
  record_.stretch_count = record_.exception_count = 0;
  record_.cost = {};
  active_ = first_open_ = 0;
  idle_choices_ = 0;
  events_at_choice_ = 0;
  numbers_.clear();
  threads_.clear();
  commits_.clear();
  last_choice_kind_ = ChoiceKind::thread;
  return true;
}

void Minimizer::set_outcome(bool shows_finding, const Cost& cost, std::uint64_t accesses) {
  const bool repeats = phase_ != Phase::repeat || !replayer_.diverged_at();
  record_.shows_finding = shows_finding && repeats && !record_.is_too_long;
  record_.cost = cost;
  record_.accesses = accesses;
}

void Minimizer::learn() {
  ++executions_;
  // An execution also costs what is done around it.
  constexpr std::uint64_t events_of_start = 50;
  if (phase_ == Phase::repeat) accesses_ = record_.accesses;
  events_ += record_.cost.events + accesses_ + events_of_start;
  if (phase_ == Phase::repeat) {
    is_refused_ = !record_.shows_finding;
    if (is_refused_) return;
    first_cost_ = record_.cost;
  }
  if (record_.shows_finding && record_.cost.stale_reads == 0) shows_without_stale_reads_ = true;
  const bool is_better = record_.shows_finding && (!has_best_ || record_.cost < best_cost_);
  if (is_better) {
    has_best_ = has_improved_ = true;
    best_cost_ = record_.cost;
    best_.clear();
    for (std::uint32_t i = 0; i < record_.stretch_count; ++i) best_.stretches.push_back(arena_, record_.stretches[i]);
    for (std::uint32_t i = 0; i < record_.exception_count; ++i)
      best_.exceptions.push_back(arena_, record_.exceptions[i]);
  }
  if (phase_ == Phase::repeat || (phase_ == Phase::sample && is_better)) {
    begin_round();
    return;
  }
  // After a success, the elements behind the ones that were left out have their positions.
  if (!is_better) position_ += phase_ == Phase::join_stretches || phase_ == Phase::sample ? 1 : chunk_;
}

void Minimizer::settle() {
  phase_ = Phase::settled;
  proposed_.copy_from(best_, arena_);
}

void Minimizer::begin_round() {
  has_improved_ = false;
  enter(Phase::drop_stretches);
}

void Minimizer::enter(Phase phase) {
  phase_ = phase;
  position_ = 0;
  chunk_ = phase == Phase::drop_exceptions ? best_.exceptions.size() : best_.stretches.size();
  if (chunk_ == 0) chunk_ = 1;
}

/// Proposes the next schedule of this phase, or of a later one. Returns false if there is none.
bool Minimizer::propose() {
  for (;;) {
    switch (phase_) {
      case Phase::drop_stretches:
        if (propose_without_stretches()) return true;
        enter(Phase::join_stretches);
        break;
      case Phase::join_stretches:
        if (propose_joined_stretches()) return true;
        enter(Phase::drop_exceptions);
        break;
      case Phase::drop_exceptions:
        if (propose_without_exceptions()) return true;
        // A pass that improved something makes the others worth another try.
        has_improved_ ? begin_round() : enter(Phase::sample);
        break;
      case Phase::sample: return propose_sample();
      case Phase::repeat:
      case Phase::settled: return false;
    }
  }
}

bool Minimizer::propose_without_stretches() {
  const std::size_t count = best_.stretches.size();
  while (position_ >= count) {
    if (chunk_ <= 1) return false;
    chunk_ = (chunk_ + 1) / 2;
    position_ = 0;
    if (count == 0) return false;
  }
  proposed_.clear();
  for (std::size_t i = 0; i < count; ++i)
    if (i < position_ || i >= position_ + chunk_) proposed_.stretches.push_back(arena_, best_.stretches[i]);
  for (const Exception& exception : best_.exceptions) proposed_.exceptions.push_back(arena_, exception);
  return true;
}

bool Minimizer::propose_joined_stretches() {
  const std::size_t count = best_.stretches.size();
  for (; position_ < count; ++position_) {
    std::size_t next = position_ + 1;
    while (next < count && best_.stretches[next].actor != best_.stretches[position_].actor) ++next;
    if (next == count) continue;
    proposed_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (i == next) continue;
      Stretch stretch = best_.stretches[i];
      if (i == position_) stretch.until = best_.stretches[next].until;
      proposed_.stretches.push_back(arena_, stretch);
    }
    for (const Exception& exception : best_.exceptions) proposed_.exceptions.push_back(arena_, exception);
    return true;
  }
  return false;
}

bool Minimizer::propose_without_exceptions() {
  const std::size_t count = best_.exceptions.size();
  while (position_ >= count) {
    if (chunk_ <= 1 || count == 0) return false;
    chunk_ = (chunk_ + 1) / 2;
    position_ = 0;
  }
  proposed_.clear();
  for (const Stretch& stretch : best_.stretches) proposed_.stretches.push_back(arena_, stretch);
  for (std::size_t i = 0; i < count; ++i)
    if (i < position_ || i >= position_ + chunk_) proposed_.exceptions.push_back(arena_, best_.exceptions[i]);
  return true;
}

/// A few stretches of random threads up to random events of the best execution. Half of the samples take the usual
/// choices everywhere.
bool Minimizer::propose_sample() {
  const std::size_t count = best_.stretches.size();
  if (samples_ >= most_samples || count < 2 || best_cost_.switches == 0) return false;
  ++samples_;
  proposed_.clear();
  const std::uint64_t length = 1 + random_.below(best_cost_.switches);
  for (std::uint64_t i = 0; i < length; ++i) {
    const Stretch& like = best_.stretches[random_.below(count)];
    const std::uint32_t until = 1 + static_cast<std::uint32_t>(random_.below(like.until));
    proposed_.stretches.push_back(arena_, {like.actor, random_.one_in(2) ? like.until : until});
  }
  if (random_.one_in(2))
    for (const Exception& exception : best_.exceptions) proposed_.exceptions.push_back(arena_, exception);
  return true;
}

// ---- the execution --------------------------------------------------------------------------------------------

std::uint32_t Minimizer::choose(const Choice& choice) {
  std::uint32_t index = 0;
  if (phase_ == Phase::repeat)
    index = replayer_.choose(choice);
  else
    index = choice.kind == ChoiceKind::thread ? choose_actor(choice) : follow_exception(choice);
  if (choice.kind != ChoiceKind::thread) {
    record_exception(choice, index);
  } else if (choice.options[index].is_internal_step()) {
    const std::uint32_t thread = number_of(choice.options[index].thread);
    grow_to(commits_, thread, arena_);
    extend_stretch(actor_of(choice.options[index]), ++commits_[thread]);
  }
  return index;
}

void Minimizer::executed(const graph::Event& event) {
  extend_stretch(Option::actor_of(graph::ThreadId{number_of(event.thread)}), event.index);
}

std::uint32_t Minimizer::number_of(graph::ThreadId thread) {
  grow_to(numbers_, graph::number(thread), arena_);
  std::uint32_t& known = numbers_[graph::number(thread)];
  if (known != 0) return known - 1;
  const std::uint64_t name = graph_->thread(thread).name;
  std::uint32_t found = 0;
  while (found < record_.name_count && record_.names[found] != name) ++found;
  if (found == most_threads) {
    record_.is_too_long = true;
    return 0;
  }
  if (found == record_.name_count) record_.names[record_.name_count++] = name;
  known = found + 1;
  grow_to(threads_, found, arena_);
  threads_[found] = graph::number(thread) + 1;
  return found;
}

std::uint32_t Minimizer::actor_of(const Option& option) {
  return Option::actor_of(graph::ThreadId{number_of(option.thread)}) + (option.is_internal_step() ? 1 : 0);
}

void Minimizer::extend_stretch(std::uint32_t actor, std::uint32_t until) {
  if (record_.stretch_count != 0 && record_.stretches[record_.stretch_count - 1].actor == actor)
    record_.stretches[record_.stretch_count - 1].until = until;
  else if (record_.stretch_count == most_kept)
    record_.is_too_long = true;
  else
    record_.stretches[record_.stretch_count++] = {actor, until};
}

std::uint32_t Minimizer::usual_option(const Choice& choice) {
  const bool is_newest = choice.kind == ChoiceKind::reads_from || choice.kind == ChoiceKind::mo_slot;
  return is_newest ? static_cast<std::uint32_t>(choice.options.size() - 1) : 0;
}

void Minimizer::record_exception(const Choice& choice, std::uint32_t index) {
  const std::uint32_t thread = number_of(choice.current), event = graph_->thread(choice.current).index;
  const bool is_same = choice.kind == last_choice_kind_ && thread == last_choice_thread_ && event == last_choice_index_;
  const std::uint32_t ordinal = is_same ? last_choice_ordinal_ + 1 : 0;
  last_choice_kind_ = choice.kind;
  last_choice_thread_ = thread;
  last_choice_index_ = event;
  last_choice_ordinal_ = ordinal;
  const std::uint32_t usual = usual_option(choice);
  if (index == usual) return;
  if (record_.exception_count == most_kept) {
    record_.is_too_long = true;
    return;
  }
  record_.exceptions[record_.exception_count++] = {choice.kind, thread, event, ordinal,
                                                   index > usual ? index - usual : usual - index};
}

std::uint32_t Minimizer::follow_exception(const Choice& choice) {
  const std::uint32_t thread = number_of(choice.current), event = graph_->thread(choice.current).index;
  const bool is_same = choice.kind == last_choice_kind_ && thread == last_choice_thread_ && event == last_choice_index_;
  const std::uint32_t ordinal = is_same ? last_choice_ordinal_ + 1 : 0;
  const std::uint32_t usual = usual_option(choice), last = static_cast<std::uint32_t>(choice.options.size() - 1);
  for (const Exception& exception : proposed_.exceptions) {
    if (exception.kind != choice.kind || exception.thread != thread || exception.index != event ||
        exception.ordinal != ordinal)
      continue;
    const std::uint32_t distance = exception.distance < last ? exception.distance : last;
    return usual == 0 ? distance : usual - distance;
  }
  return usual;
}

std::uint32_t Minimizer::progress_of(std::uint32_t actor) const {
  const std::uint32_t thread = actor / 2;
  if (actor != Option::actor_of(graph::ThreadId{thread})) return thread < commits_.size() ? commits_[thread] : 0;
  if (thread >= threads_.size() || threads_[thread] == 0) return 0;
  return graph_->thread(graph::ThreadId{threads_[thread] - 1}).index;
}

/// Follows the stretch that is active, as long as it can, then the first one that is open and can run. A stretch whose
/// thread cannot run stays open.
std::uint32_t Minimizer::choose_actor(const Choice& choice) {
  const std::size_t events = graph_->events().size();
  idle_choices_ = events == events_at_choice_ ? idle_choices_ + 1 : 0;
  events_at_choice_ = events;
  // Threads that yield to each other make no events: the others get their turns.
  if (idle_choices_ > most_idle_choices) return idle_choices_ % static_cast<std::uint32_t>(choice.options.size());
  const auto option_of = [&](std::uint32_t actor) {
    std::size_t i = 0;
    while (i < choice.options.size() && actor_of(choice.options[i]) != actor) ++i;
    return i;
  };
  const auto& stretches = proposed_.stretches;
  const auto is_open = [&](std::size_t i) { return progress_of(stretches[i].actor) < stretches[i].until; };
  while (first_open_ < stretches.size() && !is_open(first_open_)) ++first_open_;
  if (active_ < stretches.size() && is_open(active_))
    if (const std::size_t i = option_of(stretches[active_].actor); i < choice.options.size())
      return static_cast<std::uint32_t>(i);
  for (std::size_t at = first_open_; at < stretches.size(); ++at) {
    if (!is_open(at)) continue;
    const std::size_t i = option_of(stretches[at].actor);
    if (i == choice.options.size()) continue;
    active_ = at;
    return static_cast<std::uint32_t>(i);
  }
  return choose_default_actor(choice);
}

/// Stores reach memory at once. Then the thread that runs continues, or the first one that does not wait.
std::uint32_t Minimizer::choose_default_actor(const Choice& choice) {
  std::size_t first = choice.options.size();
  if (choice.options.back().is_internal_step()) return static_cast<std::uint32_t>(first - 1);
  for (std::size_t i = 0; i < choice.options.size(); ++i) {
    const Option& option = choice.options[i];
    const bool waits = option.pending != nullptr && option.pending->waits;
    if (waits) continue;
    if (option.thread == choice.current && !(option.pending != nullptr && option.pending->yields))
      return static_cast<std::uint32_t>(i);
    if (first == choice.options.size()) first = i;
  }
  return first == choice.options.size() ? 0 : static_cast<std::uint32_t>(first);
}

}  // namespace heddle::trace
