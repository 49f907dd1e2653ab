#include "engine/worker/search_judge.hpp"

#include <cstdio>

#include "engine/isolation/unseen_code.hpp"
#include "engine/memory/racy_sites.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::SearchAssumption;
using strategies::Outcome;

bool SearchJudge::accepts(Outcome& outcome) {
  const Method& method = methods_.current();
  if (!can_continue() || engine_.decider().is_abandoned()) {
    if (!ledger_.has_failed()) count_unexplored();
    return false;
  }
  // An execution that a bound on preemptions leaves out is cut off, even if it ran to its end.
  if (method.exploration != nullptr && method.exploration->is_beyond_bound()) outcome = Outcome::cut_off;
  const bool gives_up = has_budget_ && outcome == Outcome::cut_off && !engine_.findings().found_bug();
  has_given_up_ = has_given_up_ || gives_up;
  return !gives_up;
}

bool SearchJudge::can_continue() {
  const Method& method = methods_.current();
  const auto fail = [&](Failure failure, const char* why) {
    ledger_.fail(failure, why);
    return false;
  };
  const auto fail_search = [&](SearchAssumption broken, const char* why) {
    ledger_.fail_search(broken, why);
    return false;
  };
  if (ledger_.has_failed()) return false;
  if (!method.is_search()) return true;
  if (method.exploration != nullptr && (method.exploration->has_diverged() || engine_.decider().has_diverged())) {
    is_lost_after_race_ = engine_.findings().gaps().has(channel::ProofGap::race);
    if (!is_lost_after_race_)
      process_.fail_as_nondeterministic(
          "the program did not do the same again in a second execution, so its executions cannot be explored");
    return false;
  }
  if (method.exploration != nullptr && method.exploration->has_lost_runs())
    return fail(Failure::unsupported,
                "the executions that are left to explore do not fit into memory; --bound-events and --bound-loop make "
                "them shorter, and fewer threads make them fewer");
  if (method.enumeration != nullptr && method.enumeration->is_out_of_memory())
    return fail(Failure::unsupported,
                "the states that the search has to remember under this model do not fit into memory; --bound-events "
                "and --bound-loop make them fewer, and -m rc11 remembers none");
  if (!engine_.undoing_loops().is_exact(arenas_.execution))
    return fail_search(SearchAssumption::undone,
                       "a loop undoes an addition and tries again, and other code may see the values in between");
  if (!engine_.search_parking().is_exact())
    return fail_search(SearchAssumption::undone,
                       "a loop that waits stores a value again or takes a lock, and other code may see that it does");
  if (engine_.transcriber().was_wrong())
    return fail_search(SearchAssumption::native,
                       "threads exchange data through code without instrumentation, so their executions cannot be put "
                       "together from earlier ones");
  // An execution that waits does not come to its dlclose.
  if (const char* library = process_.library_loaded_later()) {
    char text[512];
    std::snprintf(text, sizeof text,
                  "an execution ended with the library %.300s loaded (dlopen), and heddle does not reset it: the next "
                  "execution would find what this one left there, so the program cannot be explored",
                  library);
    return fail(Failure::unsupported, text);
  }
  return true;
}

void SearchJudge::count_unexplored() {
  const exploration::Exploration* exploration = methods_.current().exploration;
  if (exploration != nullptr && exploration->is_cut_off())
    ledger_.count_execution(Outcome::cut_off, false, 0);
  else
    ledger_.count_abandoned();
}

void SearchJudge::count_graph(std::uint64_t number, Outcome outcome) {
  channel_.progress.explored.store(methods_.current().exploration->explored(), std::memory_order_relaxed);
  if (!has_budget_ || outcome != Outcome::completed || !engine_.has_common_hash()) return;
  const std::uint64_t hash = engine_.graph_hash();
  ledger_.add_searched_graph(hash == 0 ? 1 : hash, number, engine_.findings().found_bug());
}

/// A search that stops at the race has no need to, and shards have to explore parts of one search.
void SearchJudge::begin_again_after_race() {
  const channel::Request& request = channel_.request;
  const std::span<const std::uint64_t> sites = engine_.findings().sites_of_races();
  if (sites.empty() || !methods_.current().is_search() || request.run.stop_on_bug || !request.run.shard.empty()) return;
  const auto known = methods_.current().policy.racy_sites;
  const auto all = join_racy_sites(known, sites, arenas_.execution);
  if (all.size() == known.size() || !format_racy_sites(all, channel_.progress.needed_sites)) return;
  ledger_.fail_search(SearchAssumption::ordered_sites,
                      "the program has a data race, and what follows depends on the order of the accesses");
}

void SearchJudge::end_search() {
  channel_.progress.search_finished.store(1, std::memory_order_relaxed);
  look_for_unseen_code();
}

bool SearchJudge::find_unseen_code() {
  channel::Progress& progress = channel_.progress;
  if (!has_looked_for_unseen_code_) {
    const UnseenCode code = engine::find_unseen_code(modules_);
    // The reason is the first character.
    if (code.path != nullptr)
      std::snprintf(progress.unseen_code, sizeof progress.unseen_code, "%c%s", static_cast<char>(code.reason),
                    code.path);
    progress.unseen_function.store(code.function, std::memory_order_relaxed);
  }
  has_looked_for_unseen_code_ = true;
  return progress.unseen_code[0] != '\0';
}

void SearchJudge::look_for_unseen_code() {
  if (!find_unseen_code()) return;
  channel::ProofGaps gaps;
  gaps.add(channel::ProofGap::uninstrumented_code);
  channel_.progress.proof_gaps.fetch_or(gaps.bits(), std::memory_order_relaxed);
}

}  // namespace heddle::engine
