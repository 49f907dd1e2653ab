// Atomic operations of the instrumentation, gcc's and clang's. Each entry point is one line over a template; the
// orders arrive as the numbers of the C standard's enumeration.
//
// Those that read are reached through entry_doors.cpp, which opens __tsan_NAME for every heddle_tsan_NAME here.
#include "abi/atomic_operations.hpp"

#define HEDDLE_EXPORTED __attribute__((visibility("default")))

namespace heddle::abi {

extern "C" {

// 1 byte
std::uint8_t heddle_tsan_atomic8_load(const volatile std::uint8_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
HEDDLE_EXPORTED void __tsan_atomic8_store(volatile std::uint8_t* a, std::uint8_t v, int o) {
  store(a, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_tsan_atomic8_exchange(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_tsan_atomic8_fetch_add(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_tsan_atomic8_fetch_sub(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_tsan_atomic8_fetch_and(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_tsan_atomic8_fetch_or(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_tsan_atomic8_fetch_xor(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint8_t heddle_tsan_atomic8_fetch_nand(volatile std::uint8_t* a, std::uint8_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int heddle_tsan_atomic8_compare_exchange_strong(volatile std::uint8_t* a, std::uint8_t* e, std::uint8_t v, int o,
                                                int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int heddle_tsan_atomic8_compare_exchange_weak(volatile std::uint8_t* a, std::uint8_t* e, std::uint8_t v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
std::uint8_t heddle_tsan_atomic8_compare_exchange_val(volatile std::uint8_t* a, std::uint8_t e, std::uint8_t v, int o,
                                                      int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

// 2 bytes
std::uint16_t heddle_tsan_atomic16_load(const volatile std::uint16_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
HEDDLE_EXPORTED void __tsan_atomic16_store(volatile std::uint16_t* a, std::uint16_t v, int o) {
  store(a, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_tsan_atomic16_exchange(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_tsan_atomic16_fetch_add(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_tsan_atomic16_fetch_sub(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_tsan_atomic16_fetch_and(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_tsan_atomic16_fetch_or(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_tsan_atomic16_fetch_xor(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint16_t heddle_tsan_atomic16_fetch_nand(volatile std::uint16_t* a, std::uint16_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int heddle_tsan_atomic16_compare_exchange_strong(volatile std::uint16_t* a, std::uint16_t* e, std::uint16_t v, int o,
                                                 int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int heddle_tsan_atomic16_compare_exchange_weak(volatile std::uint16_t* a, std::uint16_t* e, std::uint16_t v, int o,
                                               int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
std::uint16_t heddle_tsan_atomic16_compare_exchange_val(volatile std::uint16_t* a, std::uint16_t e, std::uint16_t v,
                                                        int o, int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

// 4 bytes
std::uint32_t heddle_tsan_atomic32_load(const volatile std::uint32_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
HEDDLE_EXPORTED void __tsan_atomic32_store(volatile std::uint32_t* a, std::uint32_t v, int o) {
  store(a, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_tsan_atomic32_exchange(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_tsan_atomic32_fetch_add(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_tsan_atomic32_fetch_sub(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_tsan_atomic32_fetch_and(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_tsan_atomic32_fetch_or(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_tsan_atomic32_fetch_xor(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint32_t heddle_tsan_atomic32_fetch_nand(volatile std::uint32_t* a, std::uint32_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int heddle_tsan_atomic32_compare_exchange_strong(volatile std::uint32_t* a, std::uint32_t* e, std::uint32_t v, int o,
                                                 int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int heddle_tsan_atomic32_compare_exchange_weak(volatile std::uint32_t* a, std::uint32_t* e, std::uint32_t v, int o,
                                               int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
std::uint32_t heddle_tsan_atomic32_compare_exchange_val(volatile std::uint32_t* a, std::uint32_t e, std::uint32_t v,
                                                        int o, int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

// 8 bytes
std::uint64_t heddle_tsan_atomic64_load(const volatile std::uint64_t* a, int o) { return load(a, o, HEDDLE_CALLER); }
HEDDLE_EXPORTED void __tsan_atomic64_store(volatile std::uint64_t* a, std::uint64_t v, int o) {
  store(a, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_tsan_atomic64_exchange(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_tsan_atomic64_fetch_add(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_tsan_atomic64_fetch_sub(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_tsan_atomic64_fetch_and(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_tsan_atomic64_fetch_or(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_tsan_atomic64_fetch_xor(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
std::uint64_t heddle_tsan_atomic64_fetch_nand(volatile std::uint64_t* a, std::uint64_t v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int heddle_tsan_atomic64_compare_exchange_strong(volatile std::uint64_t* a, std::uint64_t* e, std::uint64_t v, int o,
                                                 int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int heddle_tsan_atomic64_compare_exchange_weak(volatile std::uint64_t* a, std::uint64_t* e, std::uint64_t v, int o,
                                               int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
std::uint64_t heddle_tsan_atomic64_compare_exchange_val(volatile std::uint64_t* a, std::uint64_t e, std::uint64_t v,
                                                        int o, int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

// 16 bytes
unsigned __int128 heddle_tsan_atomic128_load(const volatile unsigned __int128* a, int o) {
  return load(a, o, HEDDLE_CALLER);
}
HEDDLE_EXPORTED void __tsan_atomic128_store(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  store(a, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_tsan_atomic128_exchange(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_exchange, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_tsan_atomic128_fetch_add(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_add, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_tsan_atomic128_fetch_sub(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_sub, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_tsan_atomic128_fetch_and(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_and, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_tsan_atomic128_fetch_or(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_or, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_tsan_atomic128_fetch_xor(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_xor, v, o, HEDDLE_CALLER);
}
unsigned __int128 heddle_tsan_atomic128_fetch_nand(volatile unsigned __int128* a, unsigned __int128 v, int o) {
  return modify(a, Operation::atomic_nand, v, o, HEDDLE_CALLER);
}
int heddle_tsan_atomic128_compare_exchange_strong(volatile unsigned __int128* a, unsigned __int128* e,
                                                  unsigned __int128 v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::strong, HEDDLE_CALLER);
}
int heddle_tsan_atomic128_compare_exchange_weak(volatile unsigned __int128* a, unsigned __int128* e,
                                                unsigned __int128 v, int o, int f) {
  return compare_exchange_object(a, e, v, o, f, Strength::weak, HEDDLE_CALLER);
}
unsigned __int128 heddle_tsan_atomic128_compare_exchange_val(volatile unsigned __int128* a, unsigned __int128 e,
                                                             unsigned __int128 v, int o, int f) {
  return compare_exchange_value(a, e, v, o, f, HEDDLE_CALLER);
}

HEDDLE_EXPORTED void __tsan_atomic_thread_fence(int order) {
  if (engine::Engine* engine = running()) engine->fence(order_of(order), HEDDLE_CALLER);
}
// Orders nothing between threads, and a thread has no signal handlers of its own here.
HEDDLE_EXPORTED void __tsan_atomic_signal_fence(int) {}

}  // extern "C"

}  // namespace heddle::abi
