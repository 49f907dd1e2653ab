#include "campaign/workers/inherited_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace heddle::campaign {
namespace {

constexpr unsigned last_descriptor = std::numeric_limits<unsigned>::max();

std::vector<std::pair<unsigned, unsigned>> as_pairs(std::span<const DescriptorRange> ranges) {
  std::vector<std::pair<unsigned, unsigned>> pairs;
  for (const DescriptorRange& range : ranges) pairs.emplace_back(range.first, range.last);
  return pairs;
}

using Pairs = std::vector<std::pair<unsigned, unsigned>>;

TEST(InheritedFilesTest, RangesAreWhatIsBetweenTheKeptDescriptors) {
  EXPECT_EQ(as_pairs(ranges_without({})), (Pairs{{3, last_descriptor}}));
  const int first[] = {3};
  EXPECT_EQ(as_pairs(ranges_without(first)), (Pairs{{4, last_descriptor}}));
  const int some[] = {4, 5, 9};
  EXPECT_EQ(as_pairs(ranges_without(some)), (Pairs{{3, 3}, {6, 8}, {10, last_descriptor}}));
}

TEST(InheritedFilesTest, WhatTheDriverOpensIsNotInherited) {
  const int opened = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(opened, 3);
  const auto number = static_cast<unsigned>(opened);
  const auto ranges = files_of_driver();
  EXPECT_TRUE(std::any_of(ranges.begin(), ranges.end(),
                          [&](const DescriptorRange& range) { return range.first <= number && number <= range.last; }));
  ::close(opened);
}

}  // namespace
}  // namespace heddle::campaign
