// Atomic operations for the entry points of ThreadSanitizer and libatomic. While the program runs, the engine executes
// them. Before main there is one thread, and plain accesses are enough.
#pragma once

#include "abi/instrumentation/scrub.hpp"
#include "abi/start/runtime.hpp"

namespace heddle::abi {

using engine::AtomicAccess;
using engine::Operation;
using graph::MemoryOrder;

inline MemoryOrder order_of(int number) { return static_cast<MemoryOrder>((number & 7) + 1); }

template <typename T>
AtomicAccess access(const volatile T* at, int order, std::uint64_t site) {
  return {address_of(at), sizeof(T), order_of(order), site};
}

template <typename T>
T load(const volatile T* at, int order, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return *at;
  const Scrub scrub(*engine);
  return static_cast<T>(engine->atomics().load(access(at, order, site)));
}

template <typename T>
void store(volatile T* at, T value, int order, std::uint64_t site) {
  if (engine::Engine* engine = running())
    engine->atomics().store(access(at, order, site), value);
  else
    *at = value;
}

/// Applies the operation with plain accesses, for code before main.
template <typename T>
T apply_plainly(volatile T* at, Operation operation, T operand) {
  const T old = *at;
  switch (operation) {
    case Operation::atomic_exchange: *at = operand; break;
    case Operation::atomic_add: *at = static_cast<T>(old + operand); break;
    case Operation::atomic_sub: *at = static_cast<T>(old - operand); break;
    case Operation::atomic_and: *at = static_cast<T>(old & operand); break;
    case Operation::atomic_or: *at = static_cast<T>(old | operand); break;
    case Operation::atomic_xor: *at = static_cast<T>(old ^ operand); break;
    case Operation::atomic_nand: *at = static_cast<T>(~(old & operand)); break;
    default: break;
  }
  return old;
}

template <typename T>
T modify(volatile T* at, Operation operation, T operand, int order, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) return apply_plainly(at, operation, operand);
  const Scrub scrub(*engine);
  return static_cast<T>(engine->atomics().read_modify_write(access(at, order, site), operation, operand));
}

enum class Strength : bool { strong, weak };

template <typename T>
bool compare_exchange(volatile T* at, T& expected, T desired, int success, int failure, Strength strength,
                      std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) {
    const T old = *at;
    if (old != expected) {
      expected = old;
      return false;
    }
    *at = desired;
    return true;
  }
  const Scrub scrub(*engine);
  engine::Value value = expected;
  const bool succeeded = engine->atomics().compare_exchange(access(at, success, site), order_of(failure),
                                                            strength == Strength::weak, value, desired);
  if (!succeeded) expected = static_cast<T>(value);
  return succeeded;
}

/// `expected` is an object of the program, which is written if the comparison fails.
template <typename T>
int compare_exchange_object(volatile T* at, T* expected, T desired, int success, int failure, Strength strength,
                            std::uint64_t site) {
  T value = *expected;
  const bool succeeded = compare_exchange(at, value, desired, success, failure, strength, site);
  if (succeeded) return true;
  *expected = value;
  if (engine::Engine* engine = running())
    engine->plain().record_write_for_program(reinterpret_cast<std::uintptr_t>(expected), sizeof(T));
  return false;
}

template <typename T>
T compare_exchange_value(volatile T* at, T expected, T desired, int success, int failure, std::uint64_t site) {
  compare_exchange(at, expected, desired, success, failure, Strength::strong, site);
  return expected;
}

}  // namespace heddle::abi
