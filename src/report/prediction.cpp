#include "report/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

using Json = nlohmann::ordered_json;
using prediction::AccessKind;
using prediction::CycleTrials;
using prediction::Label;
using prediction::PredictedCycle;
using prediction::Remedy;

const char* kind_name(AccessKind kind) {
  constexpr const char* names[] = {"load", "store", "read-modify-write"};
  return names[static_cast<std::size_t>(kind)];
}

bool has_variable(const Label& label) { return label.variable.find_first_not_of(' ') != std::string::npos; }

/// "store to `x` (relaxed)"
std::string access_text(const Label& label) {
  std::string text = kind_name(label.kind);
  if (has_variable(label))
    text += fmt::format(" {} `{}`", label.kind == AccessKind::load ? "of" : "to", label.variable);
  return text + fmt::format(" ({})", order_name(label.order));
}

bool is_confirmed(const PredictedCycle& cycle) {
  return std::any_of(cycle.trials.begin(), cycle.trials.end(), [](const auto& t) { return t.confirmed != 0; });
}
bool is_buggy(const PredictedCycle& cycle) {
  return std::any_of(cycle.trials.begin(), cycle.trials.end(), [](const auto& t) { return t.buggy != 0; });
}

/// What forbids the cycle, a phrase for each change.
std::vector<std::string> remedy_texts(const PredictedCycle& cycle, const std::vector<Label>& labels) {
  std::vector<std::string> texts;
  const auto add = [&](std::string text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  };
  for (std::size_t i = 0; i < cycle.remedies.size(); ++i) {
    const Remedy& remedy = cycle.remedies[i];
    const Label &first = labels[cycle.cycle.pairs[i].first], &second = labels[cycle.cycle.pairs[i].second];
    if (remedy.needs_fence)
      add(fmt::format("atomic_thread_fence(memory_order_seq_cst) between {} and {}", first.place(), second.place()));
    if (remedy.acquire_first && !graph::is_acquire(first.order))
      add(fmt::format("memory_order_acquire for the {} at {}", kind_name(first.kind), first.place()));
    if (remedy.release_second && !graph::is_release(second.order))
      add(fmt::format("memory_order_release for the {} at {}", kind_name(second.kind), second.place()));
  }
  return texts;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : "; ") + text;
  return result;
}

std::string cycle_text(std::size_t number, const PredictedCycle& cycle, const prediction::Results& results) {
  const std::vector<Label>& labels = results.labels;
  std::size_t width = 0;
  for (std::uint32_t i = 0; i < cycle.cycle.size; ++i)
    width = std::max(
        {width, labels[cycle.cycle.pairs[i].first].place().size(), labels[cycle.cycle.pairs[i].second].place().size()});
  std::string text = fmt::format("heddle: cycle {}, {}\n", number, is_buggy(cycle) ? "buggy" : "benign so far");
  for (std::uint32_t i = 0; i < cycle.cycle.size; ++i) {
    const auto& pair = cycle.cycle.pairs[i];
    const auto line = [&](const std::string& thread, const Label& label) {
      return fmt::format("  {:<9} {:<{}}  {}\n", thread, printable(label.place(), Controls::escape), width,
                         printable(access_text(label), Controls::escape));
    };
    text += line(fmt::format("thread {}", static_cast<char>('A' + i)), labels[pair.first]);
    if (pair.is_single == 0) text += line("", labels[pair.second]);
  }
  for (std::size_t m = 0; m < results.models.size(); ++m) {
    const CycleTrials& trials = cycle.trials[m];
    if (trials.confirmed == 0) continue;
    text += fmt::format("  {}: confirmed in {} of {} trials, {} of {} executions\n", results.models[m].model,
                        trials.confirmed, trials.trials, trials.with_cycle, trials.executions);
    if (trials.buggy != 0)
      text += fmt::format("    buggy in {} trials: {}\n", trials.buggy, printable(trials.bug_text, Controls::escape));
    if (!trials.trace.empty()) text += fmt::format("    replay: heddle replay {}\n", shell_word(trials.trace));
  }
  const std::vector<std::string> remedies = remedy_texts(cycle, labels);
  if (!remedies.empty()) text += fmt::format("  forbidden by: {}\n", printable(joined(remedies), Controls::escape));
  return text + "\n";
}

std::string table_text(const prediction::Results& results) {
  std::string text = "model  predicted  confirmed  buggy  benign  probability  trials  ms a trial\n";
  for (const prediction::ModelSummary& model : results.models) {
    const std::string probability = model.confirmed == 0 ? "-" : fmt::format("{:.2f}", model.probability);
    const double per_trial = model.trials == 0 ? 0 : 1000 * model.seconds / static_cast<double>(model.trials);
    text +=
        fmt::format("{:<5}  {:>9}  {:>9}  {:>5}  {:>6}  {:>11}  {:>6}  {:>10.2f}\n", model.model, results.cycles.size(),
                    model.confirmed, model.buggy, model.confirmed - model.buggy, probability, model.trials, per_trial);
  }
  return text;
}

std::string summary_line(const prediction::Results& results) {
  const auto confirmed = std::count_if(results.cycles.begin(), results.cycles.end(), is_confirmed);
  const auto buggy = std::count_if(results.cycles.begin(), results.cycles.end(), is_buggy);
  std::uint64_t executions = results.sc_executions;
  for (const prediction::ModelSummary& model : results.models) executions += model.executions;
  return fmt::format("heddle: {} cycles predicted, {} confirmed, {} buggy, {} executions, {:.2f} s\n",
                     results.cycles.size(), confirmed, buggy, executions, results.seconds);
}

Json label_json(const Label& label) {
  Json json = {{"file", json_text(label.file)},
               {"line", label.line},
               {"column", label.column},
               {"access", kind_name(label.kind)},
               {"order", order_name(label.order)}};
  if (!label.function.empty()) json["function"] = json_text(label.function);
  if (has_variable(label)) json["variable"] = json_text(label.variable);
  return json;
}

Json trials_json(const CycleTrials& trials) {
  Json json = {{"can_happen", trials.is_directed},
               {"trials", trials.trials},
               {"confirmed", trials.confirmed},
               {"buggy", trials.buggy},
               {"probability", trials.probability()},
               {"executions", trials.executions},
               {"executions_with_cycle", trials.with_cycle}};
  if (trials.bug != 0) {
    json["bug"] = {{"key", fmt::format("{:016x}", trials.bug)}, {"headline", json_text(trials.bug_text)}};
  }
  if (!trials.trace.empty()) json["trace"] = json_text(trials.trace);
  return json;
}

Json cycle_json(const PredictedCycle& cycle, const prediction::Results& results) {
  Json json = {{"length", 2 * cycle.cycle.size},
               {"pairs", Json::array()},
               {"confirmed", is_confirmed(cycle)},
               {"buggy", is_buggy(cycle)}};
  for (std::uint32_t i = 0; i < cycle.cycle.size; ++i) {
    const auto& pair = cycle.cycle.pairs[i];
    Json accesses = Json::array({label_json(results.labels[pair.first])});
    if (pair.is_single == 0) accesses.push_back(label_json(results.labels[pair.second]));
    json["pairs"].push_back(std::move(accesses));
  }
  for (std::size_t m = 0; m < results.models.size(); ++m)
    json["models"][results.models[m].model] = trials_json(cycle.trials[m]);
  json["forbidden_by"] = Json::array();
  for (const std::string& remedy : remedy_texts(cycle, results.labels))
    json["forbidden_by"].push_back(json_text(remedy));
  return json;
}

}  // namespace

std::string prediction_text(const prediction::Results& results, bool quiet) {
  if (quiet) return summary_line(results);
  std::string text;
  for (const bool buggy : {true, false}) {
    for (std::size_t i = 0; i < results.cycles.size(); ++i)
      if (is_confirmed(results.cycles[i]) && is_buggy(results.cycles[i]) == buggy)
        text += cycle_text(i + 1, results.cycles[i], results);
  }
  for (const findings::Finding& finding : results.sc_findings)
    text += fmt::format("heddle: sc shows this, too, so no cycle is blamed for it: {}\n",
                        printable(headline(finding), Controls::escape));
  for (const std::string& note : results.notes) text += fmt::format("heddle: {}\n", note);
  if (!results.cycles.empty()) text += table_text(results);
  return text + summary_line(results);
}

std::string prediction_json(const findings::RunDescription& run, const prediction::Results& results,
                            const std::string& version) {
  Json args = Json::array();
  for (const std::string& argument : run.args) args.push_back(json_text(argument));
  Json json = {
      {"schema_version", schema_version}, {"version", version}, {"program", json_text(run.program)}, {"args", args}};
  json["seed"] = run.specification.seed;
  json["cycle_length"] = run.specification.cycle_length;
  json["trials"] = run.specification.trials;
  json["trial_runs"] = run.specification.trial_runs;
  json["sc"] = {{"executions", results.sc_executions}, {"findings", Json::array()}};
  for (const findings::Finding& finding : results.sc_findings)
    json["sc"]["findings"].push_back({{"kind", channel::name_of(finding.kind)},
                                      {"key", fmt::format("{:016x}", finding.key)},
                                      {"headline", json_text(headline(finding))}});
  json["models"] = Json::object();
  for (const prediction::ModelSummary& model : results.models)
    json["models"][model.model] = {{"predicted", results.cycles.size()},
                                   {"can_happen", model.directed},
                                   {"confirmed", model.confirmed},
                                   {"buggy", model.buggy},
                                   {"benign", model.confirmed - model.buggy},
                                   {"probability", model.probability},
                                   {"trials", model.trials},
                                   {"executions", model.executions},
                                   {"seconds", model.seconds}};
  json["cycles"] = Json::array();
  for (const PredictedCycle& cycle : results.cycles) json["cycles"].push_back(cycle_json(cycle, results));
  json["notes"] = Json::array();
  for (const std::string& note : results.notes) json["notes"].push_back(json_text(note));
  if (results.interrupted) json["interrupted"] = true;
  json["seconds"] = results.seconds;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::report
