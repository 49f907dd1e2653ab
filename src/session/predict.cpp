#include "session/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "campaign/campaign.hpp"
#include "campaign/output_folder.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "prediction/cycle_search.hpp"
#include "prediction/directed_cycle.hpp"
#include "report/text.hpp"

namespace heddle::session {

namespace {

using prediction::CycleTrials;
using prediction::ModelSummary;
using strategies::Cycle;
using strategies::CycleTable;
using strategies::TrialResult;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class PredictionRun {
 public:
  explicit PredictionRun(const Predict& task)
      : task_(task), subject_(task.subject), observer_(task.observer), folder_(task.subject.run.out.c_str()) {}

  Result<prediction::Results> run() {
    const auto start = std::chrono::steady_clock::now();
    if (auto problem = predict()) return *problem;
    for (const std::string& model : task_.models) {
      results_.models.push_back({.model = model});
      for (prediction::PredictedCycle& cycle : results_.cycles) cycle.trials.emplace_back();
      if (results_.cycles.empty() || results_.interrupted) continue;
      if (auto problem = confirm(results_.models.back())) return *problem;
    }
    for (prediction::PredictedCycle& cycle : results_.cycles) add_remedies(cycle);
    results_.seconds = seconds_since(start);
    return std::move(results_);
  }

 private:
  campaign::Settings settings_for(const char* strategy, const std::string& model) {
    campaign::Settings settings(subject_);
    settings.run.jobs = 1;
    settings.run.strategy.assign(strategy);
    settings.run.model.assign(model);
    settings.on_progress = [this](const campaign::LiveProgress& live) { observer_.show_progress(live); };
    return settings;
  }

  // ---- phase I ----------------------------------------------------------------------------------------------
  Outcome predict() {
    campaign::Settings settings = settings_for("random", "sc");
    settings.end_execution = settings.run.runs;
    settings.recording = channel::Recording::accesses;
    prediction::CycleSearch search(
        {.length = static_cast<std::uint32_t>(subject_.run.cycle_length), .cycles = most_cycles()});
    settings.read_channel = [&](const campaign::ChannelMemory& channel) { search_traces(channel, search); };
    auto results = campaign::run_campaign(settings);
    if (!results) return results.problem();
    if (!results->failure.empty()) return test_problem(results->failure);
    results_.interrupted = results->interrupted;
    results_.sc_executions = results->statistics.executions;
    for (findings::Finding& finding : results->findings) {
      if (findings::is_bug(finding))
        results_.sc_findings.push_back(std::move(finding));
      else
        note(finding.message);
    }
    if (!results->warning.empty()) note(results->warning);
    if (!results->stopped_by_limit.empty()) note(results->stopped_by_limit);
    for (const Cycle& cycle : search.cycles()) results_.cycles.push_back({cycle, {}, {}});
    results_.labels = labels_.labels();
    for (const std::uint32_t label : search.may_read_own()) results_.labels[label].may_read_own = true;
    for (const std::uint32_t label : search.may_read_others()) results_.labels[label].may_read_others = true;
    describe_search(search);
    return {};
  }

  /// Trials of all cycles have to fit into the table.
  std::size_t most_cycles() const {
    return std::min<std::size_t>({10'000, CycleTable::most_cycles, CycleTable::most_trials / subject_.run.trials});
  }

  void search_traces(const campaign::ChannelMemory& channel, prediction::CycleSearch& search) {
    labels_.set_modules(std::make_shared<findings::ModuleMap>(findings::ModuleMap::decode(channel.modules())));
    const prediction::DecodedTraces decoded = prediction::decode_traces(channel.recordings(), labels_);
    for (const prediction::Trace& trace : decoded.traces) {
      search.add(trace);
      longest_execution_ = std::max(longest_execution_, trace.size() + decoded.left_out);
    }
    accesses_ += decoded.accesses;
    threads_ = std::max(threads_, decoded.threads);
    left_out_ += decoded.left_out;
  }

  void describe_search(const prediction::CycleSearch& search) {
    if (accesses_ == 0)
      note(
          "the program makes no atomic accesses, so there is nothing to reorder; plain accesses of racy C code become "
          "atomic with heddle cc --plain=relaxed");
    else if (threads_ < 2)
      note("only one thread makes atomic accesses, and a cycle needs two");
    if (left_out_ != 0)
      note(
          fmt::format("executions are too long for the search: their first {} steps were searched, and {} steps were "
                      "left out; give the program less to do",
                      channel::AccessTrace::most_steps, left_out_));
    if (search.is_cut_off())
      note(
          fmt::format("the search for cycles ended at its bound, with {} cycles: there may be more; give the program "
                      "less to do, or ask for shorter cycles (--cycle-length)",
                      search.cycles().size()));
  }

  // ---- phase II ---------------------------------------------------------------------------------------------
  Outcome confirm(ModelSummary& model) {
    std::vector<std::size_t> directed;  // numbers of the cycles that may happen
    std::vector<Cycle> cycles;
    for (std::size_t i = 0; i < results_.cycles.size(); ++i) {
      if (!may_happen(kinds_of(results_.cycles[i].cycle, results_.labels), model.model)) continue;
      directed.push_back(i);
      cycles.push_back(results_.cycles[i].cycle);
      results_.cycles[i].trials.back().is_directed = true;
    }
    model.directed = directed.size();
    if (directed.empty()) return {};
    campaign::Settings settings = settings_for("directed", model.model);
    settings.has_cycles = true;
    std::vector<TrialResult> trials(cycles.size() * subject_.run.trials);
    settings.end_execution = trials.size() * subject_.run.trial_runs;
    settings.prepare_channel = [&](campaign::ChannelMemory& channel) {
      write_cycles(cycles, trials, channel.cycles());
    };
    // A worker that died is replaced: the next one continues with the results so far.
    settings.read_channel = [&](const campaign::ChannelMemory& channel) {
      std::copy_n(channel.cycles().results, trials.size(), trials.begin());
    };
    const auto start = std::chrono::steady_clock::now();
    auto results = campaign::run_campaign(settings);
    model.seconds = seconds_since(start);
    if (!results) return results.problem();
    if (!results->failure.empty()) return test_problem(results->failure);
    results_.interrupted = results->interrupted;
    if (!results->stopped_by_limit.empty()) note(fmt::format("{}: {}", model.model, results->stopped_by_limit));
    model.executions = results->statistics.executions;
    add_up(directed, trials, model);
    return write_traces(settings, directed, *results);
  }

  void write_cycles(const std::vector<Cycle>& cycles, const std::vector<TrialResult>& trials, CycleTable& table) {
    prediction::write_table(cycles, results_.labels, table);
    table.trials = static_cast<std::uint32_t>(subject_.run.trials);
    table.executions = static_cast<std::uint32_t>(subject_.run.trial_runs);
    table.longest_execution = longest_execution_;
    std::copy(trials.begin(), trials.end(), table.results);
    for (const findings::Finding& finding : results_.sc_findings)
      if (table.known_bug_count < CycleTable::most_known_bugs) table.known_bugs[table.known_bug_count++] = finding.key;
  }

  void add_up(const std::vector<std::size_t>& directed, const std::vector<TrialResult>& trials, ModelSummary& model) {
    double probability = 0;
    for (std::size_t i = 0; i < directed.size(); ++i) {
      CycleTrials& sum = results_.cycles[directed[i]].trials.back();
      for (std::uint64_t trial = 0; trial < subject_.run.trials; ++trial) {
        const TrialResult& result = trials[i * subject_.run.trials + trial];
        sum.trials += result.executions != 0 ? 1 : 0;
        sum.executions += result.executions;
        sum.with_cycle += result.confirmed;
        sum.confirmed += result.confirmed != 0 ? 1 : 0;
        sum.buggy += result.buggy != 0 ? 1 : 0;
        if (result.bug == 0 || sum.bug != 0) continue;
        sum.bug = result.bug;
        sum.bug_execution = result.bug_execution;
      }
      model.trials += sum.trials;
      model.confirmed += sum.confirmed != 0 ? 1 : 0;
      model.buggy += sum.buggy != 0 ? 1 : 0;
      probability += sum.probability();
    }
    if (model.confirmed != 0) model.probability = probability / static_cast<double>(model.confirmed);
  }

  /// Writes the trace of one execution that had the cycle, with a bug if there was one, for each cycle.
  Outcome write_traces(campaign::Settings& settings, const std::vector<std::size_t>& directed,
                       findings::Results& results) {
    std::map<std::uint64_t, const findings::Finding*> bugs;  // by key
    std::map<std::uint64_t, findings::Finding*> violations;  // by execution
    for (findings::Finding& finding : results.findings) {
      bugs[finding.key] = &finding;
      if (finding.kind == findings::FindingKind::sc_violation) violations[finding.execution] = &finding;
    }
    const std::uint64_t executions = subject_.run.trials * subject_.run.trial_runs;  // of a cycle
    for (std::size_t i = 0; i < directed.size(); ++i) {
      prediction::PredictedCycle& cycle = results_.cycles[directed[i]];
      CycleTrials& trials = cycle.trials.back();
      if (const auto bug = bugs.find(trials.bug); trials.bug != 0 && bug != bugs.end())
        trials.bug_text = report::headline(*bug->second);
      const auto shown = violations.lower_bound(trials.bug != 0 ? trials.bug_execution : i * executions);
      if (shown == violations.end() || shown->first >= (i + 1) * executions) continue;
      const std::string text = prediction::to_text(prediction::directed_cycle(cycle.cycle, results_.labels));
      if (!settings.run.cycle.assign(text)) continue;  // too many places in the code: the trace could not be judged
      if (auto problem = folder_.write_trace(settings, results.isolation, *shown->second)) return problem;
      trials.trace = shown->second->trace;
    }
    return {};
  }

  void add_remedies(prediction::PredictedCycle& cycle) const {
    std::vector<std::string> models;
    for (std::size_t m = 0; m < results_.models.size(); ++m)
      if (cycle.trials[m].confirmed != 0) models.push_back(results_.models[m].model);
    if (!models.empty()) cycle.remedies = remedies_of(kinds_of(cycle.cycle, results_.labels), models);
  }

  void note(const std::string& text) {
    if (std::find(results_.notes.begin(), results_.notes.end(), text) == results_.notes.end())
      results_.notes.push_back(text);
  }

  const Predict& task_;
  const campaign::Subject& subject_;
  Observer& observer_;
  campaign::OutputFolder folder_;
  prediction::LabelBook labels_;
  prediction::Results results_;
  std::size_t accesses_ = 0;
  std::uint64_t longest_execution_ = 0;  ///< steps
  std::size_t threads_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace

Result<prediction::Results> run(const Predict& task) {
  task.observer.begin_campaign();
  auto results = PredictionRun(task).run();
  task.observer.end_campaign();
  return results;
}

}  // namespace heddle::session
