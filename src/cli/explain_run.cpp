#include "cli/explain_run.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "campaign/campaign.hpp"
#include "cli/minimize_run.hpp"
#include "story/explain.hpp"

namespace heddle::cli {

namespace {

using findings::Explanation;
using findings::Finding;
using findings::FindingKind;

// How long the search for a simpler execution of one finding may take. The budget, a number of executions and events,
// ends nearly every search much earlier, so that the result does not depend on the speed of the machine. Only a program
// that computes for long between its events comes here, and its explanation says so.
constexpr std::chrono::milliseconds longest_search{20'000};
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

class FindingExplainer {
 public:
  FindingExplainer(const campaign::Settings& settings, run::Isolation isolation)
      : settings_(settings), isolation_(isolation) {}

  void explain(Finding& finding) {
    auto replay = replay_settings(settings_, isolation_, finding);
    if (!replay) return;
    replay->run.time = longest_search;
    // Every try of a livelock spins until heddle recognises it, which takes too long for many tries.
    if (finding.kind == FindingKind::livelock) return explain_unminimized(finding, *replay);
    auto minimized = minimize_execution(*replay, finding.key, campaign_budget);
    if (!minimized) return explain_unminimized(finding, *replay);
    if (!minimized->log.log) {
      finding.explanation.emplace().why_not = minimized->log.why_not;
      return;
    }
    const story::ExecutionLog& log = *minimized->log.log;
    const auto models = verdicts(finding, log, minimized->counts.shows_without_stale_reads != 0);
    const bool shows_under_sc = std::any_of(models.begin(), models.end(), [](const findings::ModelVerdict& verdict) {
      return verdict.model == "sc" && verdict.shows;
    });
    take_over(finding, std::move(minimized->finding));
    finding.explanation =
        story::explain(finding, log, shows_under_sc ? story::NeedsStaleReads::no : story::NeedsStaleReads::perhaps);
    Explanation& explanation = *finding.explanation;
    explanation.models = models;
    const std::uint64_t threads = explanation.counts.threads;
    explanation.counts = counts_of(minimized->counts.best);
    explanation.counts.threads = threads;
    explanation.before = counts_of(minimized->counts.first);
    explanation.tries = minimized->counts.tries;
    explanation.stopped_by_time = minimized->counts.stopped_by_time != 0;
  }

 private:
  static void explain_unminimized(Finding& finding, const campaign::Settings& settings) {
    const auto replay = replay_with_log(settings);
    if (replay) explain_replay(finding, replay->log);
  }

  /// Whether models that allow less show the finding, too.
  std::vector<findings::ModelVerdict> verdicts(const Finding& finding, const story::ExecutionLog& log,
                                               bool shows_without_stale_reads) const {
    std::vector<findings::ModelVerdict> verdicts;
    const std::string model(settings_.run.model.view());
    if (model == "sc") return verdicts;
    const bool is_sequential = log.stale_reads == 0 || shows_without_stale_reads;
    const std::uint64_t executions = std::min(most_events / (log.events.size() + 1), most_executions);
    for (const std::string weaker : {"sc", "tso"}) {
      if (weaker == model) break;
      if (is_sequential)
        verdicts.push_back({weaker, true, true, 0});
      else if (settings_.check == 0 && executions >= least_executions)
        verdicts.push_back(try_model(finding, weaker, executions));
    }
    return verdicts;
  }

  findings::ModelVerdict try_model(const Finding& finding, const std::string& model, std::uint64_t executions) const {
    campaign::Settings settings = settings_;
    settings.run.model.assign(model);
    settings.run.strategy.assign("auto");
    settings.run.time = longest_search;
    settings.run.jobs = 1;
    settings.run.stop_on_bug = false;
    settings.run.corpus.assign("");
    settings.run.isolation = isolation_;
    settings.first_execution = 0;
    settings.end_execution = executions;
    settings.shard = {};
    settings.on_state = {};
    settings.on_progress = {};
    settings.on_finding = {};
    findings::ModelVerdict verdict{model, false, false, 0};
    const auto results = campaign::run_campaign(settings);
    if (!results) return verdict;
    verdict.shows = std::any_of(results->findings.begin(), results->findings.end(),
                                [&](const Finding& other) { return other.key == finding.key; });
    verdict.executions = results->statistics.executions;
    verdict.is_proved = verdict.shows || results->search.is_proof();
    return verdict;
  }

  const campaign::Settings& settings_;
  run::Isolation isolation_;
};

}  // namespace

void explain_replay(Finding& finding, const story::DecodedLog& log) {
  if (log.log)
    finding.explanation = story::explain(finding, *log.log, story::NeedsStaleReads::perhaps);
  else
    finding.explanation.emplace().why_not = log.why_not;
}

void explain_findings(const campaign::Settings& settings, findings::Results& results) {
  if (settings.run.explain == run::Explain::none || results.interrupted) return;
  FindingExplainer explainer(settings, results.isolation);
  std::set<FindingKind> explained;
  for (Finding& finding : results.findings) {
    if (!can_be_explained(finding)) continue;
    if (settings.run.explain == run::Explain::first && !explained.insert(finding.kind).second) continue;
    explainer.explain(finding);
  }
}

}  // namespace heddle::cli
