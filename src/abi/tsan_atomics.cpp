// Atomic operations of the instrumentation, gcc's and clang's. Each entry point is one line over a template; the
// orders arrive as the numbers of the C standard's enumeration.
#include "abi/runtime.hpp"

namespace heddle::abi {

namespace {

using engine::AtomicAccess;
using engine::Operation;
using graph::MemoryOrder;

MemoryOrder order_of(int number) { return static_cast<MemoryOrder>((number & 7) + 1); }

template <typename T>
AtomicAccess access(const volatile T* at, int order, std::uint64_t site) {
  return {address_of(at), sizeof(T), order_of(order), site};
}

template <typename T>
T load(const volatile T* at, int order, std::uint64_t site) {
  engine::Engine* engine = running();
  return engine == nullptr ? *at : static_cast<T>(engine->load(access(at, order, site)));
}

template <typename T>
void store(volatile T* at, T value, int order, std::uint64_t site) {
  if (engine::Engine* engine = running())
    engine->store(access(at, order, site), value);
  else
    *at = value;
}

/// Before main there is one thread: plain operations do.
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
  return static_cast<T>(engine->read_modify_write(access(at, order, site), operation, operand));
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
  engine::Value value = expected;
  const bool succeeded = engine->compare_exchange(access(at, success, site), order_of(failure),
                                                  strength == Strength::weak, value, desired);
  if (!succeeded) expected = static_cast<T>(value);
  return succeeded;
}

/// `expected` is an ordinary object of the program: it is read, and written on failure.
template <typename T>
int compare_exchange_object(volatile T* at, T* expected, T desired, int success, int failure, Strength strength,
                            std::uint64_t site) {
  T value = *expected;
  const bool succeeded = compare_exchange(at, value, desired, success, failure, strength, site);
  if (!succeeded) *expected = value;
  return succeeded;
}

template <typename T>
T compare_exchange_value(volatile T* at, T expected, T desired, int success, int failure, std::uint64_t site) {
  compare_exchange(at, expected, desired, success, failure, Strength::strong, site);
  return expected;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// 1 byte
std::uint8_t __tsan_atomic8_load(const volatile std::uint8_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
void __tsan_atomic8_store(volatile std::uint8_t* a, std::uint8_t v, int o) { store(a, v, o, HEDDLE_CALLER); }
std::uint8_t __tsan_atomic8_exchange(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint8_t __tsan_atomic8_fetch_add(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint8_t __tsan_atomic8_fetch_sub(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint8_t __tsan_atomic8_fetch_and(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint8_t __tsan_atomic8_fetch_or(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint8_t __tsan_atomic8_fetch_xor(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint8_t __tsan_atomic8_fetch_nand(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int __tsan_atomic8_compare_exchange_strong(volatile std::uint8_t* a, std::uint8_t* e, std::uint8_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int __tsan_atomic8_compare_exchange_weak(volatile std::uint8_t* a, std::uint8_t* e, std::uint8_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
std::uint8_t __tsan_atomic8_compare_exchange_val(volatile std::uint8_t* a, std::uint8_t e, std::uint8_t v, int o,
                                                 int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

// 2 bytes
std::uint16_t __tsan_atomic16_load(const volatile std::uint16_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
void __tsan_atomic16_store(volatile std::uint16_t* a, std::uint16_t v, int o) { store(a, v, o, HEDDLE_CALLER); }
std::uint16_t __tsan_atomic16_exchange(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint16_t __tsan_atomic16_fetch_add(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint16_t __tsan_atomic16_fetch_sub(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint16_t __tsan_atomic16_fetch_and(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint16_t __tsan_atomic16_fetch_or(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint16_t __tsan_atomic16_fetch_xor(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint16_t __tsan_atomic16_fetch_nand(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int __tsan_atomic16_compare_exchange_strong(volatile std::uint16_t* a, std::uint16_t* e, std::uint16_t v, int o,
                                            int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int __tsan_atomic16_compare_exchange_weak(volatile std::uint16_t* a, std::uint16_t* e, std::uint16_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
std::uint16_t __tsan_atomic16_compare_exchange_val(volatile std::uint16_t* a, std::uint16_t e, std::uint16_t v, int o,
                                                   int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

// 4 bytes
std::uint32_t __tsan_atomic32_load(const volatile std::uint32_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
void __tsan_atomic32_store(volatile std::uint32_t* a, std::uint32_t v, int o) { store(a, v, o, HEDDLE_CALLER); }
std::uint32_t __tsan_atomic32_exchange(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint32_t __tsan_atomic32_fetch_add(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint32_t __tsan_atomic32_fetch_sub(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint32_t __tsan_atomic32_fetch_and(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint32_t __tsan_atomic32_fetch_or(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint32_t __tsan_atomic32_fetch_xor(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint32_t __tsan_atomic32_fetch_nand(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int __tsan_atomic32_compare_exchange_strong(volatile std::uint32_t* a, std::uint32_t* e, std::uint32_t v, int o,
                                            int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int __tsan_atomic32_compare_exchange_weak(volatile std::uint32_t* a, std::uint32_t* e, std::uint32_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
std::uint32_t __tsan_atomic32_compare_exchange_val(volatile std::uint32_t* a, std::uint32_t e, std::uint32_t v, int o,
                                                   int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

// 8 bytes
std::uint64_t __tsan_atomic64_load(const volatile std::uint64_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
void __tsan_atomic64_store(volatile std::uint64_t* a, std::uint64_t v, int o) { store(a, v, o, HEDDLE_CALLER); }
std::uint64_t __tsan_atomic64_exchange(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint64_t __tsan_atomic64_fetch_add(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint64_t __tsan_atomic64_fetch_sub(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint64_t __tsan_atomic64_fetch_and(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint64_t __tsan_atomic64_fetch_or(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint64_t __tsan_atomic64_fetch_xor(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint64_t __tsan_atomic64_fetch_nand(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int __tsan_atomic64_compare_exchange_strong(volatile std::uint64_t* a, std::uint64_t* e, std::uint64_t v, int o,
                                            int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int __tsan_atomic64_compare_exchange_weak(volatile std::uint64_t* a, std::uint64_t* e, std::uint64_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
std::uint64_t __tsan_atomic64_compare_exchange_val(volatile std::uint64_t* a, std::uint64_t e, std::uint64_t v, int o,
                                                   int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

// 16 bytes
unsigned __int128 __tsan_atomic128_load(const volatile unsigned __int128* a, int o) {
  return load(a, o, HEDDLE_CALLER);
}
void __tsan_atomic128_store(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  store(a, v, o, HEDDLE_CALLER);
}
unsigned __int128 __tsan_atomic128_exchange(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
unsigned __int128 __tsan_atomic128_fetch_add(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
unsigned __int128 __tsan_atomic128_fetch_sub(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
unsigned __int128 __tsan_atomic128_fetch_and(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
unsigned __int128 __tsan_atomic128_fetch_or(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
unsigned __int128 __tsan_atomic128_fetch_xor(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
unsigned __int128 __tsan_atomic128_fetch_nand(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int __tsan_atomic128_compare_exchange_strong(volatile unsigned __int128* a, unsigned __int128* e, unsigned __int128 v,
                                             int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int __tsan_atomic128_compare_exchange_weak(volatile unsigned __int128* a, unsigned __int128* e, unsigned __int128 v,
                                           int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
unsigned __int128 __tsan_atomic128_compare_exchange_val(volatile unsigned __int128* a, unsigned __int128 e,
                                                        unsigned __int128 v, int o, int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

void __tsan_atomic_thread_fence(int order) {
  if (engine::Engine* engine = running()) engine->fence(order_of(order), HEDDLE_CALLER);
}
// Orders nothing between threads, and a thread has no signal handlers of its own here.
void __tsan_atomic_signal_fence(int) {}

// libatomic's: what compilers call for 16 bytes where they do not instrument the operation.
unsigned __int128 __atomic_load_16(const volatile void* a, int o) {
  return load(static_cast<const volatile unsigned __int128*>(a), o, HEDDLE_CALLER);
}
void __atomic_store_16(volatile void* a, unsigned __int128 v, int o) {
  store(static_cast<volatile unsigned __int128*>(a), v, o, HEDDLE_CALLER);
}
unsigned __int128 __atomic_exchange_16(volatile void* a, unsigned __int128 v, int o) {
  return modify(static_cast<volatile unsigned __int128*>(a), Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
unsigned __int128 __atomic_fetch_add_16(volatile void* a, unsigned __int128 v, int o) {
  return modify(static_cast<volatile unsigned __int128*>(a), Operation::atomic_add, v, o, HEDDLE_CALLER);
}
unsigned __int128 __atomic_fetch_sub_16(volatile void* a, unsigned __int128 v, int o) {
  return modify(static_cast<volatile unsigned __int128*>(a), Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
unsigned __int128 __atomic_fetch_and_16(volatile void* a, unsigned __int128 v, int o) {
  return modify(static_cast<volatile unsigned __int128*>(a), Operation::atomic_and, v, o, HEDDLE_CALLER);
}
unsigned __int128 __atomic_fetch_or_16(volatile void* a, unsigned __int128 v, int o) {
  return modify(static_cast<volatile unsigned __int128*>(a), Operation::atomic_or, v, o, HEDDLE_CALLER);
}
unsigned __int128 __atomic_fetch_xor_16(volatile void* a, unsigned __int128 v, int o) {
  return modify(static_cast<volatile unsigned __int128*>(a), Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
unsigned __int128 __atomic_fetch_nand_16(volatile void* a, unsigned __int128 v, int o) {
  return modify(static_cast<volatile unsigned __int128*>(a), Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
bool __atomic_compare_exchange_16(volatile void* a, void* e, unsigned __int128 v, int o, int f) {
  return compare_exchange_object(static_cast<volatile unsigned __int128*>(a), static_cast<unsigned __int128*>(e), v, o,
                                 f, Strength::strong, HEDDLE_CALLER) != 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
