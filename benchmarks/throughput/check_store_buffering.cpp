// Store buffering as a closure: with heddle::check, or on the bare fibers (HEDDLE_BARE).
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#ifdef HEDDLE_BARE
#include "bare_runtime.hpp"
#else
#include "heddle/heddle.hpp"
#endif

static std::atomic<int> x, y;
static int seen_x, seen_y;

static void body() {
  std::thread left([] {
    x.store(1, std::memory_order_relaxed);
    seen_y = y.load(std::memory_order_relaxed);
  });
  std::thread right([] {
    y.store(1, std::memory_order_relaxed);
    seen_x = x.load(std::memory_order_relaxed);
  });
  left.join();
  right.join();
}

int main(int, char** argv) {
  const auto runs = std::strtoull(argv[1], nullptr, 10);
#ifdef HEDDLE_BARE
  bare::run(
      1, [](void*) { body(); }, nullptr);
  const double begin = bare::now();
  bare::run(
      runs, [](void*) { body(); }, nullptr);
  std::printf("{\"seconds\": %.9f, \"executions\": %llu}\n", bare::now() - begin, runs);
#else
  heddle::Options options;
  options.executions = runs;
  options.strategy = "random";
  const auto cpu = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin = cpu();
  const auto result = heddle::check(options, body);
  std::printf("{\"seconds\": %.9f, \"executions\": %llu}\n", cpu() - begin,
              static_cast<unsigned long long>(result.executions()));
  if (!result.passed()) std::printf("%s", result.report().c_str());
#endif
}
