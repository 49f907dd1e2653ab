#include "session/explain.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "models/sc.hpp"
#include "models/tso.hpp"
#include "session/check_fix.hpp"
#include "session/minimise.hpp"
#include "session/sample.hpp"
#include "story/explain.hpp"
#include "story/linearise.hpp"

namespace heddle::session {

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
  finding.events = minimized.events;
  finding.graph_events = minimized.graph_events;
  static_cast<findings::Evidence&>(finding) = std::move(minimized);
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
  FindingExplainer(const campaign::Subject& subject, const findings::Results& results, const Deadline& deadline)
      : subject_(subject), results_(results), isolation_(results.isolation), deadline_(deadline) {}

  void explain(Finding& finding) {
    if (!has_passed(deadline_)) explain_in_time(finding);
    if (finding.explanation || !has_passed(deadline_)) return;
    finding.explanation.emplace().why_not =
        "the time of --time passed before heddle could explain the finding; run heddle minimize on the trace, or raise "
        "--time";
  }

 private:
  /// The search for a simpler execution leaves half of what is left to the rest of the explanation.
  TimeLimit time_limit() const {
    if (!deadline_) return {longest_search};
    const auto half = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - Clock::now()) / 2;
    return {std::clamp(half, std::chrono::milliseconds(1), longest_search), deadline_};
  }

  void explain_in_time(Finding& finding) {
    auto replay = Replay::of_finding(subject_, isolation_, finding);
    if (!replay) return;
    replay->limit = time_limit();
    // Every try of a livelock spins until heddle recognises it, which takes too long for many tries.
    if (finding.kind == FindingKind::livelock) return explain_unminimized(finding, *replay);
    auto minimized = run(Minimise{*replay, finding.key});
    if (!minimized) return explain_unminimized(finding, *replay);
    if (!minimized->log.log) {
      finding.explanation.emplace().why_not = minimized->log.why_not;
      return;
    }
    sequential_.reset();
    const auto models = verdicts(finding, *minimized->log.log, minimized->counts.shows_without_stale_reads != 0);
    const channel::Minimized::Cost before = minimized->counts.first;
    if (auto told = minimize_sequential(finding)) *minimized = std::move(*told);
    minimized->counts.first = before;
    take_over(finding, std::move(minimized->finding));
    finding.explanation = story::explain(finding, *minimized->log.log, needs_stale_reads(models));
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
    campaign::Subject subject;
    Finding finding;
  };

  /// If sequential consistency shows the finding, its story needs no stale reads.
  std::optional<Minimised> minimize_sequential(Finding& finding) {
    if (!sequential_ || !sequential_->finding.recorded) return std::nullopt;
    auto replay = Replay::of_finding(sequential_->subject, isolation_, sequential_->finding);
    if (!replay) return std::nullopt;
    replay->limit = time_limit();
    auto minimized = run(Minimise{*replay, finding.key});
    if (!minimized || !minimized->log.log) return std::nullopt;
    finding.told = {sequential_->finding.execution, models::sc_model.name, sequential_->finding.strategy};
    return std::move(*minimized);
  }

  void explain_unminimized(Finding& finding, const Replay& replay) const {
    auto replayed = run(replay);
    if (!replayed) return;
    if (find_key(replayed->results, finding.key) != nullptr || replayed->results.failure.empty()) {
      explain_log(finding, replayed->log);
      if (replayed->log.log) check_fix(fix_task(finding), finding, *replayed->log.log);
      return;
    }
    Explanation& explanation = finding.explanation.emplace();
    explanation.did_not_replay = true;
    explanation.why_not = replayed->results.failure;
  }

  FixTask fix_task(const Finding& finding) const {
    const std::uint64_t executions = results_.statistics.executions;
    FixTask task{subject_, isolation_, deadline_,
                 executions == 0 ? 0 : static_cast<double>(finding.count) / static_cast<double>(executions)};
    for (const Finding& other : results_.findings)
      if (&other != &finding) task.others.push_back(other.key);
    return task;
  }

  /// Whether models that allow less show the finding, too.
  std::vector<findings::ModelVerdict> verdicts(const Finding& finding, const story::ExecutionLog& log,
                                               bool shows_without_stale_reads) {
    std::vector<findings::ModelVerdict> verdicts;
    const std::string model(subject_.run.model.view());
    if (models::model_named(model).is_sequential) return verdicts;
    const bool is_sequential = shows_without_stale_reads || story::is_sequentially_consistent(log);
    const std::uint64_t executions = std::min(most_events / (log.events.size() + 1), most_executions);
    for (const std::string weaker : {models::sc_model.name, models::tso_model.name}) {
      if (weaker == model) break;
      if (is_sequential)
        verdicts.push_back({weaker, true, true, 0});
      else if (subject_.check == 0 && executions >= least_executions)
        verdicts.push_back(try_model(finding, weaker, executions));
      // What was not tried, because the time was up, is not known.
      if (!verdicts.empty() && !verdicts.back().shows && verdicts.back().executions == 0) verdicts.pop_back();
    }
    return verdicts;
  }

  findings::ModelVerdict try_model(const Finding& finding, const std::string& model, std::uint64_t executions) {
    Sample sample{subject_, executions, isolation_};
    sample.subject.run.model.assign(model);
    sample.limit = time_limit();
    findings::ModelVerdict verdict{model, false, false, 0};
    auto sampled = run(sample);
    if (!sampled) return verdict;
    Finding* const same = find_key(sampled->results, finding.key);
    verdict.shows = same != nullptr;
    if (verdict.shows && model == models::sc_model.name) sequential_ = {sampled->subject, std::move(*same)};
    verdict.executions = sampled->results.statistics.executions;
    verdict.is_proved = verdict.shows || sampled->results.search.is_proof();
    return verdict;
  }

  const campaign::Subject& subject_;
  const findings::Results& results_;
  run::Isolation isolation_;
  std::optional<SequentialFinding> sequential_;  ///< of the finding that is being explained
  Deadline deadline_;
};

bool is_explained(const Finding& finding) { return finding.explanation && finding.explanation->why_not.empty(); }

}  // namespace

void explain_replay(const Replay& replay, Finding& finding, const story::DecodedLog& log) {
  explain_log(finding, log);
  if (log.log) check_fix({replay.subject, replay.subject.run.isolation, replay.limit.deadline}, finding, *log.log);
}

void explain_findings(const campaign::Subject& subject, findings::Results& results, const Deadline& deadline) {
  if (subject.run.explain == run::Explain::none || results.interrupted) return;
  FindingExplainer explainer(subject, results, deadline);
  std::set<FindingKind> explained;
  std::map<FindingKind, std::size_t> failures;
  for (Finding& finding : results.findings) {
    if (!can_be_explained(finding) || failures[finding.kind] == most_failures) continue;
    if (subject.run.explain == run::Explain::first && explained.contains(finding.kind)) continue;
    explainer.explain(finding);
    if (finding.explanation && is_in_every_execution(finding, results)) story::tell_every_execution(finding);
    if (is_explained(finding))
      explained.insert(finding.kind);
    else
      ++failures[finding.kind];
  }
}

}  // namespace heddle::session
