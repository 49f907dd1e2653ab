// The emulator against the processor: functions of this file are called, and emulated, with random arguments.
#include "machine/emulator.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "machine/decoder.hpp"

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
  std::uint32_t dead_registers(std::uint64_t) const override { return 0; }
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

  /// As far as the emulator knows the flags.
  void expect_flags(State state, std::uint64_t native) {
    const bool carry = (native & 1U) != 0, zero = (native & 0x40U) != 0, sign = (native & 0x80U) != 0,
               overflow = (native & 0x800U) != 0, less = sign != overflow;
    const bool holds[] = {overflow, carry, zero, carry || zero, sign, (native & 4U) != 0, less, less || zero};
    for (unsigned code = 0; code < 16; ++code) {
      const std::uint8_t set_if[] = {0x0f, static_cast<std::uint8_t>(0x90 + code), 0xc0};  // to al
      State copy = state;
      copy.counter = reinterpret_cast<std::uint64_t>(set_if);
      Emulator emulator(terms_, process_, {});
      Assumptions assumptions;
      if (emulator.advance(copy, assumptions)) continue;  // not known
      EXPECT_EQ(copy.general[rax].constant & 1U, holds[code >> 1] != ((code & 1U) != 0) ? 1U : 0U) << code;
    }
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

/// Runs one instruction on the processor, with given registers and flags.
class Processor {
 public:
  struct Registers {
    std::uint64_t general[registers] = {};  ///< but rsp
    std::uint64_t flags = 0;
  };

  Processor()
      : code_(static_cast<std::uint8_t*>(
            ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Processor() { ::munmap(code_, 4096); }
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;

  /// Returns where the instruction is.
  std::uint64_t run(std::span<const std::uint8_t> instruction, Registers& state) {
    size_ = begin;
    add({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x57});  // push rbx, rbp, r12 to r15, rdi
    add({0xff, 0xb7, 8 * registers, 0, 0, 0, 0x9d});                          // push [rdi + flags]; popf
    for (unsigned i = 0; i < registers; ++i)
      if (i != rsp && i != rdi) add_move(0x8b, i, rdi);
    add_move(0x8b, rdi, rdi);
    const std::size_t at = size_;
    for (const std::uint8_t byte : instruction) add({byte});
    add({0x9c, 0x50, 0x48, 0x8b, 0x44, 0x24, 0x10});  // pushf; push rax; mov rax, [rsp + 16]
    for (unsigned i = 1; i < registers; ++i)
      if (i != rsp) add_move(0x89, i, rax);
    add({0x59, 0x48, 0x89, 0x08});                                                        // pop rcx; mov [rax], rcx
    add({0x8f, 0x80, 8 * registers, 0, 0, 0});                                            // pop [rax + flags]
    add({0x5f, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xfc, 0xc3});  // pop ...; cld; ret
    reinterpret_cast<void (*)(Registers*)>(code_ + begin)(&state);
    return reinterpret_cast<std::uint64_t>(code_ + at);
  }

 private:
  void add(std::initializer_list<std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) code_[size_++] = byte;
  }
  /// Between a register and its place behind the pointer that the base holds.
  void add_move(std::uint8_t opcode, unsigned number, unsigned base) {
    const unsigned rex = number < 8 ? 0x48 : 0x4c, modrm = 0x80 | (number & 7U) << 3 | base;
    add({static_cast<std::uint8_t>(rex), opcode, static_cast<std::uint8_t>(modrm)});
    add({static_cast<std::uint8_t>(8 * number), 0, 0, 0});
  }

  static constexpr std::size_t begin = 64;  ///< sanitizers look at the bytes before a function

  std::uint8_t* code_;
  std::size_t size_ = 0;
};

/// An instruction between registers that the emulator may know, and that the processor can run anywhere.
std::optional<Instruction> random_instruction(base::Random& random, std::vector<std::uint8_t>& bytes) {
  bytes.clear();
  const auto byte = [&] { return static_cast<std::uint8_t>(random.below(256)); };
  if (random.below(4) == 0) bytes.push_back(0x66);
  if (random.below(2) == 0) bytes.push_back(static_cast<std::uint8_t>(0x40 + random.below(16)));
  if (random.below(3) == 0) bytes.push_back(0x0f);
  bytes.push_back(byte());
  const bool computes_address = bytes.back() == 0x8d;
  bytes.push_back(static_cast<std::uint8_t>(byte() | (computes_address ? 0 : 0xc0)));
  for (int i = 0; i < 9; ++i) bytes.push_back(byte());
  const auto instruction = decode(bytes);
  if (!instruction || instruction->operation < Operation::add || instruction->operation > Operation::load_address)
    return std::nullopt;
  if (instruction->accesses_memory() || ((instruction->reads | instruction->writes) & bit_of(rsp)) != 0)
    return std::nullopt;
  bytes.resize(instruction->length);
  return instruction;
}

TEST_F(EmulatorTest, RandomInstructionsChangeRegistersAndFlagsAsOnTheProcessor) {
  constexpr unsigned carry = 1, zero = 0x40, sign = 0x80, overflow = 0x800, tested = carry | zero | sign | overflow;
  base::Random random(7, 0);
  Processor processor;
  std::vector<std::uint8_t> bytes;
  std::set<Operation> executed;
  for (int i = 0; i < 300000; ++i) {
    const auto instruction = random_instruction(random, bytes);
    if (!instruction) continue;
    SCOPED_TRACE(testing::PrintToString(bytes));
    Processor::Registers native;
    for (std::uint64_t& each : native.general) each = random.below(~std::uint64_t{0}) >> random.below(64);
    native.flags = 2U | (random.below(0x1000) & tested);
    arena_.reset();
    terms_.clear();
    State state;
    for (unsigned number = 0; number < registers; ++number) state.general[number] = {native.general[number], 0};
    state.general[rsp] = Value::undefined();
    state.flags = {.kind = Flags::Kind::known,
                   .carry = (native.flags & carry) != 0,
                   .zero = (native.flags & zero) != 0,
                   .sign = (native.flags & sign) != 0,
                   .overflow = (native.flags & overflow) != 0,
                   .a = {},
                   .b = {}};
    state.counter = processor.run(bytes, native);
    const std::uint64_t next = state.counter + instruction->length;
    Emulator emulator(terms_, process_, {});
    Assumptions assumptions;
    if (emulator.advance(state, assumptions)) continue;  // refused
    executed.insert(instruction->operation);
    EXPECT_EQ(state.counter, next);
    for (unsigned number = 0; number < registers; ++number)
      ASSERT_TRUE(number == rsp || state.general[number] == (Value{native.general[number], 0})) << number;
    expect_flags(state, native.flags);
  }
  for (auto each = Operation::add; each <= Operation::load_address;
       each = static_cast<Operation>(static_cast<unsigned>(each) + 1)) {
    const bool rotates = each >= Operation::rotate_left && each < Operation::shift_left;
    EXPECT_EQ(executed.contains(each), !rotates) << static_cast<unsigned>(each);
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
