#include "engine/isolation/heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace heddle::engine {

namespace {

/// The heap lives at a fixed address: one for all tests, reset between them.
class HeapTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    heap = std::make_unique<Heap>();
    heap->initialise();
    at_start = heap->allocate(0, 40, 16, 0);
    std::memset(at_start, 1, 40);
    heap->take_snapshot(snapshot, arena);
  }
  void TearDown() override { reset(); }
  static void reset() {
    heap->reset();
    snapshot.restore();
  }

  static inline std::byte memory[4096];
  static inline base::Arena arena{memory};
  static inline Snapshot snapshot;
  static inline std::unique_ptr<Heap> heap;
  static inline void* at_start = nullptr;
};

}  // namespace

TEST_F(HeapTest, AddressesDependOnTheThreadsOwnAllocationsOnly) {
  void* first = heap->allocate(1, 24, 16, 0);
  void* second = heap->allocate(1, 100, 16, 0);
  reset();
  heap->allocate(2, 24, 16, 0);  // another thread comes first this time
  EXPECT_EQ(heap->allocate(1, 24, 16, 0), first);
  heap->allocate(2, 4096, 16, 0);
  EXPECT_EQ(heap->allocate(1, 100, 16, 0), second);
}

TEST_F(HeapTest, AFreedBlockIsHandedOutAgainByTheThreadThatFreedIt) {
  void* block = heap->allocate(1, 24, 16, 0);
  EXPECT_EQ(heap->release(2, block, Reuse::at_once), FreeResult::freed);
  EXPECT_NE(heap->allocate(1, 24, 16, 0), block);
  EXPECT_EQ(heap->allocate(2, 20, 16, 0), block);
}

TEST_F(HeapTest, WithoutReuseAFreedBlockStaysFreed) {
  void* block = heap->allocate(1, 24, 16, 0);
  EXPECT_EQ(heap->release(1, block, Reuse::never), FreeResult::freed);
  EXPECT_NE(heap->allocate(1, 24, 16, 0), block);
  EXPECT_EQ(heap->release(1, block, Reuse::never), FreeResult::already_free);
}

TEST_F(HeapTest, WithLateReuseABlockComesBackWhenEnoughOthersWereFreed) {
  constexpr std::size_t size = 1000;
  void* block = heap->allocate(1, size, 16, 0);
  std::memset(block, 7, size);
  EXPECT_EQ(heap->release(1, block, Reuse::late), FreeResult::freed);
  std::size_t others = 0;
  while (others * size < 4 * Heap::quarantine_size) {
    void* other = heap->allocate(1, size, 16, 0);
    if (other == block) break;
    EXPECT_EQ(static_cast<char*>(block)[0], 7);
    EXPECT_EQ(heap->release(1, other, Reuse::late), FreeResult::freed);
    ++others;
  }
  EXPECT_NEAR(static_cast<double>(others * (size + 24)), Heap::quarantine_size, 4 * size);
}

TEST_F(HeapTest, LateReuseBoundsWhatIsTaken) {
  std::uintptr_t lowest = ~std::uintptr_t{0};
  std::uintptr_t highest = 0;
  for (int i = 0; i < 200000; ++i) {
    auto* block = static_cast<char*>(heap->allocate(1, 40, 16, 0));
    lowest = std::min(lowest, reinterpret_cast<std::uintptr_t>(block));
    highest = std::max(highest, reinterpret_cast<std::uintptr_t>(block));
    heap->release(1, block, Reuse::late);
  }
  EXPECT_LT(highest - lowest, Heap::quarantine_size + 4096);
}

TEST_F(HeapTest, WhatOneThreadAllocatesAndAnotherFreesComesBackInTheEnd) {
  for (const Reuse reuse : {Reuse::at_once, Reuse::late}) {
    std::uintptr_t lowest = ~std::uintptr_t{0};
    std::uintptr_t highest = 0;
    for (int i = 0; i < 400000; ++i) {
      auto* block = static_cast<char*>(heap->allocate(1, 40, 16, 0));
      lowest = std::min(lowest, reinterpret_cast<std::uintptr_t>(block));
      highest = std::max(highest, reinterpret_cast<std::uintptr_t>(block));
      heap->release(2, block, reuse);
    }
    EXPECT_LT(highest - lowest, 3 * Heap::quarantine_size);
    reset();
  }
}

TEST_F(HeapTest, WhatIsNoBlockIsRecognised) {
  auto* block = static_cast<char*>(heap->allocate(1, 64, 16, 0));
  int local = 0;
  EXPECT_EQ(heap->release(1, &local, Reuse::at_once), FreeResult::not_a_block);
  EXPECT_EQ(heap->release(1, block + 16, Reuse::at_once), FreeResult::not_a_block);
  EXPECT_EQ(heap->size_of(block + 8), 0U);
}

TEST_F(HeapTest, EveryAlignmentIsKept) {
  for (std::size_t alignment = 16; alignment <= 65536; alignment *= 2)
    for (std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{100000}}) {
      void* block = heap->allocate(3, size, alignment, 0);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
      EXPECT_EQ(heap->size_of(block), size);
      std::memset(block, 7, size);
    }
}

TEST_F(HeapTest, BlocksOfAllSizesAreFoundByAnAddressInside) {
  for (std::size_t size : {std::size_t{1}, std::size_t{63}, std::size_t{5000}, std::size_t{1} << 20}) {
    auto* block = static_cast<char*>(heap->allocate(4, size, size > 4000 ? 4096 : 16, 0));
    const Block found = heap->find_block(reinterpret_cast<std::uintptr_t>(block) + size - 1);
    EXPECT_EQ(found.address, reinterpret_cast<std::uintptr_t>(block));
    EXPECT_EQ(found.size, size);
  }
}

TEST_F(HeapTest, ResetBringsBackWhatTheSnapshotHolds) {
  std::memset(at_start, 9, 40);
  heap->release(0, at_start, Reuse::at_once);
  heap->allocate(0, 40, 16, 0);
  reset();
  EXPECT_EQ(heap->size_of(at_start), 40U);
  EXPECT_EQ(*static_cast<char*>(at_start), 1);
}

TEST_F(HeapTest, UninitialisedMemoryLooksTheSameInEveryExecution) {
  for (std::size_t size : {std::size_t{200}, std::size_t{1} << 20}) {
    auto* block = static_cast<unsigned char*>(heap->allocate(1, size, 16, 0));
    const std::vector<unsigned char> before(block, block + size);
    std::memset(block, 0x55, size);
    reset();
    auto* again = static_cast<unsigned char*>(heap->allocate(1, size, 16, 0));
    ASSERT_EQ(again, block);
    EXPECT_EQ(std::memcmp(again, before.data(), size), 0);
    reset();
  }
}

TEST_F(HeapTest, TheLimitIsKept) {
  heap->set_limit(1 << 20);
  EXPECT_EQ(heap->allocate(1, 2 << 20, 16, 0), nullptr);
  void* block = heap->allocate(1, 900000, 16, 0);
  EXPECT_NE(block, nullptr);
  EXPECT_EQ(heap->allocate(1, 200000, 16, 0), nullptr);
  heap->release(1, block, Reuse::never);
  EXPECT_NE(heap->allocate(1, 200000, 16, 0), nullptr);
  heap->set_limit(~std::size_t{0});
}

}  // namespace heddle::engine
