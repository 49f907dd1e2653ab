// Checks in a program with its own main and no framework: what passes, what is found, and what state a check leaves.
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heddle/heddle.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what, const std::string& more = {}) {
  if (holds) return;
  ++failures;
  std::printf("FAILED: %s\n%s\n", what, more.c_str());
}

std::atomic<int> x{0}, y{0};
int counter = 0;
thread_local int local = 0;

void store_buffering(std::memory_order order) {
  int a = 0, b = 0;
  std::thread left([&] {
    x.store(1, order);
    a = y.load(order);
  });
  std::thread right([&] {
    y.store(1, order);
    b = x.load(order);
  });
  left.join();
  right.join();
  assert(a == 1 || b == 1);
}

void passes() {
  const auto result = heddle::check([] { store_buffering(std::memory_order_seq_cst); });
  expect(result.passed(), "seq_cst store buffering passes", result.report());
  expect(result.executions() == 16 + 3 && result.graphs() == 3 && result.findings().empty(), "its figures",
         result.report());
  expect(result.search_finished() && result.report().find("nothing is left to find") != std::string::npos, "its proof",
         result.report());
}

void finds_and_names() {
  heddle::Options options;
  options.name = "relaxed store buffering";
  const auto result = heddle::check(options, [] {
    std::puts("printed by the body");
    store_buffering(std::memory_order_relaxed);
  });
  expect(result.status() == heddle_bug_found && result.buggy() == 1, "relaxed store buffering fails");
  expect(result.findings().size() == 1 && result.findings()[0].kind == "assert", "its kind", result.report());
  expect(!result.findings().empty() && !result.findings()[0].trace.empty(), "its trace", result.report());
  for (const char* part : {"assertion failed: a == 1 || b == 1", "plain.cpp", "| printed by the body",
                           "replay: heddle replay", "relaxed store buffering: "})
    expect(result.report().find(part) != std::string::npos, part, result.report());
  std::printf("%s", result.report().c_str());
}

void goes_on_after_bugs() {
  heddle::Options options;
  options.strategy = "random";
  options.continue_after_bug = true;
  options.executions = 500;
  const auto result = heddle::check(options, [] { store_buffering(std::memory_order_relaxed); });
  expect(result.executions() == 500 && result.buggy() > 10 && result.findings().size() == 1, "all executions are run",
         result.report());
}

void explores() {
  heddle::Options options;
  options.strategy = "exhaustive";
  const auto result = heddle::check(options, [] { store_buffering(std::memory_order_seq_cst); });
  expect(result.passed() && result.search_finished() && result.executions() == 3, "every execution, once",
         result.report());
}

// Four threads that increment twice each: 8! / (2!)^4 execution graphs, more than the default number of executions.
void explores_with_parameters() {
  heddle::Options options;
  options.strategy = "exhaustive:loop=100";
  const auto result = heddle::check(options, [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        x.fetch_add(1);
        x.fetch_add(1);
      });
    for (std::thread& thread : threads) thread.join();
  });
  expect(result.passed() && result.search_finished() && result.executions() == 2520, "every execution within a bound",
         result.report());
}

// By default it learns; and of what a check learnt nothing is left for the next.
void learns() {
  heddle::Options options;
  options.continue_after_bug = true;
  options.executions = 2000;
  const auto body = [] {
    (void)std::chrono::steady_clock::now();  // a body with a clock is not explored exhaustively
    store_buffering(std::memory_order_relaxed);
  };
  const auto first = heddle::check(options, body);
  explores();
  const auto second = heddle::check(options, body);
  options.strategy = "auto";
  const auto named = heddle::check(options, body);
  for (const auto* other : {&second, &named})
    expect(first.buggy() == other->buggy() && first.graphs() == other->graphs() && first.events() == other->events(),
           "the same check comes to the same", first.report() + other->report());
  expect(first.report().find("heddle: auto used ") != std::string::npos, "what it used", first.report());
  expect(first.findings().size() == 1 && first.findings()[0].strategy == named.findings()[0].strategy &&
             first.report().find(", by " + first.findings()[0].strategy + "\n") != std::string::npos,
         "what showed it", first.report());
  options.strategy = "random";
  const auto random = heddle::check(options, body);
  expect(first.buggy() > random.buggy() * 3 / 2, "it shows the bug more often than random does",
         first.report() + random.report());
  expect(random.findings().size() == 1 && random.findings()[0].strategy == "random", "what was asked for",
         random.report());
}

// Each execution finds what the check found, wherever it is, and so does the caller afterwards.
void brings_memory_back() {
  std::string captured = "as it was";
  std::vector<int> on_heap(100000, 7);
  auto pointer = std::make_unique<int>(5);
  int on_stack = 3;
  const auto result = heddle::check([&] {
    assert(captured == "as it was" && on_heap[50000] == 7 && *pointer == 5 && on_stack == 3);
    assert(counter == 0 && local == 0);
    captured += ", and much longer than any string that is stored in place";
    on_heap[50000] = on_stack = counter = local = 9;
    on_heap.push_back(1);
    pointer.reset();
    std::thread thread([&] { ++on_stack; });
    thread.join();
    static const std::string once = "made in the first execution, and in every other";
    assert(once.size() > 10);
  });
  expect(result.passed(), "every execution starts from the same memory", result.report());
  expect(captured == "as it was" && on_heap[50000] == 7 && on_heap.size() == 100000 && pointer && *pointer == 5 &&
             on_stack == 3 && counter == 0 && local == 0,
         "and the caller finds it again");
}

void finds_other_kinds() {
  int unprotected = 0;
  const auto race = heddle::check([&] {
    std::thread other([&] { ++unprotected; });
    ++unprotected;
    other.join();
  });
  expect(!race.findings().empty() && race.findings()[0].kind == "race", "a race on a captured variable", race.report());

  const auto thrown = heddle::check([] { throw std::runtime_error("out of the body"); });
  expect(!thrown.findings().empty() && thrown.findings()[0].kind == "uncaught-exception", "an exception",
         thrown.report());

  int* volatile nowhere = nullptr;
  const auto crash = heddle::check([&] { *nowhere = 1; });
  expect(!crash.findings().empty() && crash.findings()[0].kind == "crash", "a crash", crash.report());

  const auto leaves = [] { std::thread([] { std::exit(x.load() == 0 ? 3 : 0); }).join(); };
  const auto left = heddle::check(leaves);
  expect(!left.findings().empty() && left.findings()[0].kind == "exit-status", "an exit status", left.report());
  heddle::Options tolerant;
  tolerant.any_exit_status = true;
  tolerant.strategy = "random";
  const auto permitted = heddle::check(tolerant, leaves);
  expect(permitted.passed() && permitted.executions() == 1000, "an exit status that is permitted", permitted.report());

  heddle::Options options;
  options.max_events = 1000;
  const auto endless = heddle::check(options, [] {
    for (;;) counter += x.fetch_add(1);
  });
  expect(endless.status() == heddle_cannot_test && endless.cut_off() != 0, "a limit", endless.report());

  heddle::Options impatient;
  impatient.timeout = 0.4;
  const auto hangs = heddle::check(impatient, [] {
    for (volatile bool waits = true; waits;) {
    }
  });
  expect(hangs.status() == heddle_cannot_test && hangs.executions() == 1, "a body that hangs", hangs.report());
  expect(hangs.findings().size() == 1 && hangs.findings()[0].kind == "limit" &&
             hangs.findings()[0].message.find("timeout") != std::string::npos,
         "where it hangs", hangs.report());

  try {
    const auto ignored = heddle::require([] { assert(!"required"); });
    expect(false, "require throws");
  } catch (const heddle::CheckFailed& failed) {
    expect(std::strstr(failed.what(), "required") != nullptr, "the report is thrown", failed.what());
  }
}

void refuses() {
  const auto nested = heddle::check([] {
    const auto inner = heddle::check([] {});
    (void)inner;
  });
  expect(nested.status() == heddle_cannot_test && nested.report().find("cannot be nested") != std::string::npos,
         "nested checks are refused", nested.report());

  heddle::Options options;
  options.strategy = "guess";
  const auto usage = heddle::check(options, [] {});
  expect(usage.status() == heddle_wrong_usage && usage.report().find("guess") != std::string::npos,
         "an unknown strategy is refused", usage.report());

  bool created = true;
  try {
    std::thread outside([] {});
    outside.join();
  } catch (const std::system_error&) {
    created = false;
  }
  expect(!created, "a thread outside of a check is refused");

  const auto after = heddle::check([] { store_buffering(std::memory_order_seq_cst); });
  expect(after.passed() && after.graphs() == 3, "and the next check runs as ever", after.report());
}

}  // namespace

int main() {
  passes();
  finds_and_names();
  goes_on_after_bugs();
  explores();
  explores_with_parameters();
  learns();
  brings_memory_back();
  finds_other_kinds();
  refuses();
  std::printf("%d failed\n", failures);
  return failures == 0 ? 0 : 1;
}
