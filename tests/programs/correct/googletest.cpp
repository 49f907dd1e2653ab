// A GoogleTest binary, linked with a library that was compiled without heddle.
// heddle: clean
// heddle-flags: -lgtest -lgtest_main
// heddle-options: --isolation reset
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace {

TEST(CounterTest, AtomicIncrementsAreNotLost) {
  std::atomic<int> counter{0};
  std::thread other([&] { ++counter; });
  ++counter;
  other.join();
  EXPECT_EQ(counter, 2);
}

TEST(CounterTest, IncrementsUnderALockAreNotLost) {
  std::mutex mutex;
  int counter = 0;
  const auto increment = [&] {
    const std::lock_guard lock(mutex);
    ++counter;
  };
  std::thread other(increment);
  increment();
  other.join();
  EXPECT_EQ(counter, 2);
}

}  // namespace
