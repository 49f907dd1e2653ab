// The report as one HTML page: the matrix, then a table with bars for each cell. It needs no other file.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/markup.hpp"
#include "stress/report.hpp"

namespace heddle::stress {

namespace {

constexpr const char* head = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>heddle stress</title>
<style>
body { font: 14px/1.4 sans-serif; margin: 2em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { border: 1px solid #ccc; padding: 2px 8px; text-align: right; }
th:first-child, td:first-child { text-align: left; }
thead th { background: #eee; position: sticky; top: 0; }
.ok { background: #e3f4e3; } .fail { background: #f8d0d0; font-weight: bold; } .broken { background: #fff3cf; }
.bar { display: inline-block; height: 0.8em; background: #5b84b1; vertical-align: baseline; }
.bar.error { background: #c0504d; }
pre { background: #f6f6f6; padding: 0.5em; }
</style></head><body>
)";

using report::escaped_markup;

std::string percent(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : "&ndash;"; }

/// A bar of at most 100 pixels.
std::string bar(std::optional<double> value, const char* kind) {
  const double width = std::clamp(value.value_or(0), 0.0, 100.0);
  if (width == 0) return percent(value);
  return fmt::format("{} <span class=\"bar{}\" style=\"width:{:.0f}px\"></span>", percent(value), kind,
                     std::max(width, 1.0));
}

const char* class_of(const SubjectResult& result) {
  if (result.is_bug()) return "fail";
  return result.expectation == Expectation::broken ? "broken" : "ok";
}

std::string subject_row(const SubjectResult& result) {
  std::string name = escaped_markup(result.subject);
  if (result.order == "same") name += " (same order)";
  if (result.barrier == "condvar") name += " (condition variable)";
  if (!result.failure.empty())
    return fmt::format("<tr class=\"{}\"><td>{}</td><td colspan=\"10\">{}</td></tr>\n", class_of(result), name,
                       escaped_markup(result.failure));
  std::string lost;
  for (std::size_t t = 1; t < result.lost.size(); ++t)
    if (result.lost[t] != 0) lost += fmt::format("{}{}: {}", lost.empty() ? "" : ", ", t, result.lost[t]);
  return fmt::format(
      "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td><td>{:.2f}</td></tr>\n",
      class_of(result), name, result.runs, result.interleaved, result.errors, bar(result.interleaved_of_runs(), ""),
      bar(result.errors_of_runs(), " error"), percent(result.interleaved_errors_of_runs()),
      bar(result.interleaved_errors_of_errors(), ""), percent(result.interleaved_errors_of_interleaved()), lost,
      result.seconds);
}

std::string matrix(const std::vector<Cell>& cells) {
  std::vector<std::string> families;
  std::map<std::pair<std::string, const Cell*>, Totals> table;
  for (const Cell& cell : cells)
    for (const SubjectResult& result : cell.subjects) {
      if (std::find(families.begin(), families.end(), result.family()) == families.end())
        families.push_back(result.family());
      table[{result.family(), &cell}].add(result, 0);
    }
  std::string text = "<table><thead><tr><th>family</th>";
  for (const Cell& cell : cells) text += fmt::format("<th>{}</th>", escaped_markup(cell.title()));
  text += "</tr></thead>\n";
  for (const std::string& family : families) {
    text += fmt::format("<tr><td>{}</td>", escaped_markup(family));
    for (const Cell& cell : cells) {
      const Totals& totals = table[{family, &cell}];
      if (totals.subjects == 0) {
        text += "<td>&ndash;</td>";
        continue;
      }
      const double runs = std::max<double>(1, static_cast<double>(totals.runs));
      const bool is_broken = totals.broken == totals.subjects;
      text += fmt::format("<td class=\"{}\">{} {}/{}<br>errors {:.2f}%<br>{}</td>",
                          totals.bugs != 0 ? "fail"
                          : is_broken      ? "broken"
                                           : "ok",
                          totals.bugs != 0 ? "FAIL"
                          : is_broken      ? "caught"
                                           : "pass",
                          totals.bugs != 0 ? totals.bugs
                          : is_broken      ? totals.caught
                                           : totals.subjects,
                          totals.subjects, 100 * static_cast<double>(totals.errors) / runs,
                          bar(100 * static_cast<double>(totals.interleaved) / runs, ""));
    }
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

}  // namespace

std::string html_report(const std::vector<Cell>& cells, const Settings& settings, const std::string& version) {
  std::string text = head;
  text += fmt::format("<h1>heddle stress</h1>\n<p>heddle {}, {} interleaved runs a subject, at most {} s.</p>\n",
                      escaped_markup(version), settings.interleaved, settings.seconds);
  text += "<h2>Families of subjects</h2>\n<p>The bar is the share of interleaved runs.</p>\n" + matrix(cells);
  for (const Cell& cell : cells) {
    text += fmt::format("<h2>{}</h2>\n<p>{}</p>\n", escaped_markup(cell.title()), escaped_markup(cell.version));
    for (const std::string& problem : cell.problems)
      text += fmt::format("<p class=\"fail\">{}</p>\n", escaped_markup(problem));
    if (cell.subjects.empty()) continue;
    text +=
        "<table><thead><tr><th>subject</th><th>runs</th><th>interleaved runs</th><th>errors</th><th>interleaved %</th>"
        "<th>errors %</th><th>interleaved errors / runs %</th><th>interleaved errors / errors %</th>"
        "<th>interleaved errors / interleaved runs %</th><th>lost, by thread</th><th>s</th></tr></thead>\n";
    for (const SubjectResult& result : cell.subjects) text += subject_row(result);
    text += "</table>\n";
    if (const std::string naive = naive_text(cell); !naive.empty())
      text += "<pre>" + escaped_markup(naive) + "</pre>\n";
  }
  return text + "</body></html>\n";
}

}  // namespace heddle::stress
