#include "machine/equivalence.hpp"

#include <cstring>

namespace heddle::machine {

namespace {

constexpr std::uint64_t word = 8;
constexpr std::uint64_t word_of(std::uint64_t address) { return address & ~(word - 1); }

using Kind = EntryPoint::Kind;

/// How many of the operation's arguments matter, and how wide each is.
unsigned argument_count(const EntryPoint& entry) {
  switch (entry.kind) {
    case Kind::ends_program: return entry.size;
    case Kind::fence: return 1;
    case Kind::load: return 2;
    case Kind::store:
    case Kind::modify: return 3;
    default: return 5;
  }
}

unsigned argument_bits(const EntryPoint& entry, unsigned argument) {
  const bool is_exchange = entry.kind == Kind::compare_exchange || entry.kind == Kind::compare_exchange_value;
  if (entry.kind == Kind::fence) return 32;
  if (entry.kind == Kind::ends_program) return argument == 2 ? 32 : 64;  // __assert_fail: the third one is the line
  if (argument == 0) return 64;
  if (entry.kind == Kind::compare_exchange && argument == 1) return 64;
  const bool is_order = is_exchange ? argument >= 3 : argument + 1 == argument_count(entry);
  return is_order ? 32 : 8U * entry.size;
}

bool same_announcements(const State& a, const State& b) {
  if (a.announcement_count != b.announcement_count) return false;
  for (std::uint32_t i = 0; i < a.announcement_count; ++i)
    if (!a.announcements[i].is_same(b.announcements[i])) return false;
  return true;
}

}  // namespace

bool Equivalence::holds(const State& a, const State& b) {
  pairs_ = 0;
  return list_differences(a, b) && shared_memory_agrees(a, b) && explore(a, b, 0);
}

bool Equivalence::holds_after_load(const State& a, const State& b) {
  pairs_ = 0;
  if (!list_differences(a, b) || !same_operation(a, b)) return false;
  const EntryPoint& entry = *emulator_.entry(a);
  path_[0] = {&a, &b};
  return entry.kind == Kind::load && explore_outcome(a, b, entry, true, 0);
}

bool Equivalence::holds_after(const State& a, const State& b, Emulator::Stop stop) {
  pairs_ = 0;
  if (!list_differences(a, b) || !same_announcements(a, b) || !shared_memory_agrees(a, b)) return false;
  if (stop == Emulator::Stop::at_entry) return explore(a, b, 0);
  return a.counter == b.counter && same_registers(a, b) && same_state(a, b);
}

bool Equivalence::list_differences(const State& a, const State& b) {
  difference_count_ = 0;
  if (!a.general[rsp].is_known() || a.general[rsp] != b.general[rsp] || a.stack.end() != b.stack.end()) return false;
  for (std::uint64_t at = word_of(a.general[rsp].constant); at < a.stack.end(); at += word) {
    const bool both = at >= a.stack.begin && at >= b.stack.begin;
    if (both && std::memcmp(a.stack.bytes.data() + (at - a.stack.begin), b.stack.bytes.data() + (at - b.stack.begin),
                            word) == 0)
      continue;
    if (difference_count_ == most_differences) return false;
    differences_[difference_count_++] = at;
  }
  return true;
}

bool Equivalence::same_word(const State& a, const State& b, std::uint64_t address) {
  Value of_a, of_b;
  if (emulator_.load(a, address, word, of_a) && emulator_.load(b, address, word, of_b)) return of_a.is_same(of_b);
  for (const std::uint64_t half : {address, address + word / 2})
    if (!emulator_.load(a, half, word / 2, of_a) || !emulator_.load(b, half, word / 2, of_b) || !of_a.is_same(of_b))
      return false;
  return true;
}

bool Equivalence::memory_agrees(const State& a, const State& b, std::uint64_t address, std::uint64_t size) {
  for (std::uint64_t at = word_of(address); at < address + size; at += word)
    if (!same_word(a, b, at)) return false;
  return true;
}

void Equivalence::watch(std::uint64_t address, std::uint64_t size) {
  if (watched_count_ == most_watched)
    watches_all_ = false;
  else
    watched_[watched_count_++] = {address, size};
}

/// What other threads can see: stores outside the stack, and announced writes to it.
bool Equivalence::shared_memory_agrees(const State& a, const State& b) {
  if (!watches_all_) return false;
  for (std::size_t i = 0; i < watched_count_; ++i)
    if (!memory_agrees(a, b, watched_[i].address, watched_[i].size)) return false;
  for (const State* each : {&a, &b}) {
    for (std::uint32_t i = 0; i < each->store_count; ++i) {
      const Store& store = each->stores[i];
      if (!each->stack.contains(store.address) && !memory_agrees(a, b, store.address, store.size)) return false;
    }
    for (std::uint32_t i = 0; i < each->announcement_count; ++i) {
      const Announcement& write = each->announcements[i];
      if (!write.is_write) continue;
      if (!write.address.is_known() || !memory_agrees(a, b, write.address.constant, write.size)) return false;
    }
  }
  return true;
}

std::uint32_t Equivalence::dead_registers(const State& a, const State& b) {
  const Value top = a.general[rsp];
  Value of_a, of_b;
  if (emulator_.entry(a) == nullptr || a.counter != b.counter || !top.is_known() || !top.is_same(b.general[rsp]))
    return 0;
  const bool returns_to_same = emulator_.load(a, top.constant, word, of_a) &&
                               emulator_.load(b, top.constant, word, of_b) && of_a.is_known() && of_a == of_b;
  return returns_to_same ? memory_.dead_registers(of_a.constant) : 0;
}

/// Whether all is the same that the code can read later, if it is at the begin of a function.
bool Equivalence::same_state(const State& a, const State& b) {
  if (!a.general[rsp].is_same(b.general[rsp]) || !a.general[rsp].is_known()) return false;
  const std::uint32_t dead = dead_registers(a, b);
  for (std::size_t i = 0; i < std::size(preserved); ++i)
    if ((dead >> i & 1U) == 0 && !a.general[preserved[i]].is_same(b.general[preserved[i]])) return false;
  const std::uint64_t top = a.general[rsp].constant;
  const auto agrees = [&](std::uint64_t at) {
    const bool is_dead = a.stack.contains(at) && at + word <= top;
    return is_dead || same_word(a, b, at);
  };
  for (std::size_t i = 0; i < difference_count_; ++i)
    if (!agrees(differences_[i])) return false;
  for (const State* each : {&a, &b})
    for (std::uint32_t i = 0; i < each->store_count; ++i) {
      const Store& store = each->stores[i];
      for (std::uint64_t at = word_of(store.address); at < store.address + store.size; at += word)
        if (!agrees(at)) return false;
    }
  return true;
}

/// Whether the particular state is the general one with values for its symbols, as far as the code can read it later.
bool Equivalence::is_instance(const State& general, const State& particular, Substitution& substitution) {
  const EntryPoint* entry = emulator_.entry(general);
  if (entry == nullptr || general.counter != particular.counter) return false;
  if (!general.general[rsp].is_same(particular.general[rsp])) return false;
  const std::uint32_t dead = dead_registers(general, particular);
  for (std::size_t i = 0; i < std::size(preserved); ++i)
    if ((dead >> i & 1U) == 0 &&
        !terms_.is_instance(general.general[preserved[i]], particular.general[preserved[i]], substitution))
      return false;
  for (unsigned i = 0; i < argument_count(*entry); ++i) {
    const unsigned bits = argument_bits(*entry, i);
    if (!terms_.is_instance(terms_.low(general.general[arguments[i]], bits),
                            terms_.low(particular.general[arguments[i]], bits), substitution))
      return false;
  }
  const std::uint64_t top = general.general[rsp].constant;
  for (const State* each : {&general, &particular})
    for (std::uint32_t i = 0; i < each->store_count; ++i) {
      const Store& store = each->stores[i];
      for (std::uint64_t at = word_of(store.address); at < store.address + store.size; at += word) {
        if (general.stack.contains(at) && at + word <= top) continue;
        for (const std::uint64_t half : {at, at + word / 2}) {
          Value before, now;
          if (!emulator_.load(general, half, word / 2, before) || !emulator_.load(particular, half, word / 2, now))
            return false;
          if (!terms_.is_instance(before, now, substitution)) return false;
        }
      }
    }
  return true;
}

bool Equivalence::same_operation(const State& a, const State& b) const {
  const EntryPoint* entry = emulator_.entry(a);
  if (entry == nullptr || a.counter != b.counter) return false;
  for (unsigned i = 0; i < argument_count(*entry); ++i) {
    const unsigned bits = argument_bits(*entry, i);
    const Register where = arguments[i];
    if (!terms_.low(a.general[where], bits).is_same(terms_.low(b.general[where], bits))) return false;
  }
  return true;
}

bool Equivalence::explore(const State& a, const State& b, unsigned depth) {
  if (!same_operation(a, b)) return false;
  const EntryPoint& entry = *emulator_.entry(a);
  if (entry.kind == Kind::compare_exchange) {
    const Value expected = a.general[arguments[1]];
    if (!expected.is_known() || !memory_agrees(a, b, expected.constant, entry.size)) return false;
  }
  if (entry.kind == Kind::ends_program) return true;
  if (same_state(a, b)) return true;
  for (unsigned i = 0; i < depth; ++i) {
    Substitution substitution;
    if (is_instance(*path_[i].a, a, substitution) && is_instance(*path_[i].b, b, substitution)) return true;
  }
  if (depth == most_depth || ++pairs_ > most_pairs) return false;
  path_[depth] = {&a, &b};
  const bool may_fail = entry.kind == Kind::compare_exchange || entry.kind == Kind::compare_exchange_value;
  return explore_outcome(a, b, entry, true, depth) && (!may_fail || explore_outcome(a, b, entry, false, depth));
}

bool Equivalence::apply(State& state, const EntryPoint& entry, bool succeeds, Value value) {
  Value result = value;
  switch (entry.kind) {
    case Kind::compare_exchange: {
      const Value expected = state.general[arguments[1]];
      if (!succeeds && !emulator_.store(state, expected, entry.size, value)) return false;
      result = {succeeds ? 1U : 0U, 0};
      break;
    }
    case Kind::compare_exchange_value:
      if (succeeds) result = state.general[arguments[1]];
      break;
    case Kind::store:
    case Kind::fence: result = Value::undefined(); break;
    default: break;
  }
  state.announcement_count = 0;
  return emulator_.return_from_call(state, result);
}

bool Equivalence::explore_outcome(const State& a, const State& b, const EntryPoint& entry, bool succeeds,
                                  unsigned depth) {
  const Value value = terms_.fresh();
  Assumptions assumptions;
  if (!succeeds && entry.kind == Kind::compare_exchange_value) {
    // It returns a value other than the expected one.
    const unsigned bits = 8U * entry.size;
    assumptions.give(Assumptions::Relation::equal, bits, terms_.low(value, bits),
                     terms_.low(a.general[arguments[1]], bits), false);
  }
  do {
    auto& next_a = *scratch_.create<State>(a);
    auto& next_b = *scratch_.create<State>(b);
    bool same = apply(next_a, entry, succeeds, value) && apply(next_b, entry, succeeds, value);
    same = same && run_both(next_a, next_b, assumptions, depth);
    if (!same) return false;
  } while (assumptions.next_choices());
  return true;
}

/// Compares the states when both have returned from the function that performed the operation: they no longer have its
/// frame, in which old values could differ.
bool Equivalence::run_both(State& a, State& b, Assumptions& assumptions, unsigned depth) {
  const std::uint64_t limit = a.general[rsp].constant;
  Emulator::Stop stop = emulator_.run(a, assumptions, limit);
  if (stop == Emulator::Stop::refused || emulator_.run(b, assumptions, limit) != stop) return false;
  if (stop == Emulator::Stop::returned) {
    if (same_announcements(a, b) && a.counter == b.counter && same_registers(a, b) && same_state(a, b)) return true;
    stop = emulator_.run(a, assumptions);
    if (stop == Emulator::Stop::refused || emulator_.run(b, assumptions) != stop) return false;
  }
  return compare_after(a, b, stop, depth);
}

bool Equivalence::compare_after(const State& a, const State& b, Emulator::Stop stop, unsigned depth) {
  if (!same_announcements(a, b) || !shared_memory_agrees(a, b)) return false;
  if (stop == Emulator::Stop::at_entry) return explore(a, b, depth + 1);
  return a.counter == b.counter && same_registers(a, b) && same_state(a, b);
}

/// Outside the emulated code every register may matter. One that is undefined in both was not set for the call.
bool Equivalence::same_registers(const State& a, const State& b) const {
  for (const Register each : {rax, rdi, rsi, rdx, rcx, r8, r9, r10, r11})
    if (a.general[each] != b.general[each]) return false;
  for (unsigned i = 0; i < registers; ++i)
    if (a.vector[i][0] != b.vector[i][0] || a.vector[i][1] != b.vector[i][1]) return false;
  return true;
}

}  // namespace heddle::machine
