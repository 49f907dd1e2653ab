#include "strategies/thread_counts.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/hash.hpp"
#include "base/random.hpp"

namespace heddle::strategies {

namespace {

/// The counts of an execution with some of `threads` threads.
std::vector<ThreadEvents> random_execution(base::Random& random, std::uint64_t threads) {
  std::vector<ThreadEvents> execution;
  for (std::uint64_t name = 1; name <= threads; ++name) {
    if (random.one_in(3)) continue;
    ThreadEvents thread{};
    thread.name = base::hash_words(name, 7);
    for (std::uint32_t& events : thread.events) events = static_cast<std::uint32_t>(random.below(10));
    execution.push_back(thread);
  }
  return execution;
}

}  // namespace

TEST(ThreadTotals, DoNotDependOnHowExecutionsAreSharedByWorkers) {
  for (const std::uint64_t threads : {3U, 64U, 200U}) {
    base::Random random(1);
    ThreadTotals alone{}, parts[3] = {}, together{};
    for (std::size_t number = 0; number < 300; ++number) {
      const auto execution = random_execution(random, threads);
      alone.add(execution);
      parts[number % 3].add(execution);
    }
    for (const int part : {2, 0, 1}) together += parts[part];
    EXPECT_EQ(alone.count, std::min<std::uint64_t>(threads, most_counted_threads));
    EXPECT_EQ(std::memcmp(&alone, &together, sizeof alone), 0) << threads << " threads";
  }
}

TEST(ThreadAverages, AreRoundedMeansOfTheExecutionsThatHadTheThread) {
  ThreadTotals totals{};
  ThreadEvents thread{};
  thread.name = 5;
  thread.events[2] = 3;
  totals.add({&thread, 1});
  thread.events[2] = 4;
  totals.add({&thread, 1});
  thread.name = 9;
  thread.events[2] = 1;
  totals.add({&thread, 1});
  const ThreadAverages mean = averages(totals);
  ASSERT_NE(mean.find(5), nullptr);
  EXPECT_EQ(mean.find(5)->events[2], 4U);
  EXPECT_EQ(mean.find(9)->events[2], 1U);
  EXPECT_EQ(mean.find(9)->events[3], 0U);
  EXPECT_EQ(mean.find(7), nullptr);
}

}  // namespace heddle::strategies
