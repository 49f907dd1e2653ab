#include "engine/memory/address_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/random.hpp"

namespace heddle::engine {

namespace {
constexpr std::size_t arena_size = std::size_t{16} << 20;

class AddressMapTest : public ::testing::Test {
 protected:
  std::unique_ptr<std::byte[]> memory = std::make_unique_for_overwrite<std::byte[]>(arena_size);
  base::Arena arena{{memory.get(), arena_size}};
  AddressMap<std::uint32_t> map{arena};
};
}  // namespace

TEST_F(AddressMapTest, HoldsWhatWasAddedAndNotRemovedInThisExecution) {
  base::Random random(1);
  for (std::uint32_t execution = 1; execution <= 3; ++execution) {
    map.begin_execution(execution);
    std::map<std::uintptr_t, std::uint32_t> expected;
    for (std::uint32_t step = 0; step < 30000; ++step) {
      const std::uintptr_t address = 0x600000000000 + 48 * random.below(execution * 1000);
      const std::uint32_t* found = map.find(address);
      const auto known = expected.find(address);
      ASSERT_EQ(found != nullptr, known != expected.end());
      if (found == nullptr) {
        map.add(address, step);
        expected.emplace(address, step);
      } else {
        ASSERT_EQ(*found, known->second);
        map.remove(address);
        expected.erase(known);
      }
    }
    std::size_t count = 0;
    map.for_each([&](std::uint32_t) { ++count; });
    EXPECT_EQ(count, expected.size());
  }
}

TEST_F(AddressMapTest, WhatComesAndGoesTakesNoRoom) {
  map.begin_execution(1);
  const std::size_t before = arena.used();
  for (std::uint32_t i = 0; i < 100000; ++i) {
    map.add(0x1000 + 48 * (i % 400), i);
    map.remove(0x1000 + 48 * (i % 400));
  }
  EXPECT_EQ(arena.used(), before);
}

}  // namespace heddle::engine
