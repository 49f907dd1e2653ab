#include "engine/waiting/undoing_loops.hpp"

#include "engine/waiting/retry_loops.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventKind;
using graph::LocationId;
using machine::signed_bits;

namespace {

/// Of so many threads, each may have subtracted something that it is about to add again.
constexpr std::int64_t most_threads = 64;

std::int64_t signed_value(graph::Value value, std::uint32_t bits) {
  return signed_bits(static_cast<std::uint64_t>(value), bits);
}

std::int64_t added_by(const Event& event, std::uint32_t bits) { return signed_value(event.written - event.read, bits); }

/// Values beyond this might overflow with what threads have subtracted.
std::int64_t limit_of(std::uint32_t bits) { return std::int64_t{1} << (bits - 2); }

}  // namespace

// ---- the use of results --------------------------------------------------------------------------------------

void UndoingLoops::set_memory(std::span<std::byte> memory) {
  base::Arena all(memory);
  kept_ = all.create_array<Kept>(most_kept);
  scratch_ = base::Arena(memory.subspan(all.used()));
}

std::uint16_t UndoingLoops::use_of_result(ProgramThread& thread) {
  RetryWindow& window = thread.loops.retries;
  if (!is_enabled_ || kept_.empty() || window.read_count == 0) return unknown_use;
  RetryWindow::Read& addition = window.reads[window.read_count - 1];
  const std::uint64_t key = RetryLoops::hash_of(addition) | 1U;
  std::size_t at = key % most_kept;
  while (kept_[at].key != key && kept_[at].key != 0) at = (at + 1) % most_kept;
  Kept& found = kept_[at];
  if (found.key == 0) {
    if (2 * kept_count_ >= most_kept) return unknown_use;
    ++kept_count_;
    found.key = key;
    analyse(addition, found);
    can_undo_ = can_undo_ || (found.is_known && found.ways.can_undo());
  }
  return found.is_known ? static_cast<std::uint16_t>(at + first_use) : unknown_use;
}

void UndoingLoops::analyse(const RetryWindow::Read& addition, Kept& result) {
  scratch_.reset();
  terms_.clear();
  auto& emulator = *scratch_.create<machine::Emulator>(terms_, memory_, entries_);
  auto& equivalence = *scratch_.create<machine::Equivalence>(emulator, terms_, memory_, scratch_);
  auto& finder = *scratch_.create<machine::WaysOfResult>(emulator, terms_, equivalence, scratch_);
  auto& state = *scratch_.create<machine::State>();
  emulator.treat_memory_as_unknown(true);
  RetryLoops::set_state(state, addition);
  const machine::EntryPoint* entry = emulator.entry(state);
  if (entry == nullptr || entry->sign == 0) return;
  result.bits = 8U * entry->size;
  const std::uint64_t operand = addition.registers.arguments[1];
  result.added = signed_bits(entry->sign > 0 ? operand : 0 - operand, result.bits);
  result.is_known = finder.find(state, result.ways) && (result.ways.is_unused() || result.ways.can_undo());
}

const Event* UndoingLoops::undone_addition(const ProgramThread& thread) const {
  const auto& events = graph_.thread(thread.id).events;
  if (events.size() < 2) return nullptr;
  const Event& event = graph_.event(events[events.size() - 2]);
  if (!is_attempt(event)) return nullptr;
  const Kept& use = kept(event.use_of_result);
  return use.ways.way_of(signed_value(event.read, use.bits)) == machine::ResultWays::undoes ? &event : nullptr;
}

bool UndoingLoops::is_attempt(const Event& event) const {
  return event.use_of_result != unknown_use && kept(event.use_of_result).ways.can_undo();
}

bool UndoingLoops::has_undone(const ProgramThread& thread) const {
  return can_undo_ && is_enabled_ && undone_addition(thread) != nullptr;
}

bool UndoingLoops::could_go_on(const ProgramThread& thread) const {
  const Event& addition = *undone_addition(thread);
  const Kept& use = kept(addition.use_of_result);
  const graph::Value newest = graph_.event(graph_.newest_write(addition.location)).written;
  return use.ways.way_of(signed_value(newest, use.bits)) != machine::ResultWays::undoes;
}

// ---- whether the rule is exact -------------------------------------------------------------------------------

bool UndoingLoops::is_exact(base::Arena& scratch) const {
  if (!can_undo_ || !is_enabled_) return true;
  const std::size_t used = scratch.used();
  base::ArenaVector<LocationId> counters;
  for (const Event& event : graph_.events()) {
    if (event.kind != EventKind::rmw || !is_attempt(event)) continue;
    bool is_listed = false;
    for (const LocationId each : counters) is_listed = is_listed || each == event.location;
    if (!is_listed) counters.push_back(scratch, event.location);
  }
  bool is_exact = true;
  for (const LocationId each : counters) is_exact = is_exact && is_counter(each, scratch);
  scratch.rewind(used);
  return is_exact;
}

bool UndoingLoops::is_counter(LocationId location, base::Arena& scratch) const {
  Counter counter{.location = location};
  if (!set_range(counter, scratch)) return false;
  for (const Event& event : graph_.events())
    if (event.location == location && !may_access(counter, event)) return false;
  return true;
}

/// Whether the additions to the location fit together. Sets the values that it can have.
bool UndoingLoops::set_range(Counter& counter, base::Arena& scratch) const {
  base::ArenaVector<std::int64_t> sums;  // of what each thread has added
  std::int64_t initial = 0;
  std::uint32_t chains = 0;
  bool has_attempt = false;
  for (const Event& event : graph_.events()) {
    if (event.location != counter.location || event.kind != EventKind::rmw || !is_attempt(event)) continue;
    const Kept& use = kept(event.use_of_result);
    if (has_attempt && (counter.subtracts != (use.added < 0) || counter.bits != use.bits)) return false;
    has_attempt = true;
    counter.subtracts = use.added < 0;
    counter.bits = use.bits;
  }
  const std::int64_t limit = limit_of(counter.bits);
  bool gives_more_than_taken = false;
  for (const Event& event : graph_.events()) {
    if (event.location != counter.location || event.kind != EventKind::rmw) continue;
    if (graph_.event(event.reads_from).kind != EventKind::rmw) {
      initial = signed_value(event.read, counter.bits);
      ++chains;
    }
    while (sums.size() <= number(event.thread)) sums.push_back(scratch, 0);
    const std::int64_t added = added_by(event, counter.bits), value = signed_value(event.read, counter.bits);
    if (added > limit / most_threads || added < -limit / most_threads || value > limit || value < -limit) return false;
    std::int64_t& sum = sums[number(event.thread)];
    sum += added;
    gives_more_than_taken = gives_more_than_taken || (counter.subtracts ? sum > 0 : sum < 0);
  }
  counter.least = counter.subtracts || gives_more_than_taken ? -limit : initial;
  counter.most = !counter.subtracts || gives_more_than_taken ? limit : initial;
  return chains == 1 && sums.size() <= most_threads;
}

bool UndoingLoops::may_access(const Counter& counter, const Event& event) const {
  if (event.kind == EventKind::init) return true;
  if (event.kind != EventKind::rmw || event.use_of_result == unknown_use) return is_apart(event);
  const machine::ResultWays& ways = kept(event.use_of_result).ways;
  return ways.is_unused() || ways.is_monotone(counter.least, counter.most, counter.subtracts);
}

/// No thread can be in the middle of an iteration when this access is made: their accesses happen before it (a load),
/// or the threads are created after it.
bool UndoingLoops::is_apart(const Event& event) const {
  bool is_last = event.kind == EventKind::load, is_first = true;
  for (const Event& other : graph_.events()) {
    if (other.location != event.location || other.thread == event.thread || other.kind == EventKind::init) continue;
    is_last = is_last && happens_before(other, event);
    is_first = is_first && happens_before(event, graph_.event(graph_.thread(other.thread).events[0]));
  }
  return is_last || is_first;
}

}  // namespace heddle::engine
