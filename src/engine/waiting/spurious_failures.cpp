// Weak compare-exchanges whose spurious failure has no effect: see retry_loops.hpp.
#include <cstring>

#include "base/hash.hpp"
#include "engine/waiting/retry_loops.hpp"

namespace heddle::engine {

using graph::Event;
using machine::Emulator;
using machine::EntryPoint;

namespace {

constexpr std::uint64_t word = sizeof(std::uint64_t);
// The operations that the thread may come back to, the compare-exchange itself among them.
constexpr unsigned most_candidates = 4;
constexpr std::uint64_t kind_of_key = 0x7765616bU;

/// The memory order of a read, as the program gives it. For a compare-exchange, that of its failure.
std::uint64_t order_of(const EntryPoint& entry, const CallerRegisters& registers) {
  return registers.arguments[entry.kind == EntryPoint::Kind::load ? 1 : 4] & 0xffffffffU;
}

bool is_in(const machine::State& state, const machine::Announcement& access) {
  return access.address.is_known() && state.stack.contains(access.address.constant);
}

}  // namespace

/// What is emulated for one compare-exchange.
struct RetryLoops::Failure {
  Emulator emulator;
  machine::Equivalence equivalence;
  machine::State failed;   ///< at the next operation after the failure
  machine::State earlier;  ///< at the operation that the thread came to before
  machine::State scratch;
  /// Plain accesses outside the stack since the candidate.
  machine::Announcement accesses[2 * machine::State::most_announcements];
  std::uint32_t access_count = 0;

  Failure(machine::Terms& terms, const ProgramMemory& memory, std::span<const EntryPoint> entries, base::Arena& arena)
      : emulator(terms, memory, entries), equivalence(emulator, terms, memory, arena) {}
};

bool RetryLoops::would_fail_in_vain(ProgramThread& thread) {
  RetryWindow& window = thread.loops.retries;
  if (window.read_count == 0) return false;
  const std::uint32_t last = window.read_count - 1;
  const EntryPoint* entry = machine::find_entry(entries_, window.reads[last].registers.entry);
  if (entry == nullptr || !entry->is_weak || entry->size > word) return false;
  for (std::uint32_t from = last, tried = 0; tried < most_candidates; --from, ++tried) {
    hash_of(window.reads[from]);
    if (from != last && event_of(thread, window.reads[from]) == nullptr) return false;
    if (comes_back_to(thread, from)) return true;
    if (from == 0) break;
  }
  return false;
}

/// Whether the thread would come to the operation at position `from`, in an equivalent state.
bool RetryLoops::comes_back_to(const ProgramThread& thread, std::uint32_t from) {
  const std::uint64_t key = key_of_failure(thread, from);
  if (const Known* known = find_known(key)) {
    keep_looks({known->reads, known->read_count});
    return known->result;
  }
  memory_.forget_reads();
  // First without a look at memory: then the result depends on no more than the key.
  bool result = emulate_failure(thread, from, true);
  memory_.forget_reads();
  if (!result) result = emulate_failure(thread, from, false);
  has_noted_all_looks_ &= memory_.has_noted_all_reads();
  if (memory_.has_noted_all_reads()) {
    keep_looks(memory_.reads());
    keep(key, result);
  }
  return result;
}

/// A hash of all that the answer depends on, but for memory.
std::uint64_t RetryLoops::key_of_failure(const ProgramThread& thread, std::uint32_t from) const {
  const RetryWindow& window = thread.loops.retries;
  const std::uint32_t last = window.read_count - 1;
  std::uint64_t key = base::hash_words(kind_of_key, last - from, window.reads[last].hash);
  for (std::uint32_t i = from; i < last; ++i) {
    const Event* event = event_of(thread, window.reads[i]);
    key = base::hash_words(key, window.reads[i].hash, event == nullptr ? 0 : static_cast<std::uint64_t>(event->read));
  }
  for (std::uint32_t i = window.reads[from].writes; i < window.write_count; ++i) {
    const RetryWindow::Write& write = window.writes[i];
    std::uint64_t value = 0;
    if (write.size <= word) memory_.read(write.address, &value, write.size);
    key = base::hash_words(key, base::hash_words(write.address, write.size), value);
  }
  return key;
}

bool RetryLoops::emulate_failure(const ProgramThread& thread, std::uint32_t from, bool memory_is_unknown) {
  const RetryWindow& window = thread.loops.retries;
  const RetryWindow::Read& start = window.reads[from];
  const std::uint32_t last = window.read_count - 1;
  scratch_.reset();
  terms_.clear();
  memory_.set_changed({});
  auto& failure = *scratch_.create<Failure>(terms_, memory_, entries_, scratch_);
  failure.emulator.treat_memory_as_unknown(memory_is_unknown);
  if (!fail(thread, from, failure.emulator, failure.failed)) return false;
  failure.emulator.treat_memory_as_unknown(true);
  set_state(failure.earlier, start);
  if (failure.failed.counter != failure.earlier.counter || !has_same_accesses(thread, from, failure)) return false;
  for (std::uint32_t i = from; i < last; ++i)
    if (!understands(thread, i, failure.emulator, failure.failed)) return false;
  drop_unchanged_stores(thread, from, failure.failed);
  for (std::uint32_t i = start.writes; i < window.write_count; ++i)
    failure.equivalence.watch(window.writes[i].address, window.writes[i].size);
  return failure.equivalence.holds(failure.failed, failure.earlier) ||
         failure.equivalence.holds_after_load(failure.failed, failure.earlier);
}

/// Lets the compare-exchange fail, and emulates the code up to the next atomic operation. The state then has, as
/// stores, also what the thread has written outside its stack since the candidate.
bool RetryLoops::fail(const ProgramThread& thread, std::uint32_t from, Emulator& emulator, machine::State& state) {
  const RetryWindow& window = thread.loops.retries;
  const RetryWindow::Read& exchange = window.reads[window.read_count - 1];
  set_state(state, exchange);
  for (std::uint32_t i = window.reads[from].writes; i < window.write_count; ++i) {
    const RetryWindow::Write& write = window.writes[i];
    if (state.stack.contains(write.address)) continue;
    std::uint64_t value = 0;
    if (write.size > word || !memory_.read(write.address, &value, write.size)) return false;
    if (!emulator.store(state, {write.address, 0}, static_cast<unsigned>(write.size), {value, 0})) return false;
  }
  const EntryPoint& entry = *emulator.entry(state);
  if (!emulator.store(state, state.general[machine::arguments[1]], entry.size, {exchange.expected, 0})) return false;
  machine::Assumptions assumptions;
  return emulator.return_from_call(state, {}) && emulator.run(state, assumptions) == Emulator::Stop::at_entry &&
         !assumptions.has_chosen();
}

/// Removes stores outside the stack of what memory has held since the candidate.
void RetryLoops::drop_unchanged_stores(const ProgramThread& thread, std::uint32_t from, machine::State& state) const {
  const RetryWindow& window = thread.loops.retries;
  const auto has_written = [&](const machine::Store& store) {
    for (std::uint32_t i = window.reads[from].writes; i < window.write_count; ++i)
      if (store.overlaps(window.writes[i].address, window.writes[i].size)) return true;
    return false;
  };
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < state.store_count; ++i) {
    const machine::Store& store = state.stores[i];
    std::uint64_t real = 0;
    const bool is_same = !state.stack.contains(store.address) && store.value.is_known() && !has_written(store) &&
                         memory_.read(store.address, &real, store.size) && store.value.constant == real;
    if (!is_same) state.stores[kept++] = store;
  }
  state.store_count = kept;
}

/// Adds the plain accesses outside the stack between this read and the next. Returns false if they are not known.
bool RetryLoops::add_accesses(const ProgramThread& thread, std::uint32_t read, Failure& failure) {
  const RetryWindow& window = thread.loops.retries;
  const Event* event = event_of(thread, window.reads[read]);
  if (event == nullptr) return false;
  machine::Assumptions assumptions;
  machine::State& state = failure.scratch;
  if (!emulate_from(window.reads[read], static_cast<std::uint64_t>(event->read), failure.emulator, state, assumptions))
    return false;
  for (std::uint32_t i = 0; i < state.announcement_count; ++i) {
    if (is_in(state, state.announcements[i])) continue;
    if (failure.access_count == std::size(failure.accesses)) return false;
    failure.accesses[failure.access_count++] = state.announcements[i];
  }
  return true;
}

/// Whether every plain access outside the stack after the failure is one that the thread has made before it, and those
/// before it are shown by failures with a reason.
bool RetryLoops::has_same_accesses(const ProgramThread& thread, std::uint32_t from, Failure& failure) {
  const RetryWindow& window = thread.loops.retries;
  const std::uint32_t last = window.read_count - 1;
  for (std::uint32_t i = last; i-- > from;)
    if (!add_accesses(thread, i, failure)) return false;
  const RetryWindow::Read& start = window.reads[from];
  if (failure.access_count != 0 &&
      order_of(*failure.emulator.entry(failure.earlier), start.registers) <
          order_of(*machine::find_entry(entries_, window.reads[last].registers.entry), window.reads[last].registers))
    return false;
  bool may_look_further = from == last;
  for (std::uint32_t i = 0; i < failure.failed.announcement_count; ++i) {
    const machine::Announcement& access = failure.failed.announcements[i];
    if (is_in(failure.failed, access)) continue;
    const auto is_known = [&] {
      for (std::uint32_t k = 0; k < failure.access_count; ++k)
        if (failure.accesses[k].is_same(access)) return true;
      return false;
    };
    if (is_known()) continue;
    // The thread may have made the access before the compare-exchange that it comes back to.
    if (!may_look_further || last == 0) return false;
    may_look_further = false;
    if (!add_accesses(thread, last - 1, failure) || !understands(thread, last - 1, failure.emulator, failure.failed) ||
        !is_known())
      return false;
  }
  return true;
}

}  // namespace heddle::engine
