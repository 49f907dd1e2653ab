// heddle::check runs a closure as a concurrency test, many times, in the process that calls it. See docs/unit-tests.md.
//
//   const auto result = heddle::check([] {
//     Queue queue;
//     std::thread producer([&] { queue.push(1); });
//     queue.pop();
//     producer.join();
//   });
//   EXPECT_TRUE(result.passed()) << result.report();     // GoogleTest
//   INFO(result.report()); CHECK(result.passed());       // Catch2
//
// heddle::require(...) throws the report instead. Inside the closure, failed assertions and uncaught exceptions are
// findings. If GoogleTest's header is included before this one, failures of its EXPECT_ and ASSERT_ macros are, too.
#pragma once

#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

struct Options {
  std::string name;  ///< for reports; empty: "check N"
  std::string model = "rc11";
  std::string strategy = "auto";
  std::uint64_t executions = 0;  ///< 0: 1000; for the strategy exhaustive: all
  double seconds = 0;            ///< 0: no limit
  std::uint64_t seed = 1;
  std::uint64_t max_events = 1'000'000;
  std::uint64_t max_memory = std::uint64_t{4} << 30;
  double timeout = 10;  ///< seconds without a visible operation that end the check; 0: no limit
  bool continue_after_bug = false;
  bool release_sequence_c11 = false;
  bool full_rmw = false;          ///< tso, pso, pslo: a read-modify-write is a full barrier
  bool relaxed_volatile = false;  ///< volatile accesses are relaxed atomics
  bool strict_time = false;       ///< sleeps and timed waits end only when no thread can run
  bool check_leaks = false;
  bool any_exit_status = false;    ///< a body may call exit() with any status
  std::string out = "heddle-out";  ///< the folder for traces

  /// For heddle_check. Valid as long as this object is unchanged.
  heddle_options as_c_options() const {
    heddle_options options{};
    options.name = name.empty() ? nullptr : name.c_str();
    options.model = model.c_str();
    options.strategy = strategy.c_str();
    options.executions = executions;
    options.seconds = seconds;
    options.seed = seed;
    options.max_events = max_events;
    options.max_memory = max_memory;
    options.timeout = timeout > 0 ? timeout : -1;
    options.continue_after_bug = continue_after_bug ? 1 : 0;
    options.release_sequence_c11 = release_sequence_c11 ? 1 : 0;
    options.full_rmw = full_rmw ? 1 : 0;
    options.relaxed_volatile = relaxed_volatile ? 1 : 0;
    options.strict_time = strict_time ? 1 : 0;
    options.check_leaks = check_leaks ? 1 : 0;
    options.any_exit_status = any_exit_status ? 1 : 0;
    options.out = out.c_str();
    return options;
  }
};

struct Finding {
  std::string kind;
  std::string message;
  std::string trace;
  std::uint64_t execution = 0;
  std::uint64_t count = 0;
  std::string strategy;  ///< of the first execution that showed it, with parameters
};

class [[nodiscard]] Result {
 public:
  explicit Result(heddle_result&& result)
      : figures_(result), report_(result.report), findings_(), status_(result.status) {
    for (std::size_t i = 0; i < result.finding_count; ++i) {
      const heddle_finding& finding = result.findings[i];
      findings_.push_back(
          {finding.kind, finding.message, finding.trace, finding.execution, finding.count, finding.strategy});
    }
    heddle_free_result(&result);
    figures_.findings = nullptr;
    figures_.report = nullptr;
    figures_.owner = nullptr;
  }

  /// There was no bug, and every execution ran to its end.
  bool passed() const { return status_ == heddle_passed; }
  explicit operator bool() const { return passed(); }
  /// heddle_passed, heddle_bug_found, heddle_wrong_usage or heddle_cannot_test.
  int status() const { return status_; }
  /// Every finding with its stacks and the command that replays it, and the figures.
  const std::string& report() const { return report_; }
  const std::vector<Finding>& findings() const { return findings_; }

  std::uint64_t executions() const { return figures_.executions; }
  std::uint64_t buggy() const { return figures_.buggy; }
  std::uint64_t blocked() const { return figures_.blocked; }
  std::uint64_t cut_off() const { return figures_.cut_off; }
  std::uint64_t events() const { return figures_.events; }
  std::uint64_t graphs() const { return figures_.graphs; }
  double seconds() const { return figures_.seconds; }
  /// Strategy exhaustive: every execution was explored.
  bool search_finished() const { return figures_.search_finished != 0; }

  friend std::ostream& operator<<(std::ostream& out, const Result& result) { return out << result.report(); }

 private:
  heddle_result figures_;
  std::string report_;
  std::vector<Finding> findings_;
  int status_;
};

/// The exception of require(). what() is the report.
class CheckFailed : public std::runtime_error {
 public:
  explicit CheckFailed(const std::string& report) : std::runtime_error(report) {}
};

// The two versions of this header get different names, so that one program can contain both.
#if defined(GOOGLETEST_INCLUDE_GTEST_GTEST_H_) || defined(GTEST_INCLUDE_GTEST_GTEST_H_)
inline namespace with_googletest {
namespace detail {
/// GoogleTest stores failures in memory that is restored after the execution. So they are reported as findings.
template <typename Body>
void run(Body& body) {
  const bool had_failed = ::testing::Test::HasFailure();
  body();
  if (!had_failed && ::testing::Test::HasFailure()) heddle_fail("a GoogleTest assertion failed inside the check");
}
}  // namespace detail
#else
inline namespace plain {
namespace detail {
template <typename Body>
void run(Body& body) {
  body();
}
}  // namespace detail
#endif

/// Runs `body()` as a test. Every execution starts from the memory as it is now. After the check the memory is also as
/// it is now: changes of captured variables, globals and the heap by the body are undone.
template <typename Body>
Result check(const Options& options, Body&& body) {
  const heddle_options plain = options.as_c_options();
  auto run_body = [&body] { detail::run(body); };
  return Result(heddle_check(
      &plain, [](void* closure) { (*static_cast<decltype(run_body)*>(closure))(); }, &run_body));
}

template <typename Body>
Result check(Body&& body) {
  return check(Options{}, std::forward<Body>(body));
}

/// Runs check() and throws CheckFailed unless it passed, for frameworks that show uncaught exceptions.
template <typename Body>
Result require(const Options& options, Body&& body) {
  Result result = check(options, std::forward<Body>(body));
  if (!result.passed()) throw CheckFailed(result.report());
  return result;
}

template <typename Body>
Result require(Body&& body) {
  return require(Options{}, std::forward<Body>(body));
}

}  // namespace plain or with_googletest

}  // namespace heddle
