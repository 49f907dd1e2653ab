#include "stress/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::stress {

namespace {

std::string percent(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : "-"; }

/// A rate for the matrix: few characters, and never 0 for something that happened.
std::string short_percent(double value) {
  if (value > 0 && value < 0.01) return "<.01%";
  return value < 10 ? fmt::format("{:.2f}%", value) : fmt::format("{:.0f}%", value);
}

double rate(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// "ok 48 63%": all 48 subjects passed, 63 % of the runs interleaved.
std::string matrix_entry(const Totals& totals) {
  if (totals.subjects == 0) return "-";
  const std::string interleaving = short_percent(rate(totals.interleaved, totals.runs));
  if (totals.bugs != 0)
    return fmt::format("FAIL {}/{} {} {}", totals.bugs, totals.subjects,
                       short_percent(rate(totals.errors, totals.runs)), interleaving);
  if (totals.broken == totals.subjects)
    return fmt::format("caught {}/{} {} {}", totals.caught, totals.broken,
                       short_percent(rate(totals.errors, totals.runs)), interleaving);
  if (totals.errors != 0)
    return fmt::format("ok {} weak {} {}", totals.subjects, short_percent(rate(totals.errors, totals.runs)),
                       interleaving);
  return fmt::format("ok {} {}", totals.subjects, interleaving);
}

}  // namespace

std::string metrics_head() {
  return fmt::format(
      "{:<44}{:>10}{:>12}{:>10}{:>9}{:>9}{:>10}{:>10}{:>10}{:>8}\n{:<44}{:>10}{:>12}{:>10}{:>9}{:>9}{:>10}{:>10}{:>10}{"
      ":>8}\n",
      "", "", "interleaved", "", "inter-", "errors", "interl.", "interl.", "interl.", "",  //
      "subject", "runs", "runs", "errors", "leaved %", "%", "err/runs", "err/err", "err/int.", "s");
}

std::string metrics_row(const SubjectResult& result) {
  std::string name = result.subject;
  if (result.order == "same") name += " (same order)";
  if (result.barrier == "condvar") name += " (condvar)";
  if (!result.failure.empty()) return fmt::format("{:<44}  {}\n", name, result.failure);
  return fmt::format("{:<44}{:>10}{:>12}{:>10}{:>9}{:>9}{:>10}{:>10}{:>10}{:>8.2f}\n", name, result.runs,
                     result.interleaved, result.errors, percent(result.interleaved_of_runs()),
                     percent(result.errors_of_runs()), percent(result.interleaved_errors_of_runs()),
                     percent(result.interleaved_errors_of_errors()),
                     percent(result.interleaved_errors_of_interleaved()), result.seconds);
}

std::string error_details(const SubjectResult& result) {
  if (result.errors == 0) return "";
  std::string text = "  lost:";
  const char* separator = " ";
  for (std::size_t t = 1; t < result.lost.size(); ++t) {
    if (result.lost[t] == 0) continue;
    text += fmt::format("{}the effect of thread {} in {} runs", separator, t, result.lost[t]);
    separator = ", ";
  }
  if (!result.lost.empty() && result.lost[0] != 0)
    text += fmt::format("{}an effect of no single thread in {} runs", separator, result.lost[0]);
  text += "\n  the orders of the threads in one such run:";
  for (std::size_t m = 0; m < result.first_error.size(); ++m) {
    text += m == 4 ? " | subject |" : m == 0 ? "" : ",";
    for (const std::uint64_t place : result.first_error[m]) text += fmt::format(" {}", place);
  }
  return text + "\n";
}

void Totals::add(const SubjectResult& result, std::uint64_t wanted) {
  ++subjects;
  bugs += result.is_bug() ? 1 : 0;
  broken += result.expectation == Expectation::broken ? 1 : 0;
  caught += result.expectation == Expectation::broken && result.errors != 0 ? 1 : 0;
  weak += result.expectation == Expectation::weak ? 1 : 0;
  short_of_interleavings += result.failure.empty() && result.interleaved < wanted ? 1 : 0;
  runs += result.runs;
  interleaved += result.interleaved;
  errors += result.errors;
  seconds += result.seconds;
}

void Totals::add(const Cell& cell, std::uint64_t wanted) {
  for (const SubjectResult& result : cell.subjects) add(result, wanted);
  for (const NaiveResult& result : cell.naive) naive_bugs += result.is_bug() ? 1 : 0;
}

std::string cell_line(const Cell& cell) {
  Totals totals;
  totals.add(cell, 0);
  return fmt::format(
      "{}: {} subjects, {} with errors, {} of {} broken ones caught, {} of {} runs interleaved, {:.1f} s\n",
      cell.title(), totals.subjects, totals.bugs, totals.caught, totals.broken,
      short_percent(rate(totals.interleaved, totals.runs)), totals.runs, totals.seconds);
}

std::string matrix_text(const std::vector<Cell>& cells) {
  std::vector<std::string> families;
  std::map<std::pair<std::string, const Cell*>, Totals> table;
  for (const Cell& cell : cells)
    for (const SubjectResult& result : cell.subjects) {
      const std::string family = result.family();
      if (std::find(families.begin(), families.end(), family) == families.end()) families.push_back(family);
      table[{family, &cell}].add(result, 0);
    }
  // Compilers times levels can be many columns: as many tables as needed, each for one compiler.
  std::string text;
  for (std::size_t first = 0, last; first < cells.size(); first = last) {
    last = first;
    while (last < cells.size() && cells[last].compiler == cells[first].compiler) ++last;
    text += fmt::format("\n{:<22}", cells[first].compiler);
    for (std::size_t c = first; c < last; ++c) text += fmt::format("{:<24}", "-" + cells[c].level);
    text += "\n";
    if (std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(first),
                    cells.begin() + static_cast<std::ptrdiff_t>(last),
                    [](const Cell& cell) { return cell.subjects.empty(); })) {
      text += fmt::format("{}\n", cells[first].problems.empty() ? "no subjects" : cells[first].problems[0]);
      continue;
    }
    for (const std::string& family : families) {
      std::string row = fmt::format("{:<22}", family);
      for (std::size_t c = first; c < last; ++c) row += fmt::format("{:<24}", matrix_entry(table[{family, &cells[c]}]));
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
  }
  return text +
         "\nok: subjects and the share of interleaved runs. FAIL and caught: subjects with errors, erroneous runs, "
         "interleaved runs.\n";
}

std::string naive_text(const Cell& cell) {
  if (cell.naive.empty()) return "";
  std::string text =
      fmt::format("\nThe naive test, {}: every thread repeats the operation\n{:<44}{:>14}{:>14}{:>10}{:>16}\n",
                  cell.title(), "subject", "expected", "actual", "missing", "the method");
  for (const NaiveResult& naive : cell.naive) {
    std::string method = "-";
    for (const SubjectResult& result : cell.subjects)
      if (result.subject == naive.subject) method = fmt::format("{} errors", result.errors);
    text += fmt::format("{:<44}{:>14}{:>14}{:>10}{:>16}\n", naive.subject, naive.expected, naive.actual,
                        naive.missing(), method);
  }
  return text;
}

std::string summary_line(const Totals& totals) {
  std::string text = fmt::format("heddle: {} subjects, {} with errors", totals.subjects, totals.bugs);
  if (totals.naive_bugs != 0) text += fmt::format(", {} wrong in the naive test", totals.naive_bugs);
  if (totals.broken != 0) text += fmt::format(", {} of {} broken on purpose caught", totals.caught, totals.broken);
  text += fmt::format(", {} runs, {} interleaved ({:.1f}%), {:.2f} s", totals.runs, totals.interleaved,
                      rate(totals.interleaved, totals.runs), totals.seconds);
  if (totals.seconds > 0) text += fmt::format(", {:.0f}/s", static_cast<double>(totals.runs) / totals.seconds);
  return text + "\n";
}

}  // namespace heddle::stress
