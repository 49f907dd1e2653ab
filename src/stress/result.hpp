// What a run of a subject gives: the counters that the harness prints, and the paper's eight metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::stress {

enum class Expectation : std::uint8_t { atomic, broken, weak };
const char* name_of(Expectation expectation);

struct SubjectResult {
  std::string subject;
  Expectation expectation = Expectation::atomic;
  std::string order;    ///< "same" or "different"
  std::string barrier;  ///< "spin" or "condvar"
  std::uint64_t threads = 0, cores = 0;
  std::uint64_t runs = 0, interleaved = 0, errors = 0, interleaved_errors = 0;
  std::vector<std::uint64_t> lost;  ///< how often the effect of each thread was lost; 0: of no thread
  std::vector<std::vector<std::uint64_t>> first_error;  ///< the 8 x N matrix of orders
  std::uint64_t longest_burst = 1;                      ///< the most operations of a thread in a run
  double seconds = 0;
  std::string file;     ///< with the subject
  std::string cause;    ///< of an error: lines of text; empty: it was not looked for
  std::string failure;  ///< not empty: the program crashed or hung in this subject

  /// An error that is a bug of the compiler, the library or the chip.
  bool is_bug() const { return expectation == Expectation::atomic && (errors != 0 || !failure.empty()); }
  std::string family() const { return subject.substr(0, subject.find('/')); }

  // In per cent; nothing if there is nothing to divide by.
  std::optional<double> interleaved_of_runs() const { return share(interleaved, runs); }
  std::optional<double> errors_of_runs() const { return share(errors, runs); }
  std::optional<double> interleaved_errors_of_runs() const { return share(interleaved_errors, runs); }
  std::optional<double> interleaved_errors_of_errors() const { return share(interleaved_errors, errors); }
  std::optional<double> interleaved_errors_of_interleaved() const { return share(interleaved_errors, interleaved); }

 private:
  static std::optional<double> share(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return std::nullopt;
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// The paper's naive test: every thread repeats the operation, and only the final value is looked at.
struct NaiveResult {
  std::string subject;
  Expectation expectation = Expectation::atomic;
  std::uint64_t threads = 0, expected = 0, actual = 0;
  double seconds = 0;

  /// Additions that were lost; negative: there is more than expected. Values of few bits wrap around.
  std::int64_t missing() const { return static_cast<std::int64_t>(expected - actual); }
  bool is_bug() const { return expectation == Expectation::atomic && expected != actual; }
};

/// Reads a line that the harness printed. Nothing: it is none.
std::optional<SubjectResult> parse_result(const std::string& line);
std::optional<NaiveResult> parse_naive(const std::string& line);

/// All results of one compiler at one level.
struct Cell {
  std::string compiler, version, level;
  std::vector<SubjectResult> subjects;
  std::vector<NaiveResult> naive;
  std::vector<std::string> problems;  ///< sentences: what could not be done

  std::string title() const { return compiler + " -" + level; }
};

}  // namespace heddle::stress
