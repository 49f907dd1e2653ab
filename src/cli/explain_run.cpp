#include "cli/explain_run.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "campaign/campaign.hpp"
#include "cli/fix_run.hpp"
#include "cli/minimize_run.hpp"
#include "cli/trial_run.hpp"
#include "story/explain.hpp"
#include "story/linearise.hpp"

namespace heddle::cli {

namespace {

using findings::Explanation;
using findings::Finding;
using findings::FindingKind;

// How long the search for a simpler execution of one finding may take. The budget, a number of executions and events,
// ends nearly every search much earlier, so that the result does not depend on the speed of the machine. Only a program
// that computes for long between its events comes here, and its explanation says so.
constexpr std::chrono::milliseconds longest_search{20'000};
// Each finding that does not replay costs a replay. Of more than these of one kind, the rest is not tried.
constexpr std::size_t most_failures = 3;
// Another model is tried with so many executions, or with fewer long ones. Fewer than the least say nothing.
constexpr std::uint64_t most_executions = 300;
constexpr std::uint64_t least_executions = 10;
constexpr std::uint64_t most_events = 100'000;

findings::ExecutionCounts counts_of(const channel::Minimized::Cost& cost) {
  return {cost.switches, cost.stale_reads, cost.events, 0};
}

bool can_be_explained(const Finding& finding) {
  return findings::is_bug(finding) && !finding.is_known && finding.recorded;
}

/// The finding describes the minimised execution from now on. What the campaign knows about it stays.
void take_over(Finding& finding, Finding&& minimized) {
  finding.message = std::move(minimized.message);
  finding.thread = std::move(minimized.thread);
  finding.stack = std::move(minimized.stack);
  finding.accesses = std::move(minimized.accesses);
  finding.object = std::move(minimized.object);
  finding.threads = std::move(minimized.threads);
  finding.cycle = std::move(minimized.cycle);
  finding.events = minimized.events;
  finding.graph_events = minimized.graph_events;
  finding.output = std::move(minimized.output);
  finding.decisions = std::move(minimized.decisions);
}

void explain_log(Finding& finding, const story::DecodedLog& log) {
  if (log.log)
    finding.explanation = story::explain(finding, *log.log, story::NeedsStaleReads::perhaps);
  else
    finding.explanation.emplace().why_not = log.why_not;
}

/// Fewer executions may all have the same schedule.
constexpr std::uint64_t least_executions_to_judge = 50;

/// Every execution showed the finding, and there were enough of them, or all that there are.
bool is_in_every_execution(const Finding& finding, const findings::Results& results) {
  const findings::Statistics& s = results.statistics;
  const bool are_enough =
      s.executions >= least_executions_to_judge || findings::is_all_explored(results) || results.search.is_proof();
  return are_enough && finding.count == s.executions;
}

class FindingExplainer {
 public:
  FindingExplainer(const campaign::Settings& settings, const findings::Results& results,
                   std::optional<campaign::Clock::time_point> deadline)
      : settings_(settings), results_(results), isolation_(results.isolation), deadline_(deadline) {}

  void explain(Finding& finding) {
    if (!is_out_of_time()) explain_in_time(finding);
    if (finding.explanation || !is_out_of_time()) return;
    finding.explanation.emplace().why_not =
        "the time of --time passed before heddle could explain the finding; run heddle minimize on the trace, or raise "
        "--time";
  }

 private:
  bool is_out_of_time() const { return deadline_ && campaign::Clock::now() >= *deadline_; }

  /// The executions of these settings end in time. The search for a simpler execution leaves half of what is left to
  /// the rest of the explanation.
  void limit_time(campaign::Settings& settings) const {
    settings.run.time = longest_search;
    settings.ends_at = deadline_;
    if (!deadline_) return;
    const auto half = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - campaign::Clock::now()) / 2;
    settings.run.time = std::clamp(half, std::chrono::milliseconds(1), longest_search);
  }

  void explain_in_time(Finding& finding) {
    auto replay = replay_settings(settings_, isolation_, finding);
    if (!replay) return;
    limit_time(*replay);
    // Every try of a livelock spins until heddle recognises it, which takes too long for many tries.
    if (finding.kind == FindingKind::livelock) return explain_unminimized(finding, *replay);
    auto minimized = minimize_execution(*replay, finding.key, campaign_budget);
    if (!minimized) return explain_unminimized(finding, *replay);
    if (!minimized->log.log) {
      finding.explanation.emplace().why_not = minimized->log.why_not;
      return;
    }
    sequential_.reset();
    const auto models = verdicts(finding, *minimized->log.log, minimized->counts.shows_without_stale_reads != 0);
    const bool shows_under_sc = std::any_of(models.begin(), models.end(), [](const findings::ModelVerdict& verdict) {
      return verdict.model == "sc" && verdict.shows;
    });
    const channel::Minimized::Cost before = minimized->counts.first;
    if (auto told = minimize_sequential(finding)) *minimized = std::move(*told);
    minimized->counts.first = before;
    take_over(finding, std::move(minimized->finding));
    finding.explanation = story::explain(finding, *minimized->log.log,
                                         shows_under_sc ? story::NeedsStaleReads::no : story::NeedsStaleReads::perhaps);
    Explanation& explanation = *finding.explanation;
    explanation.models = models;
    const std::uint64_t threads = explanation.counts.threads;
    // A story without stale reads has an order of its own.
    const bool has_own_order = explanation.counts.stale_reads == 0 && minimized->counts.best.stale_reads != 0;
    if (!has_own_order) explanation.counts = counts_of(minimized->counts.best);
    explanation.counts.threads = threads;
    explanation.before = counts_of(minimized->counts.first);
    explanation.tries = minimized->counts.tries;
    explanation.stopped_by_time = minimized->counts.stopped_by_time != 0;
    check_fix(fix_task(finding), finding, *minimized->log.log);
  }

  /// A finding of a run under sequential consistency.
  struct SequentialFinding {
    campaign::Settings settings;
    Finding finding;
  };

  /// If sequential consistency shows the finding, its story needs no stale reads.
  std::optional<MinimizedExecution> minimize_sequential(Finding& finding) {
    if (!sequential_ || !sequential_->finding.recorded) return std::nullopt;
    auto replay = replay_settings(sequential_->settings, isolation_, sequential_->finding);
    if (!replay) return std::nullopt;
    limit_time(*replay);
    auto minimized = minimize_execution(*replay, finding.key, campaign_budget);
    if (!minimized || !minimized->log.log) return std::nullopt;
    finding.told = {sequential_->finding.execution, "sc", sequential_->finding.strategy};
    return std::move(*minimized);
  }

  void explain_unminimized(Finding& finding, const campaign::Settings& settings) const {
    const auto replay = replay_with_log(settings);
    if (!replay) return;
    const bool shows_finding = std::any_of(replay->results.findings.begin(), replay->results.findings.end(),
                                           [&](const Finding& other) { return other.key == finding.key; });
    if (shows_finding || replay->results.failure.empty()) {
      explain_log(finding, replay->log);
      if (replay->log.log) check_fix(fix_task(finding), finding, *replay->log.log);
      return;
    }
    Explanation& explanation = finding.explanation.emplace();
    explanation.did_not_replay = true;
    explanation.why_not = replay->results.failure;
  }

  FixTask fix_task(const Finding& finding) const {
    const std::uint64_t executions = results_.statistics.executions;
    FixTask task{settings_, isolation_, deadline_,
                 executions == 0 ? 0 : static_cast<double>(finding.count) / static_cast<double>(executions)};
    for (const Finding& other : results_.findings)
      if (&other != &finding) task.others.push_back(other.key);
    return task;
  }

  /// Whether models that allow less show the finding, too.
  std::vector<findings::ModelVerdict> verdicts(const Finding& finding, const story::ExecutionLog& log,
                                               bool shows_without_stale_reads) {
    std::vector<findings::ModelVerdict> verdicts;
    const std::string model(settings_.run.model.view());
    if (model == "sc") return verdicts;
    const bool is_sequential = shows_without_stale_reads || story::is_sequentially_consistent(log);
    const std::uint64_t executions = std::min(most_events / (log.events.size() + 1), most_executions);
    for (const std::string weaker : {"sc", "tso"}) {
      if (weaker == model) break;
      if (is_sequential)
        verdicts.push_back({weaker, true, true, 0});
      else if (settings_.check == 0 && executions >= least_executions)
        verdicts.push_back(try_model(finding, weaker, executions));
      // What was not tried, because the time was over, is not known.
      if (!verdicts.empty() && !verdicts.back().shows && verdicts.back().executions == 0) verdicts.pop_back();
    }
    return verdicts;
  }

  findings::ModelVerdict try_model(const Finding& finding, const std::string& model, std::uint64_t executions) {
    campaign::Settings settings = trial_settings(settings_, isolation_, executions);
    settings.run.model.assign(model);
    limit_time(settings);
    findings::ModelVerdict verdict{model, false, false, 0};
    const auto results = campaign::run_campaign(settings);
    if (!results) return verdict;
    const auto same = std::find_if(results->findings.begin(), results->findings.end(),
                                   [&](const Finding& other) { return other.key == finding.key; });
    verdict.shows = same != results->findings.end();
    if (verdict.shows && model == "sc") sequential_ = {settings, std::move(*same)};
    verdict.executions = results->statistics.executions;
    verdict.is_proved = verdict.shows || results->search.is_proof();
    return verdict;
  }

  const campaign::Settings& settings_;
  const findings::Results& results_;
  run::Isolation isolation_;
  std::optional<SequentialFinding> sequential_;  ///< of the finding that is being explained
  std::optional<campaign::Clock::time_point> deadline_;
};

bool is_explained(const Finding& finding) { return finding.explanation && finding.explanation->why_not.empty(); }

}  // namespace

void explain_replay(const campaign::Settings& settings, Finding& finding, const story::DecodedLog& log) {
  explain_log(finding, log);
  if (log.log) check_fix({settings, settings.run.isolation, settings.ends_at}, finding, *log.log);
}

void explain_findings(const campaign::Settings& settings, findings::Results& results,
                      std::optional<campaign::Clock::time_point> deadline) {
  if (settings.run.explain == run::Explain::none || results.interrupted) return;
  FindingExplainer explainer(settings, results, deadline);
  std::set<FindingKind> explained;
  std::map<FindingKind, std::size_t> failures;
  for (Finding& finding : results.findings) {
    if (!can_be_explained(finding) || failures[finding.kind] == most_failures) continue;
    if (settings.run.explain == run::Explain::first && explained.contains(finding.kind)) continue;
    explainer.explain(finding);
    if (finding.explanation && is_in_every_execution(finding, results)) story::tell_every_execution(finding);
    if (is_explained(finding))
      explained.insert(finding.kind);
    else
      ++failures[finding.kind];
  }
}

}  // namespace heddle::cli
