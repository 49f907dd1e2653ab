#include "exploration/pending.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "exploration/revisits.hpp"

namespace heddle::exploration {

namespace {

/// Writes plans from the steps of a run.
class Planner {
 public:
  /// `kept` steps at most are left out of the plan, because the run begins with them anyway.
  Planner(Steps steps, std::uint32_t kept, base::ArenaVector<PlannedEvent>& plan, base::Arena& arena)
      : steps_(steps), kept_(kept), plan_(plan), arena_(arena) {}

  /// How many of the steps the graph of the plan begins with, and how many of these are left out.
  std::uint32_t unchanged() const { return unchanged_; }
  std::uint32_t kept() const { return std::min(kept_, unchanged_); }

  /// Plans everything before the step as it was, then the step with one decision changed.
  void change(const Alternative& change) {
    unchanged_ = change.position;
    for (std::uint32_t i = kept(); i < change.position; ++i) add(i);
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
    while (unchanged_ < before.size() && stays(unchanged_)) ++unchanged_;
    for (std::uint32_t i = kept(); i < before.size(); ++i)
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
    event.may_wait = steps_[reader].kind == graph::EventKind::rmw;
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
  std::uint32_t kept_;
  std::uint32_t unchanged_ = 0;
  base::ArenaVector<PlannedEvent>& plan_;
  base::Arena& arena_;
};

void write_plan(Planner& planner, const Alternative& next) {
  if (next.kind == Alternative::Kind::revisit)
    planner.revisit(next);
  else
    planner.change(next);
}

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
  explored_.add(share_);
  if (alternatives.empty()) return true;
  const std::size_t before = arena_.used();
  const std::size_t padding = 3 * alignof(std::max_align_t);
  if (sizeof(Run) + steps.size_bytes() + alternatives.size_bytes() + padding > arena_.capacity() - before) return false;
  Run* run = arena_.create<Run>();
  const auto shared = static_cast<std::uint32_t>(steps.size());
  *run = {top_, before, copy(steps, arena_), copy(std::span<const Alternative>(alternatives), arena_), shared};
  top_ = run;
  ++depth_;
  return true;
}

void Pending::clear() {
  arena_.reset();
  top_ = nullptr;
  branches_ = {};
  depth_ = 0;
  share_ = 1;
  explored_ = {};
}

bool Pending::load(Bytes subtree) {
  clear();
  std::size_t count = 0;
  for (Bytes left = subtree; !left.empty(); ++count)
    if (!split_branch(left)) return false;
  const std::size_t padding = 2 * alignof(std::max_align_t);
  if (subtree.size() + count * sizeof(Bytes) + padding > arena_.capacity()) return false;
  Bytes left = copy(subtree, arena_);
  const auto branches = arena_.create_array<Bytes>(count);
  for (Bytes& branch : branches) branch = *split_branch(left);
  branches_ = branches;
  return true;
}

bool Pending::pop(base::ArenaVector<PlannedEvent>& plan, base::Arena& plan_arena, std::uint32_t& kept) {
  if (top_ == nullptr) {
    kept = 0;
    const auto share = read_branch(branches_.back(), plan, plan_arena);
    branches_ = branches_.first(branches_.size() - 1);
    share_ = share.value_or(0);
    return share.has_value();
  }
  const Alternative next = top_->alternatives.back();
  top_->shared = std::min(top_->shared, kept);
  Planner planner(top_->steps, top_->shared, plan, plan_arena);
  write_plan(planner, next);
  kept = planner.kept();
  top_->shared = planner.unchanged();
  share_ = next.share;
  top_->alternatives = top_->alternatives.first(top_->alternatives.size() - 1);
  if (!top_->alternatives.empty()) return true;
  const std::size_t before = top_->arena_before;
  const std::uint32_t shared = top_->shared;
  top_ = top_->below;
  if (top_ != nullptr) top_->shared = std::min(top_->shared, shared);
  arena_.rewind(before);
  --depth_;
  return true;
}

double Pending::share_left() const {
  double share = 0;
  for (const Bytes& branch : branches_) share += share_of_branch(branch);
  for (const Run* run = top_; run != nullptr; run = run->below)
    for (const Alternative& alternative : run->alternatives) share += alternative.share;
  return share;
}

Pending::Gift Pending::give(std::size_t least, std::span<std::uint8_t> out, base::Arena& scratch) {
  const Gift gift = take_from_bottom(least, out, scratch);
  if (gift.branches != 0) close_gap();
  return gift;
}

Pending::Gift Pending::take_from_bottom(std::size_t least, std::span<std::uint8_t> out, base::Arena& scratch) {
  const double half = share_left() / 2;
  Gift gift;
  std::size_t left = branches_.size();
  base::ArenaVector<Run*> runs;  // from the top to the bottom
  for (Run* run = top_; run != nullptr; run = run->below) {
    runs.push_back(scratch, run);
    left += run->alternatives.size();
  }
  const auto wants = [&](double share) { return left > 1 && (gift.branches < least || gift.share + share <= half); };
  const auto note = [&](double share, std::size_t size) {
    gift.share += share;
    gift.size += size;
    ++gift.branches;
    --left;
  };
  while (!branches_.empty()) {
    const Bytes branch = branches_.front();
    if (!wants(share_of_branch(branch)) || branch.size() > out.size() - gift.size) return gift;
    std::memcpy(out.data() + gift.size, branch.data(), branch.size());
    note(share_of_branch(branch), branch.size());
    branches_ = branches_.subspan(1);
  }
  for (std::size_t at = runs.size(); at-- > 0;) {
    Run& run = *runs[at];
    while (!run.alternatives.empty()) {
      const Alternative& next = run.alternatives.front();
      if (!wants(next.share)) return gift;
      base::ArenaVector<PlannedEvent> plan;
      Planner planner(run.steps, 0, plan, scratch);
      write_plan(planner, next);
      const std::size_t size = write_branch({next.share, plan.span()}, out.subspan(gift.size));
      if (size == 0) return gift;
      note(next.share, size);
      run.alternatives = run.alternatives.subspan(1);
    }
    --depth_;  // close_gap() frees its memory
    runs[at - 1]->below = nullptr;
  }
  return gift;
}

/// Runs that were given away leave a gap at the beginning of the arena. If it has become large, moves everything there.
void Pending::close_gap() {
  constexpr std::size_t large = std::size_t{1} << 20;
  if (top_ == nullptr || !branches_.empty()) return;
  const Run* lowest = top_;
  while (lowest->below != nullptr) lowest = lowest->below;
  const std::size_t gap = lowest->arena_before & ~(alignof(std::max_align_t) - 1);
  if (gap < large || gap < arena_.used() / 2) return;
  const std::span<std::byte> memory = arena_.memory_in_use();
  std::memmove(memory.data(), memory.data() + gap, memory.size() - gap);
  arena_.rewind(memory.size() - gap);
  const auto moved = [gap]<typename T>(T* at) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(at) - gap);
  };
  top_ = moved(top_);
  for (Run* run = top_; run != nullptr; run = run->below) {
    if (run->below != nullptr) run->below = moved(run->below);
    run->arena_before -= gap;
    run->steps = {moved(run->steps.data()), run->steps.size()};
    run->alternatives = {moved(run->alternatives.data()), run->alternatives.size()};
  }
}

}  // namespace heddle::exploration
