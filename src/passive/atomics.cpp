// The passive runtime (announcements.cpp): atomic operations of the instrumentation. The processor executes
// them, all of them sequentially consistent. Those of 16 bytes, and the functions of libatomic that compilers call,
// come from libatomic, which this library links.
#include "base/operand_sizes.hpp"

// One line an entry point. a: atomic object, v: operand, e: expected value; the memory orders are not needed.
// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define HEDDLE_DEFINE_ATOMICS(bytes, bits, T)                                                                       \
  T __tsan_atomic##bits##_load(const volatile T* a, int) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }           \
  void __tsan_atomic##bits##_store(volatile T* a, T v, int) { __atomic_store_n(a, v, __ATOMIC_SEQ_CST); }           \
  T __tsan_atomic##bits##_exchange(volatile T* a, T v, int) { return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); } \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_add)                                                                    \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_sub)                                                                    \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_and)                                                                    \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_or)                                                                     \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_xor)                                                                    \
  HEDDLE_DEFINE_MODIFICATION(bits, T, fetch_nand)                                                                   \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* e, T v, int, int) {                           \
    return compare_exchange(a, e, v);                                                                               \
  }                                                                                                                 \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* e, T v, int, int) {                             \
    return compare_exchange(a, e, v);                                                                               \
  }                                                                                                                 \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T e, T v, int, int) {                                 \
    compare_exchange(a, &e, v);                                                                                     \
    return e;                                                                                                       \
  }

#define HEDDLE_DEFINE_MODIFICATION(bits, T, name) \
  T __tsan_atomic##bits##_##name(volatile T* a, T v, int) { return __atomic_##name(a, v, __ATOMIC_SEQ_CST); }
// NOLINTEND(bugprone-macro-parentheses)

namespace {

template <typename T>
bool compare_exchange(volatile T* at, T* expected, T desired) {
  return __atomic_compare_exchange_n(at, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

HEDDLE_FOR_EACH_SIZE(HEDDLE_DEFINE_ATOMICS)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"
#pragma GCC visibility pop
