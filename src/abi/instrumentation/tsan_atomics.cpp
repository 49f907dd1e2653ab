// Atomic operations of the instrumentation, gcc's and clang's. Memory orders arrive as the numbers of the C standard's
// enumeration.
//
// The program calls an operation that reads as __tsan_NAME, which entry_thunks.cpp defines. It notes the caller's
// registers and jumps to heddle_tsan_NAME in this file.
#include "abi/instrumentation/atomic_operations.hpp"
#include "base/operand_sizes.hpp"

#define HEDDLE_EXPORTED __attribute__((visibility("default")))

// One line an entry point. a: atomic object, v: operand, e: expected value, o: memory order, f: order on failure.
// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define HEDDLE_DEFINE_ATOMICS(bytes, bits, T)                                                                    \
  T heddle_tsan_atomic##bits##_load(const volatile T* a, int o) { return load(a, o, HEDDLE_CALLER); }            \
  HEDDLE_EXPORTED void __tsan_atomic##bits##_store(volatile T* a, T v, int o) { store(a, v, o, HEDDLE_CALLER); } \
  HEDDLE_DEFINE_MODIFICATION(bits, T, exchange, Operation::atomic_exchange)                                      \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_add, Operation::atomic_add)                                          \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_sub, Operation::atomic_sub)                                          \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_and, Operation::atomic_and)                                          \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_or, Operation::atomic_or)                                            \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_xor, Operation::atomic_xor)                                          \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_nand, Operation::atomic_nand)                                        \
  int heddle_tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* e, T v, int o, int f) {               \
    return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);                              \
  }                                                                                                              \
  int heddle_tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* e, T v, int o, int f) {                 \
    return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);                                \
  }                                                                                                              \
  T heddle_tsan_atomic##bits##_compare_exchange_val(volatile T* a, T e, T v, int o, int f) {                     \
    return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);                                                 \
  }

#define HEDDLE_DEFINE_MODIFICATION(bits, T, name, operation) \
  T heddle_tsan_atomic##bits##_##name(volatile T* a, T v, int o) { return modify(a, operation, v, o, HEDDLE_CALLER); }
// NOLINTEND(bugprone-macro-parentheses)

namespace heddle::abi {

extern "C" {

HEDDLE_FOR_EACH_SIZE(HEDDLE_DEFINE_ATOMICS)

HEDDLE_EXPORTED void __tsan_atomic_thread_fence(int order) {
  if (engine::Engine* engine = running()) engine->atomics().fence(order_of(order), HEDDLE_CALLER);
}
// A signal fence orders nothing between threads, and signal handlers do not run while the program's threads do.
HEDDLE_EXPORTED void __tsan_atomic_signal_fence(int) {}

}  // extern "C"

}  // namespace heddle::abi
