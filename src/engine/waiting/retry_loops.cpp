#include "engine/waiting/retry_loops.hpp"

#include <cstring>

#include "base/hash.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventKind;
using machine::Emulator;
using machine::EntryPoint;

namespace {

// Reads of the same location that are tried, the newest first.
constexpr unsigned most_candidates = 4;
constexpr std::uint32_t most_failures = 256;
// A larger stack is not copied: the program is not one of those for which a search ends.
constexpr std::size_t largest_stack = std::size_t{64} << 10;
constexpr std::uint64_t word = sizeof(std::uint64_t);

bool is_value_of_word(graph::Value value) { return static_cast<std::uint64_t>(value) == value; }

/// Registers that are not arguments of the operation hold what earlier calls have left there.
void forget_unused_arguments(const EntryPoint* entry, CallerRegisters& registers) {
  std::size_t count = std::size(registers.arguments);
  if (entry != nullptr && entry->kind == EntryPoint::Kind::load) count = 2;
  if (entry != nullptr && entry->kind == EntryPoint::Kind::modify) count = 3;
  for (; count < std::size(registers.arguments); ++count) registers.arguments[count] = 0;
}

/// Whether the first event may take the place of the second: it does not synchronise more.
bool may_stand_for(const Event& first, const Event& second) {
  if (first.location != second.location || first.size != second.size || first.order > second.order) return false;
  return !is_failed_exchange(first) || first.failed_exchange == second.failed_exchange;
}

}  // namespace

// ---- the window ----------------------------------------------------------------------------------------------

/// Neither hash is the seed of the other: a seed costs more than hashing a small stack.
std::uint64_t RetryLoops::hash_of(RetryWindow::Read& read) {
  if (read.hash == 0)
    read.hash = base::hash_words(base::hash_bytes(read.stack.data(), read.stack.size()),
                                 base::hash_bytes(&read.registers, sizeof read.registers), read.expected);
  return read.hash;
}

void RetryLoops::set_memory(std::span<std::byte> memory) {
  base::Arena all(memory);
  known_ = all.create_array<Known>(known_size);
  scratch_ = base::Arena(memory.subspan(all.used()));
}

void RetryLoops::add(ProgramThread& thread, const CallerRegisters& registers) {
  RetryWindow& window = thread.loops.retries;
  if (window.read_count == RetryWindow::most_reads) {
    // The oldest read goes. Its memory serves the newest.
    const RetryWindow::Read oldest = window.reads[0];
    for (std::uint32_t i = 1; i < RetryWindow::most_reads; ++i) window.reads[i - 1] = window.reads[i];
    window.reads[--window.read_count] = oldest;
  }
  RetryWindow::Read& read = window.reads[window.read_count++];
  if (window.with_memory < window.read_count) window.with_memory = window.read_count;
  read.registers = registers;
  const EntryPoint* entry = machine::find_entry(entries_, registers.entry);
  forget_unused_arguments(entry, read.registers);
  read.index = graph_.thread(thread.id).index;
  read.writes = window.write_count;
  const Range stack = thread.fiber.stack();
  const std::uintptr_t begin = registers.stack_pointer - word;  // with the return address
  const std::size_t size = stack.end - begin;
  if (read.capacity < size) {
    read.capacity = static_cast<std::uint32_t>(size);
    read.stack = {static_cast<std::byte*>(execution_arena_.allocate(size, word)), size};  // not initialised
  }
  read.stack = {read.stack.data(), size};
  std::memcpy(read.stack.data(), reinterpret_cast<const void*>(begin), size);
  read.stack_floor = stack.begin;
  read.expected = 0;
  if (entry != nullptr && entry->kind == EntryPoint::Kind::compare_exchange && entry->size <= word)
    std::memcpy(&read.expected, reinterpret_cast<const void*>(registers.arguments[1]), entry->size);
  read.hash = 0;  // most reads are never compared
}

/// The event that the read became, if it was a load.
const Event* RetryLoops::event_of(const ProgramThread& thread, const RetryWindow::Read& read) const {
  const auto& events = graph_.thread(thread.id).events;
  for (std::size_t i = events.size(); i-- > 0;) {
    const Event& event = graph_.event(events[i]);
    if (event.index > read.index + 2) continue;
    const bool fits = event.index == read.index + 2 && event.kind == EventKind::load && !event.failed_spuriously &&
                      event.site + 1 == read.registers.return_address && is_value_of_word(event.read);
    return fits ? &event : nullptr;
  }
  return nullptr;
}

bool RetryLoops::note(ProgramThread& thread, const CallerRegisters* registers) {
  const bool is_known = registers != nullptr && entries_.size() != 0 && scratch_.capacity() != 0 &&
                        registers->stack_pointer % word == 0 &&
                        thread.fiber.stack().end - registers->stack_pointer < largest_stack;
  if (is_known)
    add(thread, *registers);
  else
    thread.loops.retries.forget();
  return is_known;
}

std::uint64_t RetryLoops::hash_of_window(const ProgramThread& thread) const {
  const RetryWindow& window = thread.loops.retries;
  const std::uint32_t index = graph_.thread(thread.id).index;
  std::uint64_t hash = base::hash_words(window.read_count, window.write_count, window.failures);
  for (std::uint32_t i = 0; i < window.read_count; ++i) {
    RetryWindow::Read read = window.reads[i];
    hash = base::hash_words(hash, hash_of(read), index - read.index, read.writes);
  }
  for (std::uint32_t i = 0; i < window.write_count; ++i)
    hash = base::hash_words(hash, window.writes[i].address, window.writes[i].size);
  return hash;
}

bool RetryLoops::need_not_go_on(ProgramThread& thread, const CallerRegisters* registers) {
  RetryWindow& window = thread.loops.retries;
  look_count_ = 0;
  has_noted_all_looks_ = true;
  if (!note(thread, registers) || window.read_count < 3) return false;
  const RetryWindow::Read& here = window.reads[window.read_count - 1];
  const std::uint32_t last = window.read_count - 2;
  const Event* newest = event_of(thread, window.reads[last]);
  if (newest == nullptr || newest->index != here.index) return false;
  // A thread that reads the same location again and again in a loop that counts is given up. The number is a function
  // of what the thread did, as the rule demands.
  if (window.failures >= most_failures) return false;
  unsigned candidates = 0;
  for (std::uint32_t i = last; i-- > 0 && candidates < most_candidates;) {
    const Event* event = event_of(thread, window.reads[i]);
    if (event == nullptr) break;  // something happened that is not known here
    if (!may_stand_for(*event, *newest)) continue;
    if (candidates++ == 0)
      for (std::uint32_t read = 0; read < window.read_count; ++read) hash_of(window.reads[read]);
    if (would_come_here(thread, i, *newest)) return true;
    ++window.failures;
  }
  return false;
}

std::uint64_t RetryLoops::hash_of_operands(const CallerRegisters* registers) const {
  if (registers == nullptr) return 0;
  const EntryPoint* entry = machine::find_entry(entries_, registers->entry);
  if (entry == nullptr) return 0;
  const auto operand = [&](unsigned argument) {
    return machine::low_bits(registers->arguments[argument], 8U * entry->size);
  };
  switch (entry->kind) {
    case EntryPoint::Kind::modify: return operand(1);
    case EntryPoint::Kind::compare_exchange: return operand(2);
    case EntryPoint::Kind::compare_exchange_value: return base::hash_words(operand(1), operand(2));
    default: return 0;
  }
}

// ---- emulation -----------------------------------------------------------------------------------------------

void RetryLoops::set_state(machine::State& state, const RetryWindow::Read& read) {
  state = {};
  for (machine::Value& value : state.general) value = machine::Value::undefined();
  for (auto& value : state.vector) value[0] = value[1] = machine::Value::undefined();
  for (std::size_t i = 0; i < std::size(machine::preserved); ++i)
    state.general[machine::preserved[i]] = {read.registers.preserved[i], 0};
  for (std::size_t i = 0; i < std::size(read.registers.arguments); ++i)
    state.general[machine::arguments[i]] = {read.registers.arguments[i], 0};
  state.general[machine::rsp] = {read.registers.stack_pointer - word, 0};
  state.counter = read.registers.entry;
  state.stack = {read.stack_floor, read.registers.stack_pointer - word, read.stack};
}

/// Lets the read return, with this value, and emulates the code up to the next atomic operation. Returns false if that
/// is not possible.
bool RetryLoops::emulate_from(const RetryWindow::Read& read, std::uint64_t value, Emulator& emulator,
                              machine::State& state, machine::Assumptions& assumptions) {
  set_state(state, read);
  const EntryPoint* entry = emulator.entry(state);
  if (entry == nullptr || entry->size > word) return false;
  machine::Value result{value, 0};
  switch (entry->kind) {
    case EntryPoint::Kind::load: break;
    case EntryPoint::Kind::compare_exchange_value:
      if (machine::low_bits(read.registers.arguments[1], 8U * entry->size) == value) return false;  // it succeeds
      break;
    case EntryPoint::Kind::compare_exchange:
      if (read.expected == value) return false;
      if (!emulator.store(state, state.general[machine::arguments[1]], entry->size, result)) return false;
      result = {};
      break;
    default: return false;
  }
  return emulator.return_from_call(state, result) && emulator.run(state, assumptions) == Emulator::Stop::at_entry;
}

/// Whether it is known what the thread did between this read and the next: the emulated code comes to the next read
/// without a question that memory has to answer. So the thread called no code that is not emulated. What it wrote
/// outside its stack, the state `instead` must have written, too.
bool RetryLoops::understands(const ProgramThread& thread, std::uint32_t read, Emulator& emulator,
                             const machine::State& instead) {
  const RetryWindow& window = thread.loops.retries;
  const RetryWindow::Read& next = window.reads[read + 1];
  const Event* event = event_of(thread, window.reads[read]);
  if (event == nullptr) return false;
  auto& state = *scratch_.create<machine::State>();
  machine::Assumptions assumptions;
  memory_.set_changed({});
  const bool arrives =
      emulate_from(window.reads[read], static_cast<std::uint64_t>(event->read), emulator, state, assumptions);
  machine::Value return_address;
  if (!arrives || assumptions.has_chosen() || state.counter != next.registers.entry) return false;
  if (state.general[machine::rsp] != machine::Value{next.registers.stack_pointer - word, 0}) return false;
  if (!emulator.load(state, next.registers.stack_pointer - word, word, return_address)) return false;
  if (return_address != machine::Value{next.registers.return_address, 0}) return false;
  for (std::uint32_t i = 0; i < state.store_count; ++i) {
    const machine::Store& store = state.stores[i];
    if (!state.stack.contains(store.address) && !instead.has_stored(store.address, store.size)) return false;
  }
  return true;
}

/// Whether every plain access outside the stack between this read and the next is one that the state `instead` has made
/// since its read, too.
bool RetryLoops::makes_accesses_of(const ProgramThread& thread, std::uint32_t read, Emulator& emulator,
                                   const machine::State& instead) {
  const RetryWindow::Read& from = thread.loops.retries.reads[read];
  const Event* event = event_of(thread, from);
  auto& state = *scratch_.create<machine::State>();
  machine::Assumptions assumptions;
  if (event == nullptr || !emulate_from(from, static_cast<std::uint64_t>(event->read), emulator, state, assumptions))
    return false;
  for (std::uint32_t i = 0; i < state.announcement_count; ++i) {
    const machine::Announcement& access = state.announcements[i];
    if (access.address.is_known() && state.stack.contains(access.address.constant)) continue;
    bool is_made = false;
    for (std::uint32_t k = 0; k < instead.announcement_count; ++k)
      is_made = is_made || instead.announcements[k].is_same(access);
    if (!is_made) return false;
  }
  return true;
}

/// The emulated iteration must have written all that the thread has written since the read, and the same values.
/// Removes these stores from the state.
bool RetryLoops::drop_outer_stores(const ProgramThread& thread, std::uint32_t from, machine::State& state) const {
  const RetryWindow& window = thread.loops.retries;
  for (std::uint32_t i = window.reads[from].writes; i < window.write_count; ++i) {
    const RetryWindow::Write& write = window.writes[i];
    if (!state.stack.contains(write.address) && !state.has_stored(write.address, write.size)) return false;
  }
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < state.store_count; ++i) {
    const machine::Store& store = state.stores[i];
    if (state.stack.contains(store.address)) {
      state.stores[kept++] = store;
      continue;
    }
    std::uint64_t real = 0;
    if (!store.value.is_known() || !memory_.read(store.address, &real, store.size) || store.value.constant != real)
      return false;
  }
  state.store_count = kept;
  return true;
}

/// Whether one of the window's plain writes, from this one on, is not to the thread's own stack.
bool RetryLoops::has_written_outside(const ProgramThread& thread, std::uint32_t first) {
  const Range stack = thread.fiber.stack();
  for (std::uint32_t i = first; i < thread.loops.retries.write_count; ++i)
    if (!stack.contains(thread.loops.retries.writes[i].address)) return true;
  return false;
}

RetryLoops::Iteration RetryLoops::emulate_iteration(const ProgramThread& thread, std::uint32_t from,
                                                    std::uint64_t value, bool memory_is_unknown,
                                                    bool& has_read_no_memory) {
  const RetryWindow& window = thread.loops.retries;
  const RetryWindow::Read& start = window.reads[from];
  const std::uint32_t last = window.read_count - 1;
  scratch_.reset();
  terms_.clear();
  auto& emulator = *scratch_.create<Emulator>(terms_, memory_, entries_);
  auto& equivalence = *scratch_.create<machine::Equivalence>(emulator, terms_, memory_, scratch_);
  auto& emulated = *scratch_.create<machine::State>();
  auto& original = *scratch_.create<machine::State>();
  auto& real = *scratch_.create<machine::State>();
  auto& assumptions = *scratch_.create<machine::Assumptions>();
  memory_.set_changed({window.writes + start.writes, window.write_count - start.writes});
  emulator.treat_memory_as_unknown(memory_is_unknown);
  const bool arrives = emulate_from(start, value, emulator, emulated, assumptions) && !assumptions.has_chosen();
  memory_.set_changed({});
  has_read_no_memory = !emulator.has_read_memory() && !has_written_outside(thread, start.writes);
  if (!arrives) return Iteration::differs;
  original = emulated;
  if (!drop_outer_stores(thread, from, emulated)) return Iteration::differs;
  emulator.treat_memory_as_unknown(true);
  set_state(real, window.reads[last]);
  for (std::uint32_t i = start.writes; i < window.write_count; ++i)  // announced writes to the stack
    if (emulated.stack.contains(window.writes[i].address) &&
        !equivalence.memory_agrees(emulated, real, window.writes[i].address, window.writes[i].size))
      return Iteration::differs;
  if (!equivalence.holds(emulated, real)) return Iteration::differs;
  for (std::uint32_t i = from; i < last; ++i)
    if (!understands(thread, i, emulator, original) || !makes_accesses_of(thread, i, emulator, original))
      return Iteration::not_understood;
  return Iteration::comes_here;
}

/// Whether the read at position `from`, if it had returned what the newest event read, would have brought the thread to
/// where it is. Most loops that count come to another state, whatever they read in between. So that answer has a key of
/// its own, without these values.
bool RetryLoops::would_come_here(const ProgramThread& thread, std::uint32_t from, const Event& newest) {
  const RetryWindow& window = thread.loops.retries;
  const auto value = static_cast<std::uint64_t>(newest.read);
  const std::uint32_t last = window.read_count - 1;
  std::uint64_t ends = base::hash_words(value, window.reads[from].hash, window.reads[last].hash);
  for (std::uint32_t i = window.reads[from].writes; i < window.write_count; ++i)
    ends = base::hash_words(ends, window.writes[i].address, window.writes[i].size);
  const bool writes = has_written_outside(thread, window.reads[from].writes);
  if (const Known* known = writes ? nullptr : find_known(ends)) {
    keep_looks({known->reads, known->read_count});
    return false;
  }
  std::uint64_t all = base::hash_words(ends, last - from);
  for (std::uint32_t i = from; i < last; ++i) {
    const Event* event = event_of(thread, window.reads[i]);
    all = base::hash_words(all, window.reads[i].hash, event == nullptr ? 0 : static_cast<std::uint64_t>(event->read));
  }
  if (const Known* known = writes ? nullptr : find_known(all)) {
    keep_looks({known->reads, known->read_count});
    return known->result;
  }
  // First without a look at memory: then the result holds for all executions.
  bool holds_always = false;
  Iteration result = Iteration::differs;
  if (!writes) result = emulate_iteration(thread, from, value, true, holds_always);
  holds_always |= result == Iteration::comes_here;
  memory_.forget_reads();
  if (!holds_always) {
    bool has_read_no_memory = false;
    result = emulate_iteration(thread, from, value, false, has_read_no_memory);
    has_noted_all_looks_ &= memory_.has_noted_all_reads();
    if (memory_.has_noted_all_reads()) keep_looks(memory_.reads());
  }
  if (holds_always || (!writes && memory_.has_noted_all_reads()))
    keep(result == Iteration::differs ? ends : all, result == Iteration::comes_here);
  return result == Iteration::comes_here;
}

void RetryLoops::keep_looks(std::span<const ProgramMemory::Read> reads) {
  for (const ProgramMemory::Read& read : reads) {
    if (look_count_ == most_looks) {
      has_noted_all_looks_ = false;
      return;
    }
    looks_[look_count_++] = read;
  }
}

const RetryLoops::Known* RetryLoops::find_known(std::uint64_t key) const {
  const Known& known = known_[key % known_.size()];
  if (known.key != key) return nullptr;
  for (std::uint32_t i = 0; i < known.read_count; ++i) {
    const ProgramMemory::Read& read = known.reads[i];
    std::uint64_t now = 0;
    if (!memory_.read(read.address, &now, read.size) || now != read.value) return nullptr;
  }
  return &known;
}

void RetryLoops::keep(std::uint64_t key, bool result) {
  Known& known = known_[key % known_.size()];
  known = {};
  known.key = key;
  known.result = result;
  for (const ProgramMemory::Read& read : memory_.reads()) known.reads[known.read_count++] = read;
}

}  // namespace heddle::engine
