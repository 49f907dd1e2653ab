// Checks inside Catch2: its header is instrumented with everything else.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <atomic>
#include <thread>

#include "heddle/heddle.hpp"

namespace {

void publish(std::memory_order order) {
  int data = 0;
  std::atomic<bool> ready{false};
  std::thread writer([&] {
    data = 42;
    ready.store(true, order);
  });
  if (ready.load(std::memory_order_acquire)) {
    if (data != 42) throw std::runtime_error("not yet");
  }
  writer.join();
}

}  // namespace

TEST_CASE("a release store publishes") {
  const auto result = heddle::check([] { publish(std::memory_order_release); });
  INFO(result.report());
  CHECK(result.passed());
}

TEST_CASE("a relaxed store does not") {
  const auto result = heddle::check([] { publish(std::memory_order_relaxed); });
  INFO(result.report());
  CHECK(result.passed());
}

TEST_CASE("a relaxed store is required to") {
  (void)heddle::require([] { publish(std::memory_order_relaxed); });
}

TEST_CASE("failed requirements inside are findings") {
  const auto result = heddle::check([] { REQUIRE(1 == 2); });
  CHECK(result.status() == heddle_bug_found);
}
