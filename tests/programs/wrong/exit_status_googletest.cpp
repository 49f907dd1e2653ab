// A GoogleTest binary with a test that fails in some executions: its main returns 1.
// heddle: finds exit-status
// heddle-runs: 200
// heddle-flags: -lgtest -lgtest_main
// heddle-mentions: the program ended with exit status 1
// heddle-mentions: [  FAILED  ] Counter.KeepsEveryIncrement
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

TEST(Counter, StartsAtZero) { EXPECT_EQ(std::atomic<int>{}, 0); }

TEST(Counter, KeepsEveryIncrement) {
  std::atomic<int> counter{0};
  const auto increment = [&] { counter.store(counter.load() + 1); };
  std::thread other(increment);
  increment();
  other.join();
  EXPECT_EQ(counter, 2);
}
