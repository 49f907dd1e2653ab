// Longer than most files: decisions and their alternatives, and what follows from an event, are about one list of
// steps.
#include "exploration/exploration.hpp"

#include <algorithm>
#include <utility>

#include "strategies/execution_plan.hpp"

namespace heddle::exploration {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::LocationId;
using graph::ThreadId;
using strategies::Choice;
using strategies::ChoiceKind;
using strategies::Outcome;

namespace {
// Few threads of programs that can be explored make more events.
constexpr std::uint32_t events_in_turn = 32;
// What runs leave behind in their arena while steps are kept. More would not stay in the cache.
constexpr std::size_t most_kept_memory = std::size_t{1} << 18;
}  // namespace

void Exploration::forget_run() {
  arena_.reset();
  plan_.forget();
  steps_.forget();
  alternatives_.forget();
  positions_.forget();
  last_of_thread_.forget();
  accesses_.forget();
  readers_.forget();
  real_steps_ = sound_steps_ = 0;
  links_several_ = false;
}

bool Exploration::begin_execution(std::uint64_t) {
  if (has_begun_ && pending_.empty()) return false;
  const bool may_keep = std::exchange(may_keep_, false) && arena_.used() < most_kept_memory;
  if (!may_keep) forget_run();
  plan_.clear();
  alternatives_.clear();
  symmetry_.begin_run();
  is_scheduled_ = is_abandoned_ = is_cut_off_ = false;
  detail_ = next_added_ = 0;
  std::uint32_t kept = has_begun_ && may_keep ? sound_steps_ : 0;
  if (has_begun_ && !pending_.pop(plan_, arena_, kept)) has_diverged_ = true;
  has_begun_ = true;
  keep_steps(kept);
  plan_begin_ = kept;
  if (kept != 0) next_added_ = steps_.back().last_added + 1;
  for (const PlannedEvent& event : plan_)
    if (event.added >= next_added_) next_added_ = event.added + 1;
  return true;
}

/// Brings the state of the run back to what it was when it had `count` steps.
void Exploration::keep_steps(std::uint32_t count) {
  steps_.truncate(real_steps_);
  accesses_.cut(steps_.span(), count);
  for (std::uint32_t at = real_steps_; at-- > count;) {
    const Step& step = steps_[at];
    last_of_thread_[number(step.name.thread)] = step.po_previous;
    if (step.is_inserted) move_back_behind(step, at);
  }
  while (!last_of_thread_.empty() && last_of_thread_.back() == initial) last_of_thread_.pop_back();
  steps_.truncate(count);
  const std::size_t events = count == 0 ? 0 : number(steps_.back().id) + std::size_t{1};
  if (positions_.size() > events) positions_.truncate(events);
  if (links_several_) link_again(count);
}

/// The write is removed from modification order: the writes behind it, of the first `count` steps, move back.
void Exploration::move_back_behind(const Step& removed, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (steps_[i].location == removed.location && steps_[i].mo_position > removed.mo_position) --steps_[i].mo_position;
}

void Exploration::link_again(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) steps_[i].synchronised_before = initial;
  for (std::uint32_t i = 0; i < count; ++i) steps_[i].synchronised = link(graph_.event(steps_[i].id).synchronised);
}

bool Exploration::load(Bytes subtree) {
  has_begun_ = !subtree.empty();
  return pending_.load(subtree);
}

void Exploration::stop_probing() {
  probe_.stop();
  has_begun_ = false;
  pending_.clear();
}

void Exploration::end_probe_run() {
  if (Alternative* next = probe_.draw({alternatives_.begin(), alternatives_.size()}))
    has_lost_runs_ = !pending_.push(steps_.span(), {next, 1});
  else
    has_begun_ = false;
}

/// A run may be abandoned between the write of a revisit and its reader. Alternatives with another slot or detail for
/// the write need the reader, so its step is added from the plan.
void Exploration::keep_planned_reader() {
  if (steps_.size() + 1 != plan_end()) return;
  Step reader;
  reader.name = plan_.back().name;
  reader.added = plan_.back().added;
  steps_.push_back(arena_, reader);
}

void Exploration::end_execution(Outcome outcome) {
  real_steps_ = static_cast<std::uint32_t>(steps_.size());
  if (!is_abandoned_) sound_steps_ = real_steps_;
  keep_planned_reader();
  if (probe_.is_on()) return end_probe_run();
  has_lost_runs_ = !pending_.push(steps_.span(), {alternatives_.begin(), alternatives_.size()});
  if (is_abandoned_)
    ++statistics_.abandoned;
  else if (outcome == Outcome::completed)
    ++statistics_.complete;
  else if (outcome == Outcome::blocked)
    ++statistics_.blocked;
  if (pending_.depth() > statistics_.depth) statistics_.depth = pending_.depth();
  if (pending_.bytes() > statistics_.bytes) statistics_.bytes = pending_.bytes();
}

std::uint32_t Exploration::choose(const Choice& choice) {
  switch (choice.kind) {
    case ChoiceKind::thread: return choose_thread(choice);
    case ChoiceKind::reads_from: return choose_write(choice);
    case ChoiceKind::mo_slot: return choose_slot(choice);
    case ChoiceKind::spurious:
    case ChoiceKind::timeout:
    case ChoiceKind::value: return choose_detail(choice);
  }
  return 0;
}

/// Beyond the plan, the next event has to be a function of the graph: it is that of the last thread that can run. A
/// thread that would wait runs after threads that would not, since they may write what it waits for. It does run in the
/// end, because later events may revisit what it read. The end of the program comes last of all. Threads with many
/// events let the others catch up: otherwise a thread that never ends would use up --max-events alone.
std::uint32_t Exploration::choose_thread(const Choice& choice) {
  if (const PlannedEvent* plan = planned()) {
    const std::uint32_t found =
        strategies::find_thread(choice, [&](ThreadId thread) { return thread == plan->name.thread; });
    if (found == strategies::no_option) return diverge();
    if (!is_left_out(*plan, *choice.options[found].pending)) return found;
    plan_.pop_back();
    steps_.back().overtakes = true;
  }
  std::uint32_t last = 0;
  const auto patience = [this](ThreadId thread, const strategies::PendingOperation& pending) {
    if (pending.waits || symmetry_.waits_for_twin(graph_, thread)) return 2;
    return !pending.yields ? 0 : pending.kind == EventKind::finish ? 3 : 1;
  };
  const auto turns = [this](ThreadId thread) { return graph_.thread(thread).index / (2 * events_in_turn); };
  const auto goes_before = [&](std::uint32_t a, std::uint32_t b) {
    const auto &x = choice.options[a], &y = choice.options[b];
    const int of_x = patience(x.thread, *x.pending), of_y = patience(y.thread, *y.pending);
    if (of_x != of_y) return of_x < of_y;
    // A function of the graph, too: the thread that needs fewer of these steps to come to its next event goes first.
    const std::uint32_t steps_x = x.pending->yields_in_a_row, steps_y = y.pending->yields_in_a_row;
    if (of_x == 1 && steps_x != steps_y) return steps_x < steps_y;
    const std::uint32_t turns_x = turns(x.thread), turns_y = turns(y.thread);
    return turns_x != turns_y ? turns_x < turns_y : x.thread > y.thread;
  };
  for (std::uint32_t i = 0; i < choice.options.size(); ++i)
    if (goes_before(i, last)) last = i;
  return last;
}

/// The reader of a revisit would wait. If alternatives of the write refer to the reader, it has to stay in the graph.
bool Exploration::is_left_out(const PlannedEvent& planned, const strategies::PendingOperation& pending) const {
  if (!planned.may_wait || !pending.waits) return false;
  for (const Alternative& other : alternatives_)
    if (other.reader == steps_.size() && other.kind != Alternative::Kind::revisit) return false;
  return true;
}

std::uint32_t Exploration::choose_detail(const Choice& choice) {
  const PlannedEvent* plan = planned();
  detail_precedes_read_ = choice.kind != ChoiceKind::value;
  if (plan != nullptr && plan->fixes_detail) return detail_ = plan->detail;
  // The newest alternative is explored first: values of the program are explored in ascending order.
  const auto count = static_cast<std::uint32_t>(choice.options.size());
  for (std::uint32_t left = 1; left < count; ++left) {
    const std::uint32_t i = choice.kind == ChoiceKind::value ? count - left : left;
    Alternative other{Alternative::Kind::detail, static_cast<std::uint32_t>(steps_.size()), i, {}};
    other.keeps_reads_from = !detail_precedes_read_ || (plan != nullptr && plan->fixes_reads_from);
    other.reader = reader_of_revisit();
    alternative(other);
  }
  return detail_ = 0;
}

std::uint32_t Exploration::choose_write(const Choice& choice) {
  const PlannedEvent* plan = planned();
  const auto count = static_cast<std::uint32_t>(choice.options.size());
  if (plan != nullptr && plan->fixes_reads_from) {
    const std::uint32_t found =
        strategies::find_write(choice, graph_, [&](const Event& write) { return name_of(write) == plan->reads_from; });
    return found == strategies::no_option ? abandon() : found;
  }
  for (std::uint32_t i = 0; i + 1 < count; ++i)
    alternative(change(Alternative::Kind::reads_from, choice.options[i].write));
  return count - 1;
}

std::uint32_t Exploration::choose_slot(const Choice& choice) {
  const PlannedEvent* plan = planned();
  const auto count = static_cast<std::uint32_t>(choice.options.size());
  const auto& order = graph_.location(operation_.location).modification_order;
  if (plan != nullptr && plan->fixes_slot) {
    const std::uint32_t found = strategies::find_slot(choice, graph_, operation_.location, [&](const Event& write) {
      return name_of(write) == plan->mo_predecessor;
    });
    return found == strategies::no_option ? abandon() : found;
  }
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    Alternative other = change(Alternative::Kind::slot, order[choice.options[i].number - 1]);
    other.reader = reader_of_revisit();
    alternative(other);
  }
  return count - 1;
}

Alternative Exploration::change(Alternative::Kind kind, EventId source) const {
  return {kind, static_cast<std::uint32_t>(steps_.size()), position(source), name_of(graph_.event(source))};
}

/// In the plan of a revisit, the reader follows the write and is part of the graph.
std::uint32_t Exploration::reader_of_revisit() const {
  const auto next = static_cast<std::uint32_t>(steps_.size()) + 1;
  return next < plan_end() ? next : initial;
}

/// The plan has been rebuilt: this is the graph of the search's node. Alternatives of its last event, which are nodes
/// of their own, were added before. Those that would follow from it are not added any more.
void Exploration::cut_off_beyond_bound() {
  const std::uint64_t slack = last_of_thread_.size();
  if (least_preemptions(steps_.span(), orders_, most_preemptions_ + slack, arena_) <= most_preemptions_ + slack) return;
  is_cut_off_ = true;
  abandon();
}

bool Exploration::is_beyond_bound() {
  return has_preemption_bound() &&
         least_preemptions(steps_.span(), orders_, most_preemptions_, arena_) > most_preemptions_;
}

std::uint32_t Exploration::abandon() {
  if (!is_abandoned_) sound_steps_ = static_cast<std::uint32_t>(steps_.size());
  is_abandoned_ = true;
  return 0;
}

std::uint32_t Exploration::diverge() {
  has_diverged_ = true;
  return abandon();
}

bool Exploration::about_to_execute(ThreadId, const strategies::PendingOperation& operation) {
  operation_ = operation;
  is_scheduled_ = true;
  detail_ = 0;
  detail_precedes_read_ = false;
  return true;
}

void Exploration::executed(const Event& event) {
  if (!is_scheduled_) return;
  is_scheduled_ = false;
  const PlannedEvent* plan = planned();
  if (plan != nullptr) follow(*plan, event);
  const bool is_new = plan == nullptr;
  const bool revisits = is_new || plan->revisits;
  const std::uint32_t at = add_step(event, plan);
  if (writes(event.kind) && graph_.newest_write(event.location) != steps_[at].id) {
    steps_[at].is_inserted = true;
    refresh_modification_order(event.location);
  }
  if (steps_[at].twin != initial && !symmetry_.follow(steps_.span(), arena_)) abandon();
  if (has_preemption_bound() && !is_abandoned_ && steps_.size() == plan_end()) cut_off_beyond_bound();
  if (is_abandoned_ || !accesses_memory(event.kind)) return;
  if (writes(event.kind) && revisits) add_revisits(at);
  if (is_new && operation_.kind == EventKind::rmw) add_revisits_of_overwritten(at);
}

/// The strategy is not asked to choose among one option, so the event is compared with the plan here.
void Exploration::follow(const PlannedEvent& plan, const Event& event) {
  if (name_of(event) != plan.name) diverge();
  if (plan.fixes_reads_from && reads(event.kind) && name_of(graph_.event(event.reads_from)) != plan.reads_from)
    abandon();
  if (plan.fixes_slot && event.kind == EventKind::store) {
    const EventId predecessor = graph_.location(event.location).modification_order[event.mo_position - 1];
    if (name_of(graph_.event(predecessor)) != plan.mo_predecessor) abandon();
  }
  if (plan.fixes_detail && plan.detail != detail_) abandon();
  if (plan.has_to_write && !writes(event.kind)) abandon();
}

std::uint32_t Exploration::add_step(const Event& event, const PlannedEvent* plan) {
  const EventId id{static_cast<std::uint32_t>(graph_.events().size()) - 1};
  const auto at = static_cast<std::uint32_t>(steps_.size());
  Step step;
  step.name = name_of(event);
  step.id = id;
  step.kind = event.kind;
  step.location = event.location;
  step.added = step.last_added = plan != nullptr ? plan->added : next_added_++;
  if (at != 0) step.last_added = std::max(step.last_added, steps_.back().last_added);
  step.detail = detail_;
  step.may_wait = waiting_steps_ != nullptr && waiting_steps_->is_step(event.thread);
  step.overtakes = plan != nullptr && plan->overtakes;
  step.detail_precedes_read = detail_precedes_read_;
  step.synchronised = link(event.synchronised);
  // If the planned choice was not offered, alternatives continue from the plan, not from what the run did instead.
  if (plan != nullptr && plan->fixes_reads_from) {
    step.source = plan->reads_from;
    step.reads_from = reads(event.kind) && !is_abandoned_ ? position(event.reads_from) : position(plan->reads_from);
  } else if (reads(event.kind)) {
    step.source = name_of(graph_.event(event.reads_from));
    step.reads_from = position(event.reads_from);
  }
  if (writes(event.kind)) {
    const auto& order = graph_.location(event.location).modification_order;
    const EventId predecessor = order[event.mo_position - 1];
    step.predecessor = name_of(graph_.event(predecessor));
    step.mo_predecessor = position(predecessor);
    step.floor = step.mo_predecessor == initial ? step.predecessor : steps_[step.mo_predecessor].floor;
  }
  if (accesses_memory(event.kind)) step.mo_position = graph_.mo_position_of(event);
  while (last_of_thread_.size() <= number(event.thread)) last_of_thread_.push_back(arena_, initial);
  step.po_previous = last_of_thread_[number(event.thread)];
  last_of_thread_[number(event.thread)] = at;
  while (positions_.size() <= number(id)) positions_.push_back(arena_, initial);
  positions_[number(id)] = at;
  step.twin = symmetry_.twin_of(step, steps_.span());
  steps_.push_back(arena_, step);
  accesses_.add(steps_.span(), arena_);
  return at;
}

/// Links the steps of the events, the newest first. Returns the position of the newest one. The arrivals of a round of
/// a barrier may be linked twice, with the leave of a thread instead of its arrival: program order leads from one to
/// the other.
std::uint32_t Exploration::link(std::span<const EventId> events) {
  std::uint32_t newest = initial;
  if (events.size() > 1) links_several_ = true;
  for (const EventId id : events) {
    const std::uint32_t at = position(id);
    if (at == initial) continue;
    std::uint32_t* place = &newest;
    while (*place != initial && *place > at) place = &steps_[*place].synchronised_before;
    steps_[at].synchronised_before = *place;
    *place = at;
  }
  return newest;
}

/// A write in an older slot changes the positions of the writes behind it.
void Exploration::refresh_modification_order(LocationId location) {
  for (Step& step : steps_)
    if (step.location == location) step.mo_position = graph_.mo_position_of(graph_.event(step.id));
}

void Exploration::add_revisits(std::uint32_t write) {
  const Step& a = steps_[write];
  list_concurrent_reads(a);
  if (readers_.empty()) return;
  const Prefix prefix(steps_.span().first(write), a, a.reads_from, arena_);
  add_allowed_revisits({Alternative::Kind::revisit, write, a.reads_from, a.source}, prefix, initial);
}

/// Adds the revisits for the case that the rmw reads a write that another rmw already reads. Only revisits that delete
/// the other rmw, or make it read from this one, lead to consistent graphs.
void Exploration::add_revisits_of_overwritten(std::uint32_t rmw) {
  const Step& a = steps_[rmw];
  list_concurrent_reads(a);
  base::ArenaVector<std::uint32_t> others;
  for (const std::uint32_t reader : readers_)
    if (steps_[reader].kind == EventKind::rmw) others.push_back(arena_, reader);
  std::sort(others.begin(), others.end(),
            [this](std::uint32_t x, std::uint32_t y) { return steps_[x].mo_position < steps_[y].mo_position; });
  for (const std::uint32_t other : others) {
    const Step& overwriter = steps_[other];
    if (waiting_steps_ != nullptr && waiting_steps_->waits_in(a.name.thread, graph_.event(overwriter.id).read))
      continue;
    const Prefix prefix(steps_.span().first(rmw), a, overwriter.reads_from, arena_);
    if (prefix.contains(other)) continue;
    add_allowed_revisits({Alternative::Kind::revisit, rmw, overwriter.reads_from, overwriter.source}, prefix, other);
  }
}

/// Lists in readers_ the reads of the location of `a`, the newest step, that po does not order before it.
void Exploration::list_concurrent_reads(const Step& a) {
  readers_.clear();
  accesses_.for_each_concurrent(steps_.span(), a, [this](std::uint32_t at) {
    if (reads(steps_[at].kind)) readers_.push_back(arena_, at);
  });
  std::sort(readers_.begin(), readers_.end());
}

/// Adds the revisit for each read of readers_ that it is allowed for. `deleted` is an event that the revisit must not
/// keep, unless it is the reader; `initial`: none.
void Exploration::add_allowed_revisits(Alternative revisit, const Prefix& prefix, std::uint32_t deleted) {
  const Steps before = steps_.span().first(revisit.position);
  std::uint32_t oldest = initial;
  const auto may_be_revisited = [&](std::uint32_t reader) {
    return !prefix.contains(reader) && (deleted == initial || reader == deleted || !prefix.keeps(deleted, reader));
  };
  for (const std::uint32_t reader : readers_)
    if (may_be_revisited(reader) && (oldest == initial || before[reader].added < before[oldest].added)) oldest = reader;
  if (oldest == initial) return;
  const Revisits revisits(before, graph_.locations().size(), prefix, oldest, arena_);
  for (const std::uint32_t reader : readers_) {
    if (!may_be_revisited(reader) || !revisits.allowed(reader)) continue;
    revisit.reader = reader;
    alternative(revisit);
  }
}

bool Exploration::waits_for_ever(ThreadId thread) const {
  if (symmetry_.has_pairs()) return false;  // porf has edges between twins, so other events may depend on the read
  std::uint32_t last = number(thread) < last_of_thread_.size() ? last_of_thread_[number(thread)] : initial;
  while (last != initial && steps_[last].kind == EventKind::fence) last = steps_[last].po_previous;
  if (last == initial || steps_[last].kind != EventKind::load) return false;
  const Step& read = steps_[last];
  for (const Step& step : steps_)
    if (step.location == read.location && writes(step.kind) && step.added < read.added &&
        step.mo_position > read.mo_position)
      return true;
  return false;
}

std::uint32_t Exploration::position(EventId id) const {
  return number(id) < positions_.size() ? positions_[number(id)] : initial;
}

std::uint32_t Exploration::position(EventName name) const {
  if (name.thread == graph::no_thread) return initial;
  for (std::uint32_t i = static_cast<std::uint32_t>(steps_.size()); i-- > 0;)
    if (steps_[i].name == name) return i;
  return initial;
}

}  // namespace heddle::exploration
