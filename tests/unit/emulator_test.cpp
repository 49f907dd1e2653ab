// The emulator against the processor: functions of this file are called, and emulated, with random arguments.
#include "machine/emulator.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/random.hpp"

#if defined(__x86_64__)

namespace heddle::machine {
namespace {

// Sanitizers would add calls that the emulator does not follow.
#define PLAIN_CODE __attribute__((noinline, no_sanitize("address", "undefined")))

constexpr std::uint64_t table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

PLAIN_CODE std::uint64_t sums(std::uint64_t a, std::uint64_t b) {
  return 5 * a - 3 * b + (a ^ b) + (a & 255) - (b | 7);
}
PLAIN_CODE std::uint64_t narrow(std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::int8_t>(a);
  const auto y = static_cast<std::uint16_t>(b);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(x) * y + static_cast<std::int16_t>(b));
}
PLAIN_CODE std::uint64_t shifts(std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::int32_t>(a);
  return (a << 3) + (b >> 7) + static_cast<std::uint64_t>(x >> 2) + (static_cast<std::uint32_t>(b) >> 30);
}
PLAIN_CODE std::uint64_t comparisons(std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  const auto m = static_cast<std::int32_t>(a), n = static_cast<std::int32_t>(b);
  std::uint64_t result = 0;
  if (a < b) result |= 1;
  if (x < y) result |= 2;
  if (m <= n) result |= 4;
  if (static_cast<std::uint32_t>(a) >= static_cast<std::uint32_t>(b)) result |= 8;
  if (static_cast<std::uint8_t>(a) == static_cast<std::uint8_t>(b)) result |= 16;
  if (static_cast<std::int8_t>(a) > static_cast<std::int8_t>(b)) result |= 32;
  if (x < 0) result |= 64;
  if ((a & b) != 0) result |= 128;
  return result;
}
PLAIN_CODE std::uint64_t smaller(std::uint64_t a, std::uint64_t b) { return (a < b ? a : b) + (a == b ? 7 : 11); }
PLAIN_CODE std::uint64_t branches(std::uint64_t a, std::uint64_t b) {
  switch (a & 7U) {
    case 0: return b + 1;
    case 1: return b * 9;
    case 2: return ~b;
    case 3: return table[b & 7U];
    case 4: return 0 - b;
    case 5: return smaller(a, b);
    default: return sums(b, a) + comparisons(a, b);
  }
}
PLAIN_CODE std::uint64_t loop(std::uint64_t a, std::uint64_t b) {
  volatile std::uint64_t sum = a;
  for (std::uint64_t i = 0; i < (b & 15U); ++i) sum = sum + i * a;
  return sum;
}
struct Pair {
  std::uint64_t first, second;
};
PLAIN_CODE Pair swapped(const Pair& pair) { return {pair.second, pair.first}; }
PLAIN_CODE std::uint64_t copies(std::uint64_t a, std::uint64_t b) {
  volatile Pair pairs[2] = {{a, b}, {0, 0}};
  const Pair copy = swapped({pairs[0].first, pairs[0].second});
  pairs[1].first = copy.first;
  pairs[1].second = copy.second;
  return 3 * pairs[1].first + pairs[1].second;
}
PLAIN_CODE std::uint64_t mixed_sizes(std::uint64_t a, std::uint64_t b) {
  volatile std::uint32_t words[2] = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
  volatile std::uint8_t bytes[4] = {static_cast<std::uint8_t>(a), 2, static_cast<std::uint8_t>(b), 4};
  bytes[1] = static_cast<std::uint8_t>(bytes[1] + bytes[0]);
  words[0] = words[0] + 1;
  words[1] = words[1] - bytes[1];
  return words[0] * std::uint64_t{5} + words[1] + bytes[2];
}

constexpr std::uint64_t return_address = 0x1234;

class Process final : public OuterMemory {
 public:
  bool read(std::uint64_t address, void* to, std::size_t size) const override {
    std::memcpy(to, reinterpret_cast<const void*>(address), size);
    return true;
  }
  bool has_changed(std::uint64_t, std::size_t) const override { return false; }
  bool is_constant(std::uint64_t) const override { return true; }
  bool is_program_code(std::uint64_t address) const override { return address != return_address; }
};

class EmulatorTest : public testing::Test {
 protected:
  static constexpr std::uint64_t stack_floor = 0x10000, stack_top = 0x20000;

  /// The state at the first instruction of the function.
  State call(std::uint64_t (*function)(std::uint64_t, std::uint64_t), Value a, Value b) {
    State state;
    for (Value& value : state.general) value = Value::undefined();
    for (const Register each : preserved) state.general[each] = {0x7000U + each, 0};
    state.general[rdi] = a;
    state.general[rsi] = b;
    state.general[rsp] = {stack_top - 8, 0};
    state.counter = reinterpret_cast<std::uint64_t>(function);
    state.stack = {stack_floor, stack_top - 8, std::as_bytes(std::span(&return_address, 1))};
    return state;
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(1 << 20);
  base::Arena arena_{memory_};
  Terms terms_{arena_};
  Process process_;
};

TEST_F(EmulatorTest, FunctionsReturnWhatTheProcessorComputes) {
  base::Random random(1, 0);
  const auto functions = {sums, narrow, shifts, comparisons, smaller, branches, loop, copies, mixed_sizes};
  int at = 0;
  for (const auto function : functions) {
    SCOPED_TRACE(at++);
    for (int i = 0; i < 300; ++i) {
      arena_.reset();
      terms_.clear();
      // Small numbers, large ones, and equal ones.
      const std::uint64_t a = random.below(~std::uint64_t{0}) >> random.below(64);
      const std::uint64_t b = i % 7 == 0 ? a : random.below(~std::uint64_t{0}) >> random.below(64);
      Emulator emulator(terms_, process_, {});
      Assumptions assumptions;
      State state = call(function, {a, 0}, {b, 0});
      ASSERT_EQ(emulator.run(state, assumptions), Emulator::Stop::outside) << std::hex << state.counter;
      EXPECT_EQ(state.counter, return_address);
      EXPECT_EQ(state.general[rax], (Value{function(a, b), 0})) << a << " " << b;
      EXPECT_EQ(state.general[rsp], (Value{stack_top, 0}));
      for (const Register each : preserved) EXPECT_EQ(state.general[each], (Value{0x7000U + each, 0}));
      EXPECT_FALSE(assumptions.has_chosen());
    }
  }
}

TEST_F(EmulatorTest, BothAnswersToAQuestionAboutAnUnknownValueAreTried) {
  const Value unknown = terms_.fresh();
  Assumptions assumptions;
  std::vector<Value> results;
  do {
    Emulator emulator(terms_, process_, {});
    State state = call(smaller, unknown, {5, 0});
    ASSERT_EQ(emulator.run(state, assumptions), Emulator::Stop::outside);
    results.push_back(state.general[rax]);
  } while (assumptions.next_choices());
  const auto contains = [&](Value value) {
    for (const Value& each : results)
      if (each == value) return true;
    return false;
  };
  EXPECT_TRUE(contains({16, 0}));
  EXPECT_TRUE(contains(terms_.add(unknown, {11, 0})));
}

TEST_F(EmulatorTest, CodeThatDependsOnAnUndefinedRegisterIsRefused) {
  Emulator emulator(terms_, process_, {});
  Assumptions assumptions;
  State state = call(smaller, Value::undefined(), {5, 0});
  EXPECT_EQ(emulator.run(state, assumptions), Emulator::Stop::refused);
}

TEST_F(EmulatorTest, SumsAreTheSameTermHoweverTheyWereComputed) {
  const Value x = terms_.fresh();
  const Value low = terms_.low(x, 32);
  EXPECT_EQ(terms_.low(terms_.add(low, {1, 0}), 32), terms_.low(terms_.add(x, {1, 0}), 32));
  EXPECT_EQ(terms_.low(terms_.add(terms_.low(terms_.add(low, {1, 0}), 32), {~std::uint64_t{0}, 0}), 32), low);
  EXPECT_NE(terms_.add(low, {1, 0}), terms_.low(terms_.add(x, {1, 0}), 32));  // the carry
  EXPECT_EQ(terms_.apply(Operator::bit_xor, x, x, 64), Value{});
  EXPECT_FALSE(Value::undefined().is_same(Value::undefined()));
}

TEST_F(EmulatorTest, AnInstanceHasOneValueForEverySymbol) {
  const Value x = terms_.fresh(), y = terms_.fresh(), z = terms_.fresh();
  Substitution substitution;
  EXPECT_TRUE(
      terms_.is_instance(terms_.low(terms_.add(x, {1, 0}), 32), terms_.low(terms_.add(y, {1, 0}), 32), substitution));
  EXPECT_TRUE(terms_.is_instance(x, y, substitution));
  EXPECT_FALSE(terms_.is_instance(x, z, substitution));
  Substitution other;
  EXPECT_FALSE(terms_.is_instance({4, 0}, x, other));
  EXPECT_TRUE(terms_.is_instance(x, {4, 0}, other));
}

}  // namespace
}  // namespace heddle::machine

#endif
