// Results as text, JSON and HTML.
#pragma once

#include <string>
#include <vector>

#include "stress/result.hpp"
#include "stress/session.hpp"

namespace heddle::stress {

/// The head of the table of the paper's eight metrics, and a row of it.
std::string metrics_head();
std::string metrics_row(const SubjectResult& result);
/// How often the effect of each thread was lost, and the orders of an erroneous run; empty without errors.
std::string error_details(const SubjectResult& result);

/// One line: the subjects, errors and rates of a cell.
std::string cell_line(const Cell& cell);
/// Families of subjects as rows, cells as columns: pass or fail, with error and interleaving rates.
std::string matrix_text(const std::vector<Cell>& cells);
/// The naive test beside the method; empty if it was not run.
std::string naive_text(const Cell& cell);

/// Sums over cells, or over the subjects of a family.
struct Totals {
  std::uint64_t subjects = 0, bugs = 0, broken = 0, caught = 0, weak = 0, short_of_interleavings = 0;
  std::uint64_t naive_bugs = 0;
  std::uint64_t runs = 0, interleaved = 0, errors = 0;
  double seconds = 0;

  void add(const SubjectResult& result, std::uint64_t wanted);
  void add(const Cell& cell, std::uint64_t wanted);
};

/// The last line of the output.
std::string summary_line(const Totals& totals);

std::string html_report(const std::vector<Cell>& cells, const Settings& settings, const std::string& version);

}  // namespace heddle::stress
