#include "session/program_trial.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/output_folder.hpp"
#include "campaign/search_restart.hpp"
#include "channel/finding_kind.hpp"
#include "report/places.hpp"
#include "report/text.hpp"
#include "session/minimise.hpp"
#include "session/sample.hpp"

namespace heddle::session {

namespace {

// Different findings of one run tell different things; more than a few take longer than they save.
constexpr std::size_t most_witnesses = 3;
constexpr MinimisationBudget witness_budget{300, 60'000};

class ProgramTrialRun {
 public:
  ProgramTrialRun(const ProgramTrial& task, Trial& trial, std::uint64_t& executions)
      : task_(task), trial_(trial), executions_(executions) {}

  void run() {
    if (search() || sample()) return;
    trial_.judgement = orders::Judgement::unknown;
  }

 private:
  /// Returns whether that was enough for a judgement.
  bool search() {
    if (task_.budget.search == 0 || !takes_search(task_.subject.run)) return false;
    campaign::Settings settings(task_.subject);
    settings.run.strategy.assign("exhaustive");
    settings.run.jobs = 1;
    settings.run.stop_on_bug = task_.ignored.empty();
    settings.run.keep_going = !task_.ignored.empty();
    settings.end_execution = task_.budget.search;
    const auto results = run_search(settings);
    if (!results) return false;
    if (was_interrupted(*results)) return true;
    executions_ += results->statistics.executions;
    if (take_bugs(settings, *results)) return true;
    const std::uint64_t graphs = results->statistics.executions - results->statistics.blocked;
    if (!findings::is_all_explored(*results) || !results->failure.empty() || graphs == 0) return false;
    trial_.certificates.push_back({true, graphs, {}});
    return true;
  }

  bool sample() {
    Sample sample{task_.subject, task_.budget.samples, task_.subject.run.isolation, task_.ignored.empty()};
    auto sampled = session::run(sample);
    if (!sampled) {
      trial_.problem = sampled.problem().text;
      return false;
    }
    const findings::Results& results = sampled->results;
    if (was_interrupted(results)) return true;
    executions_ += results.statistics.executions;
    if (take_bugs(sampled->subject, results)) return true;
    if (results.statistics.executions == results.statistics.cut_off) {
      trial_.problem =
          results.failure.empty() ? "no execution of the program ended within its limits" : results.failure;
      return false;
    }
    const bool is_proved = results.search.is_proof();
    trial_.certificates.push_back({is_proved, is_proved ? results.search.graphs() : results.statistics.executions,
                                   results.coverage.chance_of_new});
    return true;
  }

  /// Ctrl-C reaches this process, too. What it has seen is not enough for a judgement.
  bool was_interrupted(const findings::Results& results) {
    if (!results.interrupted) return false;
    trial_.judgement = orders::Judgement::unknown;
    trial_.problem = "interrupted";
    return true;
  }

  bool counts(const findings::Finding& finding) const {
    return findings::is_bug(finding) && !finding.is_known && finding.kind != findings::FindingKind::limit &&
           std::find(task_.ignored.begin(), task_.ignored.end(), finding.key) == task_.ignored.end();
  }

  bool take_bugs(const campaign::Subject& subject, const findings::Results& results) {
    bool has_bug = false;
    for (const findings::Finding& finding : results.findings) {
      if (!counts(finding)) continue;
      has_bug = true;
      OrderBug bug{task_.number, finding.key, std::string(channel::name_of(finding.kind)), report::headline(finding)};
      add_plain_accesses(bug, finding);
      findings::Finding traced = finding;
      if (!task_.out.empty() && !campaign::OutputFolder(task_.out).write_trace(subject, results.isolation, traced))
        bug.trace = traced.trace;
      trial_.bugs.push_back(std::move(bug));
      if (task_.dimensions != nullptr && trial_.witnesses.size() < most_witnesses)
        if (auto witness = witness_of(subject, results.isolation, finding))
          trial_.witnesses.push_back(std::move(*witness));
    }
    if (has_bug) trial_.judgement = orders::Judgement::wrong;
    return has_bug;
  }

  static void add_plain_accesses(OrderBug& bug, const findings::Finding& finding) {
    if (finding.kind != findings::FindingKind::race) return;
    // Frees and locks cannot become atomic.
    const bool are_accesses =
        std::all_of(finding.accesses.begin(), finding.accesses.end(), [](const findings::Access& access) {
          return access.order != graph::MemoryOrder::plain || access.kind == findings::AccessKind::read ||
                 access.kind == findings::AccessKind::write;
        });
    if (!are_accesses) return;
    for (const findings::Access& access : finding.accesses) {
      if (access.order != graph::MemoryOrder::plain) continue;
      orders::PlainAccess plain{{}, report::access_text(access)};
      if (const findings::Frame* frame = report::first_known_frame(access.stack))
        plain.place = {frame->file, frame->line, frame->column, frame->function};
      if (std::find(bug.plain.begin(), bug.plain.end(), plain) == bug.plain.end())
        bug.plain.push_back(std::move(plain));
    }
    for (const findings::Finding& variant : finding.variants) add_plain_accesses(bug, variant);
  }

  /// Of the simplest execution that shows the finding: it has the fewest stale reads, so it excludes the most orders.
  std::optional<orders::Witness> witness_of(const campaign::Subject& subject, run::Isolation isolation,
                                            const findings::Finding& finding) const {
    auto replay = Replay::of_finding(subject, isolation, finding);
    if (!replay) return std::nullopt;
    auto simplest = find_simplest({*replay, finding.key, witness_budget});
    auto recorded = run_for_records(simplest ? simplest->replay : *replay);
    if (!recorded || !recorded->records) return std::nullopt;
    const findings::Finding* shown = find_key(recorded->results, finding.key);
    if (shown == nullptr) return std::nullopt;
    return make_witness(*shown, *recorded->records, recorded->modules, task_.sites, *task_.dimensions);
  }

  const ProgramTrial& task_;
  Trial& trial_;
  std::uint64_t& executions_;
};

}  // namespace

bool takes_search(const run::RunSpecification& run) {
  return run.time_model == run::TimeModel::free && run.isolation != run::Isolation::fork;
}

Result<findings::Results> run_search(campaign::Settings& settings) {
  auto results = campaign::run_campaign(settings);
  while (results && results->needed_search &&
         campaign::drop_assumption(*results->needed_search, settings.run.strategy, settings.run.racy_sites)) {
    settings.has_begun_again = true;
    results = campaign::run_campaign(settings);
  }
  return results;
}

void run(const ProgramTrial& task, Trial& trial, std::uint64_t& executions) {
  trial.judgement = orders::Judgement::right;
  ProgramTrialRun(task, trial, executions).run();
}

}  // namespace heddle::session
