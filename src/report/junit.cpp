#include "report/junit.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "report/markup.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"
#include "run/values.hpp"

namespace heddle::report {

namespace {

using findings::Finding;

/// An attribute's value: line feeds and tabs would be read as spaces.
std::string attribute(std::string_view bytes) {
  std::string text = escaped_markup(bytes);
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text;
}

std::string test_case(const std::string& suite, const std::string& name, double seconds, const std::string& content) {
  std::string start = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", attribute(suite),
                                  attribute(name), seconds);
  return content.empty() ? start + "/>\n" : start + ">\n" + content + "    </testcase>\n";
}

std::string outcome(const char* element, const std::string& type, const std::string& message, const std::string& text) {
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element, attribute(type),
                     attribute(message), escaped_markup(text));
}

/// Why the campaign is no success although it found no bug; empty: it is one.
std::string incomplete(const findings::Results& results) {
  if (!results.failure.empty()) return results.failure;
  if (!results.incomplete.empty()) return results.incomplete;
  if (!results.stopped_by_limit.empty()) return results.stopped_by_limit;
  for (const Finding& finding : results.findings)
    if (finding.kind == findings::FindingKind::limit) return headline(finding) + limit_advice(finding);
  if (results.interrupted) return "interrupted before all executions were done";
  if (results.is_exhaustive && !results.search_finished) return "not all executions were explored";
  if (results.is_exhaustive && results.statistics.cut_off != 0) return "executions were cut off at a bound";
  if (results.is_exhaustive && !results.gaps.empty()) return "no proof: " + results.gaps.text();
  if (results.statistics.executions == 0) return "no execution was run to its end";
  return {};
}

std::string properties(const findings::RunDescription& run, const findings::Results& results,
                       const std::string& version) {
  std::string text = "    <properties>\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (!value.empty())
      text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", attribute(name), attribute(value));
  };
  add("heddle.version", version);
  for (const run::Field& field : run::fields())
    if ((field.uses & run::json) != 0)
      add(fmt::format("heddle.{}", key_of(field)), format_value(field, run.specification));
  add("heddle.executions", std::to_string(results.statistics.executions));
  add("heddle.distinct_graphs", std::to_string(results.statistics.distinct_graphs));
  return text + "    </properties>\n";
}

}  // namespace

std::string junit_report(const findings::RunDescription& run, const findings::Results& results,
                         const std::string& version, std::chrono::system_clock::time_point now) {
  std::string suite = run.program;
  for (const std::string& argument : run.args) suite += " " + shell_word(argument);
  const double seconds = results.statistics.seconds;
  std::string cases;
  std::string known;
  std::size_t bugs = 0, known_bugs = 0;
  for (const Finding& finding : results.findings) {
    if (!findings::is_bug(finding)) continue;
    if (finding.is_known) {
      known += test_case(suite, headline(finding), 0, "      <skipped message=\"known: the baseline has it\"/>\n");
      ++known_bugs;
      continue;
    }
    ++bugs;
    cases += test_case(suite, headline(finding), bugs == 1 ? seconds : 0,
                       outcome("failure", std::string(channel::name_of(finding.kind)), headline(finding),
                               "\n" + finding_text(finding, results.statistics.executions, Colour::never)));
  }
  const std::string problem = bugs == 0 ? incomplete(results) : "";
  if (bugs == 0)
    cases =
        test_case(suite, "heddle", seconds, problem.empty() ? "" : outcome("error", "incomplete", problem, problem));
  cases += known;
  const std::string skipped = known_bugs == 0 ? "" : fmt::format("skipped=\"{}\" ", known_bugs);
  const std::string figures =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" {}time=\"{:.3f}\"", (bugs == 0 ? 1 : bugs) + known_bugs,
                  bugs, problem.empty() ? 0 : 1, skipped, seconds);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  text += fmt::format(
      "<testsuites>\n  <testsuite id=\"0\" package=\"heddle\" name=\"{}\" timestamp=\"{:%Y-%m-%dT%H:%M:%S}\" "
      "hostname=\"localhost\" {}>\n",
      attribute(suite), fmt::gmtime(std::chrono::system_clock::to_time_t(now)), figures);
  text += properties(run, results, version) + cases;
  text +=
      fmt::format("    <system-out>{}</system-out>\n    <system-err></system-err>\n", escaped_markup(summary(results)));
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace heddle::report
