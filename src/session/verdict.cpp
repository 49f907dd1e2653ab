#include "session/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::session {

namespace {

/// The user knows of the races and crashes (--baseline), and nothing else keeps the search from being a proof.
bool has_known_bugs_only(const findings::Results& results) {
  channel::ProofGaps known = results.gaps.set;
  known.add(channel::ProofGap::race);
  known.add(channel::ProofGap::crash);
  channel::ProofGaps bugs;
  bugs.add(channel::ProofGap::race);
  bugs.add(channel::ProofGap::crash);
  return results.has_baseline && known == bugs;
}

Verdict inconclusive(std::string why) { return {ExitCode::cannot_test, std::move(why)}; }

Verdict verdict_of_search(const campaign::Shard& shard, const findings::Results& results) {
  if (results.search_finished && results.statistics.cut_off != 0)
    return inconclusive("no bug, but executions were cut off at a bound: the search was not exhaustive");
  if (results.interrupted) return {};
  if (!results.search_finished && results.statistics.executions == 0)
    return inconclusive(
        "no execution ran to its end: the first one was still running when --time had passed; raise --time, or "
        "find the loop that does not end with a small --max-events");
  if (!results.search_finished) return inconclusive("no bug, but not all executions were explored");
  // A shard proves nothing by itself. heddle merge says what all of them come to.
  if (!results.gaps.empty() && shard.count == 1 && !has_known_bugs_only(results))
    return inconclusive("no bug, but the search is no proof: " + results.gaps.text());
  return {};
}

}  // namespace

Verdict verdict_of(const campaign::Subject& subject, const campaign::Shard& shard, const findings::Results& results) {
  if (!results.failure.empty()) return inconclusive(results.failure);
  if (findings::has_new_bugs(results)) return {ExitCode::bug_found};
  if (!results.incomplete.empty()) return inconclusive("no bug, but " + results.incomplete);
  if (!results.stopped_by_limit.empty()) return inconclusive("no bug, but " + results.stopped_by_limit);
  const auto cut_off = [](const findings::Finding& finding) {
    return !findings::is_bug(finding) && !finding.is_warning;
  };
  if (std::any_of(results.findings.begin(), results.findings.end(), cut_off))
    return inconclusive("no bug, but a limit was reached, so some executions did not run to their end");
  if (results.is_exhaustive)
    if (Verdict verdict = verdict_of_search(shard, results); verdict.code != ExitCode::no_bug) return verdict;
  if (results.interrupted)
    return inconclusive(fmt::format("interrupted before all executions were done{}",
                                    subject.run.resume.empty() ? "" : "; the same command continues"));
  const findings::Statistics& s = results.statistics;
  // In a shard, all executions may wait.
  if (results.is_exhaustive && s.executions != 0 && s.executions == s.blocked && shard.count == 1)
    return inconclusive(
        "no bug, but no execution ran to its end: in all of them, threads wait for something that the search leaves "
        "out; -s exhaustive:spurious=N allows a thread more than one time-out");
  if (!results.is_exhaustive && s.executions != 0 && s.executions == s.cut_off)
    return inconclusive(
        "no bug, but no execution ended normally: each of them ended its process in a way that heddle does not see, "
        "such as a system call in assembly; end the program with exit, or by returning from main");
  // A shard of a short campaign may have nothing to do.
  if (s.executions == 0 && shard.count == 1) return inconclusive("no execution was run to its end");
  return {};
}

}  // namespace heddle::session
