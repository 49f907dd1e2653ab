#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "base/arena.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "base/varint.hpp"
#include "base/vector_clock.hpp"

namespace heddle::base {

namespace {

struct Memory {
  alignas(16) std::array<std::byte, 4096> bytes{};
  Arena arena{bytes};
};

const VectorClock* clock_of(Arena& arena, std::initializer_list<std::uint32_t> entries) {
  const VectorClock* clock = VectorClock::empty();
  std::uint32_t thread = 0;
  for (std::uint32_t entry : entries) clock = VectorClock::with(arena, clock, thread++, entry);
  return clock;
}

}  // namespace

TEST(Arena, AlignsEveryAllocation) {
  Memory memory;
  for (const std::size_t alignment : {1U, 2U, 4U, 8U, 16U}) {
    memory.arena.allocate(1, 1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.arena.allocate(3, alignment)) % alignment, 0U);
  }
}

TEST(Arena, GivesTheSameMemoryAgainAfterAReset) {
  Memory memory;
  void* first = memory.arena.allocate(100, 8);
  memory.arena.reset();
  EXPECT_EQ(memory.arena.used(), 0U);
  EXPECT_EQ(memory.arena.allocate(100, 8), first);
}

TEST(ArenaDeathTest, AFullArenaIsAFaultOfHeddle) {
  Memory memory;
  EXPECT_DEATH(memory.arena.allocate(5000, 1), "an arena is full");
}

TEST(ArenaVector, KeepsItsElementsWhenItGrows) {
  Memory memory;
  ArenaVector<std::uint32_t> vector;
  for (std::uint32_t i = 0; i < 100; ++i) vector.push_back(memory.arena, i);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(vector[i], i);
}

TEST(ArenaVector, InsertsAndErasesAnywhere) {
  Memory memory;
  ArenaVector<int> vector;
  vector.insert(memory.arena, 0, 3);
  vector.insert(memory.arena, 0, 1);
  vector.insert(memory.arena, 1, 2);
  vector.insert(memory.arena, 3, 4);
  EXPECT_EQ(std::vector<int>(vector.begin(), vector.end()), (std::vector<int>{1, 2, 3, 4}));
  vector.erase(0);
  vector.erase(2);
  EXPECT_EQ(std::vector<int>(vector.begin(), vector.end()), (std::vector<int>{2, 3}));
}

TEST(ArenaVector, ResizingClearsWhatWasThereBefore) {
  Memory memory;
  ArenaVector<int> vector;
  vector.push_back(memory.arena, 7);
  vector.clear();
  vector.resize(memory.arena, 3);
  EXPECT_EQ(vector[0], 0);
}

TEST(Varint, RoundTripsAtEveryLength) {
  for (int shift = 0; shift < 64; ++shift)
    for (std::uint64_t value : {std::uint64_t{1} << shift, (std::uint64_t{1} << shift) - 1,
                                std::numeric_limits<std::uint64_t>::max() >> shift}) {
      std::uint8_t bytes[max_varint_size];
      std::span<const std::uint8_t> rest(bytes, write_varint(value, bytes));
      EXPECT_EQ(read_varint(rest), value);
      EXPECT_TRUE(rest.empty());
    }
}

TEST(Varint, RefusesNumbersThatEndTooEarlyOrDoNotFit) {
  const std::uint8_t unfinished[] = {0x80, 0x80};
  std::span<const std::uint8_t> rest(unfinished);
  EXPECT_EQ(read_varint(rest), std::nullopt);
  std::uint8_t too_large[max_varint_size];
  std::fill(std::begin(too_large), std::end(too_large), std::uint8_t{0xff});
  too_large[max_varint_size - 1] = 2;
  rest = too_large;
  EXPECT_EQ(read_varint(rest), std::nullopt);
  rest = {};
  EXPECT_EQ(read_varint(rest), std::nullopt);
}

TEST(Random, DependsOnSeedAndExecutionAndOnNothingElse) {
  Random a(1, 2), b(1, 2), other_execution(1, 3), other_seed(2, 2);
  const std::uint64_t value = a.next();
  EXPECT_EQ(b.next(), value);
  EXPECT_NE(other_execution.next(), value);
  EXPECT_NE(other_seed.next(), value);
}

// A fixed seed: no chance of a false alarm. The bounds are five standard deviations.
TEST(Random, IsUniformBelowABound) {
  Random random(42);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) ++seen[random.below(7)];
  for (int count : seen) EXPECT_NEAR(count, 10000, 465);
}

TEST(Random, TheFirstNumberCanBeHadWithoutTheRest) {
  for (std::uint64_t execution = 0; execution < 100; ++execution)
    EXPECT_EQ(Random::first_below(1000, 7, execution), Random(7, execution).below(1000));
}

TEST(Random, BelowOneIsAlwaysZero) {
  Random random(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0U);
}

TEST(Hash, DependsOnTheOrderOfWords) { EXPECT_NE(hash_words(1, 2), hash_words(2, 1)); }

TEST(VectorClock, KnowsNothingBeyondItsSize) {
  Memory memory;
  EXPECT_EQ((*VectorClock::empty())[5], 0U);
  EXPECT_EQ((*clock_of(memory.arena, {1, 2}))[5], 0U);
}

TEST(VectorClock, JoiningTakesTheLargerOfEachEntry) {
  Memory memory;
  const VectorClock* joined =
      VectorClock::join(memory.arena, clock_of(memory.arena, {4, 2}), clock_of(memory.arena, {1, 6, 8}));
  EXPECT_EQ((*joined)[0], 4U);
  EXPECT_EQ((*joined)[1], 6U);
  EXPECT_EQ((*joined)[2], 8U);
}

TEST(VectorClock, JoiningCopiesOnlyWhereBothKnowSomethingNew) {
  Memory memory;
  const VectorClock* small = clock_of(memory.arena, {2, 2});
  const VectorClock* large = clock_of(memory.arena, {2, 4});
  const std::size_t used = memory.arena.used();
  EXPECT_EQ(VectorClock::join(memory.arena, small, large), large);
  EXPECT_EQ(VectorClock::join(memory.arena, large, small), large);
  EXPECT_EQ(VectorClock::join(memory.arena, VectorClock::empty(), small), small);
  EXPECT_EQ(memory.arena.used(), used);
}

TEST(VectorClock, RaisingAnEntryLeavesTheOldClockAsItWas) {
  Memory memory;
  const VectorClock* clock = clock_of(memory.arena, {2, 2});
  const VectorClock* raised = VectorClock::with(memory.arena, clock, 0, 6);
  EXPECT_EQ((*clock)[0], 2U);
  EXPECT_EQ((*raised)[0], 6U);
  EXPECT_EQ((*raised)[1], 2U);
  EXPECT_EQ(VectorClock::with(memory.arena, raised, 0, 4), raised);
}

}  // namespace heddle::base
