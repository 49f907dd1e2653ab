#include "abi/instrumentation/entry_points.hpp"

#include <cstddef>

// Only the addresses of these functions matter here, not their types.
#define HEDDLE_FOR_EACH_OPERATION(APPLY, bits, bytes)                    \
  APPLY(atomic##bits##_load, load, bytes)                                \
  APPLY(atomic##bits##_store, store, bytes)                              \
  APPLY(atomic##bits##_exchange, modify, bytes)                          \
  APPLY(atomic##bits##_fetch_add, modify, bytes)                         \
  APPLY(atomic##bits##_fetch_sub, modify, bytes)                         \
  APPLY(atomic##bits##_fetch_and, modify, bytes)                         \
  APPLY(atomic##bits##_fetch_or, modify, bytes)                          \
  APPLY(atomic##bits##_fetch_xor, modify, bytes)                         \
  APPLY(atomic##bits##_fetch_nand, modify, bytes)                        \
  APPLY(atomic##bits##_compare_exchange_strong, compare_exchange, bytes) \
  APPLY(atomic##bits##_compare_exchange_weak, compare_exchange, bytes)   \
  APPLY(atomic##bits##_compare_exchange_val, compare_exchange_value, bytes)
#define HEDDLE_FOR_EACH_ACCESS(APPLY, bytes) \
  APPLY(read##bytes, announces_read, bytes)  \
  APPLY(write##bytes, announces_write, bytes)
#define HEDDLE_FOR_EACH_ENTRY(APPLY)      \
  HEDDLE_FOR_EACH_OPERATION(APPLY, 8, 1)  \
  HEDDLE_FOR_EACH_OPERATION(APPLY, 16, 2) \
  HEDDLE_FOR_EACH_OPERATION(APPLY, 32, 4) \
  HEDDLE_FOR_EACH_OPERATION(APPLY, 64, 8) \
  HEDDLE_FOR_EACH_ACCESS(APPLY, 1)        \
  HEDDLE_FOR_EACH_ACCESS(APPLY, 2)        \
  HEDDLE_FOR_EACH_ACCESS(APPLY, 4)        \
  HEDDLE_FOR_EACH_ACCESS(APPLY, 8)        \
  HEDDLE_FOR_EACH_ACCESS(APPLY, 16)       \
  APPLY(atomic_thread_fence, fence, 0)    \
  APPLY(atomic_signal_fence, ignored, 0)  \
  APPLY(func_entry, ignored, 0)           \
  APPLY(func_exit, ignored, 0)

#define HEDDLE_DECLARE(name, kind, size) void __tsan_##name();
extern "C" {
HEDDLE_FOR_EACH_ENTRY(HEDDLE_DECLARE)
void __assert_fail();
void abort();
}
#undef HEDDLE_DECLARE

namespace heddle::abi {

namespace {

using machine::EntryPoint;

// Lists, not expressions: parentheses would not fit. NOLINTBEGIN(bugprone-macro-parentheses)
#define HEDDLE_COUNT(name, kind, size) +1
constexpr std::size_t count = HEDDLE_FOR_EACH_ENTRY(HEDDLE_COUNT);
#undef HEDDLE_COUNT

constexpr std::size_t all = count + 2;

EntryPoint table[all];

template <typename Function>
bool is_at(std::uint64_t address, Function* function) {
  return address == reinterpret_cast<std::uint64_t>(function);
}

std::int8_t sign_of(std::uint64_t address) {
  if (is_at(address, &__tsan_atomic8_fetch_add) || is_at(address, &__tsan_atomic16_fetch_add) ||
      is_at(address, &__tsan_atomic32_fetch_add) || is_at(address, &__tsan_atomic64_fetch_add))
    return 1;
  if (is_at(address, &__tsan_atomic8_fetch_sub) || is_at(address, &__tsan_atomic16_fetch_sub) ||
      is_at(address, &__tsan_atomic32_fetch_sub) || is_at(address, &__tsan_atomic64_fetch_sub))
    return -1;
  return 0;
}

bool is_weak(std::uint64_t address) {
  return is_at(address, &__tsan_atomic8_compare_exchange_weak) ||
         is_at(address, &__tsan_atomic16_compare_exchange_weak) ||
         is_at(address, &__tsan_atomic32_compare_exchange_weak) ||
         is_at(address, &__tsan_atomic64_compare_exchange_weak);
}

void fill_table() {
  std::size_t at = 0;
#define HEDDLE_ADD(name, what, bytes) \
  table[at++] = {                     \
      .address = reinterpret_cast<std::uint64_t>(&__tsan_##name), .kind = EntryPoint::Kind::what, .size = bytes};
  HEDDLE_FOR_EACH_ENTRY(HEDDLE_ADD)
#undef HEDDLE_ADD
  // NOLINTEND(bugprone-macro-parentheses)
  for (EntryPoint& each : table) {
    each.sign = sign_of(each.address);
    each.is_weak = is_weak(each.address);
  }
  table[at++] = {reinterpret_cast<std::uint64_t>(&__assert_fail), EntryPoint::Kind::ends_program, 4};
  table[at++] = {reinterpret_cast<std::uint64_t>(&abort), EntryPoint::Kind::ends_program, 0};
  for (std::size_t i = 1; i < all; ++i)
    for (std::size_t j = i; j != 0 && table[j].address < table[j - 1].address; --j) {
      const EntryPoint greater = table[j - 1];
      table[j - 1] = table[j];
      table[j] = greater;
    }
}

}  // namespace

std::span<const machine::EntryPoint> entry_points() {
  if (table[0].address == 0) fill_table();
  return table;
}

}  // namespace heddle::abi
