// Checks inside GoogleTest, whose own library is not instrumented: it runs, and reports, as ever.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "heddle/heddle.hpp"

namespace {

class Counter {
 public:
  void add() { value_.store(value_.load() + 1); }
  void add_properly() { ++value_; }
  int value() const { return value_; }

 private:
  std::atomic<int> value_{0};
};

template <void (Counter::*add)()>
void two_threads() {
  Counter counter;
  std::thread other([&] { (counter.*add)(); });
  (counter.*add)();
  other.join();
  EXPECT_EQ(counter.value(), 2);
}

TEST(Counters, AddProperly) {
  const auto result = heddle::check(two_threads<&Counter::add_properly>);
  EXPECT_TRUE(result.passed()) << result.report();
}

TEST(Counters, LoseUpdates) {
  const auto result = heddle::check(two_threads<&Counter::add>);
  EXPECT_TRUE(result.passed()) << result.report();
}

TEST(Counters, AreRequiredNotToLoseUpdates) { (void)heddle::require(two_threads<&Counter::add>); }

class Fixture : public testing::Test {
 protected:
  Counter counter_;
};

TEST_F(Fixture, IsCaptured) {
  const auto result = heddle::check([this] {
    std::thread other([this] { counter_.add_properly(); });
    counter_.add_properly();
    other.join();
    ASSERT_EQ(counter_.value(), 2);
  });
  EXPECT_TRUE(result.passed()) << result.report();
  EXPECT_EQ(counter_.value(), 0);
}

}  // namespace
