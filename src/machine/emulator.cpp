#include "machine/emulator.hpp"

#include <algorithm>

#include "machine/decoder.hpp"

namespace heddle::machine {

// ---- assumptions ---------------------------------------------------------------------------------------------

void Assumptions::give(Relation relation, unsigned bits, Value a, Value b, bool holds) {
  if (count_ == most) return;
  list_[count_++] = {a, b, relation, static_cast<std::uint8_t>(bits), holds};
  given_ = count_;
}

bool Assumptions::holds(Relation relation, unsigned bits, Value a, Value b) {
  if (a.is_known() && b.is_known()) {
    const std::uint64_t x = low_bits(a.constant, bits), y = low_bits(b.constant, bits);
    if (relation == Relation::equal) return x == y;
    return relation == Relation::less_unsigned ? x < y : signed_bits(x, bits) < signed_bits(y, bits);
  }
  if (a.is_undefined() || b.is_undefined()) {
    count_ = most;  // code that depends on it is refused
    return false;
  }
  if (a == b) return relation == Relation::equal;
  if (relation != Relation::equal && a.is_known()) {
    // Compilers write "more than 9" as well as "at least 10": both are the question whether it is less than 10.
    const std::uint64_t largest = low_bits(~std::uint64_t{0}, relation == Relation::less_signed ? bits - 1 : bits);
    const std::uint64_t number = low_bits(a.constant, bits);
    return number != largest && !holds(relation, bits, b, {low_bits(number + 1, bits), 0});
  }
  if (relation == Relation::equal && (a.term > b.term || (a.term == b.term && a.constant > b.constant)))
    std::swap(a, b);
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Assumption& known = list_[i];
    if (known.relation == relation && known.bits == bits && known.a == a && known.b == b) return known.holds;
  }
  if (is_full()) return false;
  const bool chosen = choices_ < made_ && ((script_ >> choices_) & 1U) != 0;
  if (++choices_ > made_) made_ = choices_;
  list_[count_++] = {a, b, relation, static_cast<std::uint8_t>(bits), chosen};
  return chosen;
}

/// Counts the choices up as a binary number, whose last choice is the lowest digit.
bool Assumptions::next_choices() {
  made_ = choices_;
  while (made_ != 0 && ((script_ >> (made_ - 1)) & 1U) != 0) script_ &= ~(1U << --made_);
  if (made_ == 0) return false;
  script_ |= 1U << (made_ - 1);
  count_ = given_;
  choices_ = 0;
  return true;
}

// ---- memory --------------------------------------------------------------------------------------------------

bool Emulator::load_base(const State& state, std::uint64_t address, unsigned size, Value& value) {
  const StackCopy& stack = state.stack;
  std::uint64_t bytes = 0;
  if (address >= stack.begin && address + size <= stack.end()) {
    __builtin_memcpy(&bytes, stack.bytes.data() + (address - stack.begin), size);
  } else if (stack.contains(address)) {
    value = Value::undefined();  // a frame that has not been written to
    return true;
  } else {
    const bool is_constant = memory_.is_constant(address);
    has_read_memory_ |= !is_constant;
    if (memory_.has_changed(address, size)) return false;
    if (memory_is_unknown_ && !is_constant) {
      value = terms_.memory({address, 0}, 8 * size);
      return true;
    }
    if (!memory_.read(address, &bytes, size)) return false;
  }
  value = {bytes, 0};
  return true;
}

/// The value consists of pieces of several stores. They must be known.
bool Emulator::assemble(const State& state, std::uint64_t address, unsigned size, Value& value) {
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < size; ++i) {
    Value byte;
    if (!load(state, address + i, 1, byte) || !byte.is_known()) return false;
    bytes |= byte.constant << (8 * i);
  }
  value = {bytes, 0};
  return true;
}

bool Emulator::load(const State& state, std::uint64_t address, unsigned size, Value& value) {
  for (std::uint32_t i = state.store_count; i-- > 0;) {
    const Store& store = state.stores[i];
    if (!store.overlaps(address, size)) continue;
    if (!store.contains(address, size)) return assemble(state, address, size, value);
    const Value offset{8 * (address - store.address), 0};
    value = terms_.low(terms_.apply(Operator::shift_right, store.value, offset, 64), 8 * size);
    return true;
  }
  return load_base(state, address, size, value);
}

/// At an unknown address, memory outside the stack. The address is not that of a variable of the thread that the
/// emulated code has written: see equivalence.hpp.
bool Emulator::load_at(const State& state, Value address, unsigned size, Value& value) {
  if (address.is_known()) return load(state, address.constant, size, value);
  if (!memory_is_unknown_ || address.is_undefined()) return false;
  for (std::uint32_t i = 0; i < state.store_count; ++i)
    if (!state.stack.contains(state.stores[i].address)) return false;  // the address may be that of this store
  has_read_memory_ = true;
  value = terms_.memory(address, 8 * size);
  return true;
}

bool Emulator::store(State& state, Value address, unsigned size, Value value) {
  if (!address.is_known()) return false;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < state.store_count; ++i) {
    const Store& old = state.stores[i];
    const bool is_covered = old.address >= address.constant && old.address + old.size <= address.constant + size;
    if (!is_covered) state.stores[kept++] = old;
  }
  state.store_count = kept;
  if (kept == State::most_stores) return false;
  state.stores[state.store_count++] = {address.constant, terms_.low(value, 8 * size), size};
  return true;
}

bool Emulator::push(State& state, Value value) {
  state.general[rsp] = terms_.add(state.general[rsp], {~std::uint64_t{7}, 0});
  return store(state, state.general[rsp], 8, value);
}

bool Emulator::pop(State& state, Value& value) {
  if (!load_at(state, state.general[rsp], 8, value)) return false;
  state.general[rsp] = terms_.add(state.general[rsp], {8, 0});
  return true;
}

// ---- control -------------------------------------------------------------------------------------------------

bool Emulator::jump(State& state, Value target) {
  state.counter = target.constant;
  return target.is_known();
}

const EntryPoint* find_entry(std::span<const EntryPoint> sorted_entries, std::uint64_t address) {
  const auto found = std::lower_bound(sorted_entries.begin(), sorted_entries.end(), address,
                                      [](const EntryPoint& entry, std::uint64_t at) { return entry.address < at; });
  return found != sorted_entries.end() && found->address == address ? &*found : nullptr;
}

/// A call preserves some registers. The others have unknown values after it.
bool Emulator::return_from_call(State& state, Value result) {
  Value target;
  if (!pop(state, target) || !jump(state, target)) return false;
  for (const Register each : {rcx, rdx, rsi, rdi, r8, r9, r10, r11}) state.general[each] = Value::undefined();
  for (auto& each : state.vector) each[0] = each[1] = Value::undefined();
  state.general[rax] = result;
  state.flags.kind = Flags::Kind::unknown;
  return !terms_.is_full();
}

bool Emulator::pass_entry(State& state, const EntryPoint& entry) {
  if (entry.kind != EntryPoint::Kind::ignored) {
    if (state.announcement_count == State::most_announcements) return false;
    const bool is_write = entry.kind == EntryPoint::Kind::announces_write;
    state.announcements[state.announcement_count++] = {state.general[rdi], entry.size, is_write};
  }
  return return_from_call(state, Value::undefined());
}

std::optional<Emulator::Stop> Emulator::advance(State& state, Assumptions& assumptions, std::uint64_t limit) {
  if (budget_ == 0) return Stop::refused;
  --budget_;
  assumptions_ = &assumptions;
  bool returns = false;
  if (const EntryPoint* at = entry(state)) {
    if (at->kind > EntryPoint::Kind::announces_write) return Stop::at_entry;
    if (!pass_entry(state, *at)) return Stop::refused;
    returns = true;  // perhaps from the function that has jumped there
  } else {
    if (!memory_.is_program_code(state.counter)) return Stop::outside;
    const auto instruction = decode({reinterpret_cast<const std::uint8_t*>(state.counter), Instruction::longest});
    if (!instruction || !execute(state, *instruction)) return Stop::refused;
    if (terms_.is_full() || assumptions.is_full()) return Stop::refused;
    returns = instruction->operation == Operation::ret;
  }
  if (returns && state.general[rsp].is_known() && state.general[rsp].constant > limit) return Stop::returned;
  return {};
}

Emulator::Stop Emulator::run(State& state, Assumptions& assumptions, std::uint64_t limit) {
  for (;;)
    if (const std::optional<Stop> stop = advance(state, assumptions, limit)) return *stop;
}

}  // namespace heddle::machine
