// How the driver returns a value or a problem: a sentence, with the exit code that it leads to. Not for code inside the
// program under test, which has no C++ library.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace heddle {

/// The exit codes of the command; every way out of it is one of these.
enum class ExitCode : int {
  no_bug = 0,
  bug_found = 1,
  wrong_usage = 2,
  cannot_test = 3,
};

struct Problem {
  ExitCode exit_code = ExitCode::cannot_test;
  std::string text;  ///< a sentence without "heddle: " in front and without a full stop at its end
};

inline Problem usage_problem(std::string text) { return {ExitCode::wrong_usage, std::move(text)}; }
inline Problem test_problem(std::string text) { return {ExitCode::cannot_test, std::move(text)}; }

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Result(Problem problem) : content_(std::move(problem)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(content_); }
  T& operator*() { return std::get<T>(content_); }
  const T& operator*() const { return std::get<T>(content_); }
  T* operator->() { return &std::get<T>(content_); }
  const T* operator->() const { return &std::get<T>(content_); }
  const Problem& problem() const { return std::get<Problem>(content_); }

 private:
  std::variant<T, Problem> content_;
};

/// For what has no value: nothing, or what went wrong.
using Outcome = std::optional<Problem>;

}  // namespace heddle
