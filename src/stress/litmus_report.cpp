#include "stress/litmus_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace heddle::stress {

namespace {

std::string state_list(const LitmusTest& test, const std::vector<litmus::State>& states) {
  std::string text;
  for (const litmus::State& state : states) text += fmt::format("    {}\n", test.test.describe(state));
  return text;
}

/// The threads with forbidden findings, or all if there are none.
std::set<std::uint32_t> concerned_threads(const AssemblyCheck& check) {
  std::set<std::uint32_t> threads;
  for (const AssemblyFinding& finding : check.findings)
    if (finding.is_forbidden) threads.insert(finding.thread);
  if (threads.empty())
    for (std::uint32_t t = 0; t < check.threads.size(); ++t) threads.insert(t);
  return threads;
}

std::string code_text(const LitmusTest& test, const AssemblyCheck& check) {
  std::string text;
  for (const AssemblyFinding& finding : check.findings)
    text +=
        fmt::format("  P{}: {}{}\n", finding.thread, finding.text, finding.is_forbidden ? "" : " (which is allowed)");
  if (!check.states_beyond.empty())
    text += "  with this code the chip may show what rc11 forbids:\n" + state_list(test, check.states_beyond);
  for (const std::uint32_t t : concerned_threads(check)) text += side_by_side(test, t, check.threads[t]);
  return text;
}

/// "it shows at O0, not at O1, O2; the first level that differs from O0 is O1"
std::string levels_text(const LitmusResult& result, const std::vector<LitmusResult>& at_levels) {
  if (at_levels.empty()) return "";
  std::string shown, hidden;
  const LitmusResult* first_shown = nullptr;
  for (const LitmusResult& level : at_levels) {
    std::string& list = level.is_bug() ? shown : hidden;
    list += (list.empty() ? "-" : ", -") + level.level;
    if (level.is_bug() && first_shown == nullptr) first_shown = &level;
  }
  std::string text = fmt::format("  at the levels of {}: ", result.compiler);
  if (first_shown == nullptr)
    return text + fmt::format("not seen again at {} in {} instances each\n", hidden, at_levels[0].instances);
  text += "seen at " + shown + (hidden.empty() ? "" : ", not seen at " + hidden);
  return text + fmt::format("; the first level that shows it is -{}\n", first_shown->level);
}

nlohmann::json states_json(const LitmusTest& test, const std::vector<litmus::State>& states) {
  nlohmann::json list = nlohmann::json::array();
  for (const litmus::State& state : states) list.push_back(test.test.as_map(state));
  return list;
}

}  // namespace

std::string histogram_text(const LitmusResult& result) {
  const LitmusTest& test = *result.test;
  std::string text = fmt::format("Test {}, {}\n", test.test.name, result.title());
  if (!result.failure.empty()) return text + result.failure + "\n";
  text += fmt::format("Histogram ({} states, {} instances, {:.2f} s)\n", result.states.size(), result.instances,
                      result.seconds);
  for (const auto& [state, count] : result.states) {
    const bool is_asked = test.test.quantifier != litmus::Quantifier::unasked && test.test.proposition.holds(state);
    const bool is_forbidden = test.is_judged() && !test.allowed.states.contains(state);
    text += fmt::format("{:<9}{}{}{}\n", count, is_asked ? "*>" : ":>", test.test.describe(state),
                        is_forbidden ? "  FORBIDDEN" : "");
  }
  if (!test.is_judged()) return text + "Not judged: " + test.why_not_judged() + "\n";
  const auto unseen = result.unseen();
  if (!unseen.empty()) text += "Allowed and never seen:\n" + state_list(test, unseen);
  return text;
}

std::string forbidden_text(const LitmusResult& result, const std::vector<LitmusResult>& at_levels,
                           const std::optional<AssemblyCheck>& assembly) {
  const LitmusTest& test = *result.test;
  if (!result.failure.empty())
    return fmt::format("heddle: {}, compiled with {}: {}\n", test.test.name, result.title(), result.failure);
  std::string text =
      fmt::format("heddle: {}, compiled with {}, shows what rc11 forbids\n", test.test.name, result.title());
  for (const litmus::State& state : result.forbidden())
    text += fmt::format("  {} in {} of {} instances\n", test.test.describe(state), result.states.at(state),
                        result.instances);
  text += levels_text(result, at_levels);
  if (assembly) text += code_text(test, *assembly);
  return text;
}

std::string assembly_text(const AssemblyResult& result) {
  const AssemblyCheck& check = result.check;
  if (check.findings.empty() && check.states_beyond.empty()) return "";
  return fmt::format(
      "heddle: {}, compiled with {}: {}\n{}", result.test->test.name, result.title(),
      check.is_bug() ? "the code is not what the source orders demand" : "the code differs from the source",
      code_text(*result.test, check));
}

nlohmann::json json_of(const LitmusResult& result) {
  const LitmusTest& test = *result.test;
  nlohmann::json states = nlohmann::json::array();
  for (const auto& [state, count] : result.states)
    states.push_back({{"state", test.test.as_map(state)},
                      {"count", count},
                      {"allowed", !test.is_judged() || test.allowed.states.contains(state)}});
  nlohmann::json value = {
      {"test", test.test.name},        {"file", test.file},      {"compiler", result.compiler},
      {"level", result.level},         {"bug", result.is_bug()}, {"judged", test.is_judged()},
      {"instances", result.instances}, {"states", states},       {"unseen", states_json(test, result.unseen())},
      {"seconds", result.seconds}};
  if (!result.failure.empty()) value["failure"] = result.failure;
  return value;
}

nlohmann::json json_of(const AssemblyResult& result) {
  nlohmann::json findings = nlohmann::json::array();
  for (const AssemblyFinding& finding : result.check.findings)
    findings.push_back({{"thread", finding.thread}, {"forbidden", finding.is_forbidden}, {"text", finding.text}});
  return {{"test", result.test->test.name},
          {"file", result.test->file},
          {"compiler", result.compiler},
          {"level", result.level},
          {"bug", result.check.is_bug()},
          {"findings", findings},
          {"not_judged", result.check.not_judged},
          {"states_beyond", states_json(*result.test, result.check.states_beyond)}};
}

}  // namespace heddle::stress
