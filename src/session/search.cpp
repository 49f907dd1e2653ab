#include "session/search.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "campaign/search_restart.hpp"
#include "run/values.hpp"

namespace heddle::session {

namespace {

using std::chrono::milliseconds;

class RepeatedSearch {
 public:
  explicit RepeatedSearch(const Search& search) : next_(search.first), specification_(next_.subject.run) {}

  Result<findings::Results> run() { return specification_.bound == run::Deepening::automatic ? deepen() : search(); }
  /// After run(): as the search that counts has run it.
  const campaign::Subject& subject() const { return next_.subject; }

 private:
  /// One search, which begins again as often as it has to.
  Result<findings::Results> search() {
    const auto time = specification_.time;
    auto results = session::run(next_);
    while (results && results->needed_search && begin_again(*results)) results = session::run(next_);
    specification_.time = time;
    return results;
  }

  /// The search cannot continue, but another one could. Prepares that. Returns false if there is none: shards have to
  /// explore parts of one search.
  bool begin_again(findings::Results& results) {
    const findings::NeededSearch& needed = *results.needed_search;
    const bool needs_sites = needed.broken == findings::SearchAssumption::ordered_sites;
    run::RunSpecification other = specification_;
    if (!campaign::drop_assumption(needed, other.strategy, other.racy_sites) || results.interrupted) return false;
    const std::string reason = results.failure;
    if (needs_sites)
      results.failure.clear();  // what the search has found so far counts
    else
      results.failure += fmt::format("; use -s {}", other.strategy.view());
    if (!specification_.shard.empty()) return false;
    if (other.time.count() != 0) {
      const std::chrono::duration<double> passed(results.statistics.seconds);
      other.time -= std::chrono::duration_cast<milliseconds>(passed);
      if (other.time.count() <= 0) return false;
    }
    specification_ = other;
    next_.continuation.resumed = nullptr;
    next_.continuation.has_begun_again = true;
    next_.observer.show_note(
        fmt::format("{}: beginning again {}", reason,
                    needs_sites ? "and exploring them" : fmt::format("with -s {}", other.strategy.view())));
    return true;
  }

  /// Searches with at most 0, 1, 2, ... preemptions, until nothing is cut off, something is found, or --time has
  /// passed. Then the result is that of the last search that was completed.
  Result<findings::Results> deepen() {
    const run::RunSpecification run = specification_;
    const auto start = Clock::now();
    std::optional<findings::Results> completed;
    run::Text strategy = run.strategy;  // of that search
    for (std::uint64_t most = 0;; ++most) {
      specification_ = run;
      if (run::parse_value(*run::find_field("bound-switches", run::verify), std::to_string(most), specification_))
        return usage_problem("--strategy is too long for --bound auto");
      if (run.time.count() != 0) {
        specification_.time = run.time - std::chrono::duration_cast<milliseconds>(Clock::now() - start);
        if (specification_.time.count() <= 0) break;
      }
      auto results = search();
      if (!results) return results;
      const bool has_found = !results->findings.empty() || !results->failure.empty();
      if (!results->search_finished && completed && !has_found) {
        completed->interrupted = results->interrupted;
        break;
      }
      if (completed) results->switches_explored = completed->switches_explored;
      if (results->search_finished) results->switches_explored = most;
      completed = std::move(*results);
      strategy = specification_.strategy;
      if (has_found || !completed->search_finished || completed->statistics.cut_off == 0) break;
    }
    specification_.time = run.time;
    specification_.strategy = strategy;
    completed->statistics.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(*completed);
  }

  using Clock = std::chrono::steady_clock;

  WatchedCampaign next_;
  run::RunSpecification& specification_;  ///< of the next campaign
};

}  // namespace

Result<Searched> run(const Search& search) {
  RepeatedSearch repeated(search);
  auto results = repeated.run();
  if (!results) return results.problem();
  return Searched{repeated.subject(), std::move(*results)};
}

}  // namespace heddle::session
