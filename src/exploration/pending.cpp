#include "exploration/pending.hpp"

#include <cstddef>

#include "exploration/revisits.hpp"

namespace heddle::exploration {

namespace {

/// Writes plans from the steps of a run.
class Planner {
 public:
  Planner(Steps steps, base::ArenaVector<PlannedEvent>& plan, base::Arena& arena)
      : steps_(steps), plan_(plan), arena_(arena) {}

  /// Plans everything before the step as it was, then the step with one decision changed.
  void change(const Alternative& change) {
    for (std::uint32_t i = 0; i < change.position; ++i) add(i);
    PlannedEvent& event = add(change.position);
    switch (change.kind) {
      case Alternative::Kind::detail:
        event.detail = change.choice;
        event.fixes_reads_from = change.keeps_reads_from;
        event.fixes_slot = false;
        event.revisits = change.reader == initial;
        break;
      case Alternative::Kind::reads_from:
        event.reads_from = change.write;
        event.fixes_detail = steps_[change.position].detail_precedes_read;
        event.revisits = true;
        break;
      case Alternative::Kind::slot: event.mo_predecessor = change.write; break;
      case Alternative::Kind::revisit: break;
    }
    // The write of a revisit stays the write of a revisit in another slot.
    if (change.reader != initial) add_reader(change.reader, change.position);
  }

  /// Plans the graph without the events that the revisit deletes, then the write, whose slot is open, then the reader.
  void revisit(const Alternative& revisit) {
    const Step& write = steps_[revisit.position];
    const Steps before = steps_.first(revisit.position);
    const Prefix prefix(before, write, revisit.choice, arena_);
    const auto stays = [&](std::uint32_t i) { return i != revisit.reader && prefix.keeps(i, revisit.reader); };
    for (std::uint32_t i = 0; i < before.size(); ++i)
      if (stays(i)) add(i).mo_predecessor = remaining_predecessor(i, stays);
    PlannedEvent& event = add(revisit.position);
    event.reads_from = revisit.write;
    // As a write the event keeps its detail. If it reads another write, the options differ and the run chooses again.
    if (write.detail_precedes_read)
      event.detail = 0;
    else
      event.fixes_detail = revisit.choice == write.reads_from;
    event.fixes_slot = false;
    event.has_to_write = true;
    add_reader(revisit.reader, revisit.position);
  }

 private:
  PlannedEvent& add(std::uint32_t position) {
    const Step& step = steps_[position];
    PlannedEvent event;
    event.name = step.name;
    event.reads_from = step.source;
    event.mo_predecessor = step.predecessor;
    event.added = step.added;
    event.detail = step.detail;
    event.overtakes = step.overtakes;
    return plan_.push_back(arena_, event);
  }

  void add_reader(std::uint32_t reader, std::uint32_t write) {
    PlannedEvent& event = add(reader);
    event.reads_from = steps_[write].name;
    event.detail = 0;
    event.fixes_detail = false;
    event.revisits = true;
    event.may_wait = steps_[reader].kind == graph::EventKind::rmw && steps_[write].kind == graph::EventKind::rmw;
  }

  /// The newest preceding write in modification order among the writes that stay and are executed earlier.
  template <typename Stays>
  EventName remaining_predecessor(std::uint32_t position, Stays stays) const {
    const Step& step = steps_[position];
    if (step.mo_predecessor == initial || stays(step.mo_predecessor)) return step.predecessor;
    std::uint32_t found = initial;
    for (std::uint32_t i = 0; i < position; ++i) {
      const Step& other = steps_[i];
      if (!writes(other.kind) || other.location != step.location || other.mo_position > step.mo_position) continue;
      if (!stays(i) || other.floor != step.floor) continue;
      if (found == initial || steps_[found].mo_position < other.mo_position) found = i;
    }
    return found == initial ? step.floor : steps_[found].name;
  }

  Steps steps_;
  base::ArenaVector<PlannedEvent>& plan_;
  base::Arena& arena_;
};

template <typename T>
std::span<const T> copy(std::span<const T> from, base::Arena& arena) {
  auto to = arena.create_array<T>(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
  return to;
}

}  // namespace

/// An event with n alternatives splits the rest of the search into n + 1 parts, which are assumed to be of equal size.
bool Pending::push(Steps steps, std::span<Alternative> alternatives) {
  for (std::size_t begin = 0, end = 0; begin < alternatives.size(); begin = end) {
    while (end < alternatives.size() && alternatives[end].position == alternatives[begin].position) ++end;
    share_ /= static_cast<double>(end - begin + 1);
    for (std::size_t i = begin; i < end; ++i) alternatives[i].share = share_;
  }
  explored_ += share_;
  if (alternatives.empty()) return true;
  const std::size_t before = arena_.used();
  const std::size_t padding = 3 * alignof(std::max_align_t);
  if (sizeof(Run) + steps.size_bytes() + alternatives.size_bytes() + padding > arena_.capacity() - before) return false;
  Run* run = arena_.create<Run>();
  *run = {top_, before, copy(steps, arena_), copy(std::span<const Alternative>(alternatives), arena_)};
  top_ = run;
  ++depth_;
  return true;
}

void Pending::clear() {
  while (top_ != nullptr) {
    arena_.rewind(top_->arena_before);
    top_ = top_->below;
  }
  depth_ = 0;
  share_ = 1;
  explored_ = 0;
}

void Pending::pop(base::ArenaVector<PlannedEvent>& plan, base::Arena& plan_arena) {
  const Alternative next = top_->alternatives.back();
  Planner planner(top_->steps, plan, plan_arena);
  if (next.kind == Alternative::Kind::revisit)
    planner.revisit(next);
  else
    planner.change(next);
  share_ = next.share;
  top_->alternatives = top_->alternatives.first(top_->alternatives.size() - 1);
  if (!top_->alternatives.empty()) return;
  const std::size_t before = top_->arena_before;
  top_ = top_->below;
  arena_.rewind(before);
  --depth_;
}

}  // namespace heddle::exploration
