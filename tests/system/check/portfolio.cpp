// One body, twice: as a main for heddle test, and (IN_PROCESS) in heddle::check with the strategy, number of executions
// and seed of the command line. What is learnt on the way is the same.
#include <pthread.h>

#include <atomic>
#include <cassert>

#ifdef IN_PROCESS
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "heddle/heddle.hpp"
#endif

static std::atomic<int> x, y, z, turn;

static void* left(void* unused) {
  x.store(1, std::memory_order_relaxed);
  z.fetch_add(1, std::memory_order_relaxed);
  for (int i = 0; i < 3; ++i) turn.fetch_add(y.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return unused;
}

static void* right(void* unused) {
  y.store(1, std::memory_order_relaxed);
  z.fetch_add(1, std::memory_order_relaxed);
  for (int i = 0; i < 3; ++i) turn.fetch_sub(x.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return unused;
}

static void body() {
  pthread_t threads[2];
  pthread_create(&threads[0], nullptr, left, nullptr);
  pthread_create(&threads[1], nullptr, right, nullptr);
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
  assert(turn.load() < 3);  // the right one never saw x, the left one always y: few strategies show it
  assert(turn.load() > -3);
}

#ifdef IN_PROCESS
int main(int, char** argv) {
  heddle::Options options;
  if (argv[1][0] != '\0') options.strategy = argv[1];
  options.executions = std::strtoull(argv[2], nullptr, 10);
  options.seed = std::strtoull(argv[3], nullptr, 10);
  options.continue_after_bug = true;
  const auto result = heddle::check(options, body);
  std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, result.executions(), result.buggy(), result.graphs(),
              result.events());
  for (const auto& finding : result.findings())
    std::printf(" %s %" PRIu64 " %" PRIu64, finding.strategy.c_str(), finding.execution, finding.count);
  std::printf("\n%s", result.report().c_str());
}
#else
int main() { body(); }
#endif
