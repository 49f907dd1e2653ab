#include "session/search.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "campaign/search_restart.hpp"
#include "run/values.hpp"
#include "session/watched_campaign.hpp"

namespace heddle::session {

namespace {

using std::chrono::milliseconds;

class SearchRun {
 public:
  explicit SearchRun(const Search& search)
      : settings_(search.settings), observer_(search.observer), folder_(search.folder) {}

  Result<findings::Results> run() { return settings_.run.bound == run::Deepening::automatic ? deepen() : search(); }
  /// After run(): as the search that counts has run it.
  const campaign::Subject& subject() const { return settings_; }

 private:
  /// One search, which begins again as often as it has to.
  Result<findings::Results> search() {
    const auto time = settings_.run.time;
    auto results = run_watched(settings_, observer_, folder_);
    while (results && results->needed_search && begin_again(*results))
      results = run_watched(settings_, observer_, folder_);
    settings_.run.time = time;
    return results;
  }

  /// The search cannot continue, but another one could. Prepares that. Returns false if there is none: shards have to
  /// explore parts of one search.
  bool begin_again(findings::Results& results) {
    const findings::NeededSearch& needed = *results.needed_search;
    const bool needs_sites = needed.broken == findings::SearchAssumption::ordered_sites;
    run::RunSpecification other = settings_.run;
    if (!campaign::drop_assumption(needed, other.strategy, other.racy_sites) || results.interrupted) return false;
    const std::string reason = results.failure;
    if (needs_sites)
      results.failure.clear();  // what the search has found so far counts
    else
      results.failure += fmt::format("; use -s {}", other.strategy.view());
    if (!settings_.run.shard.empty()) return false;
    if (other.time.count() != 0) {
      const std::chrono::duration<double> passed(results.statistics.seconds);
      other.time -= std::chrono::duration_cast<milliseconds>(passed);
      if (other.time.count() <= 0) return false;
    }
    settings_.run = other;
    settings_.resumed = nullptr;
    settings_.has_begun_again = true;
    observer_.show_note(
        fmt::format("{}: beginning again {}", reason,
                    needs_sites ? "and exploring them" : fmt::format("with -s {}", other.strategy.view())));
    return true;
  }

  /// Searches with at most 0, 1, 2, ... preemptions, until nothing is cut off, something is found, or --time has
  /// passed. Then the result is that of the last search that was completed.
  Result<findings::Results> deepen() {
    const run::RunSpecification run = settings_.run;
    const auto start = Clock::now();
    std::optional<findings::Results> completed;
    run::Text strategy = run.strategy;  // of that search
    for (std::uint64_t most = 0;; ++most) {
      settings_.run = run;
      if (run::parse_value(*run::find_field("bound-switches", run::verify), std::to_string(most), settings_.run))
        return usage_problem("--strategy is too long for --bound auto");
      if (run.time.count() != 0) {
        settings_.run.time = run.time - std::chrono::duration_cast<milliseconds>(Clock::now() - start);
        if (settings_.run.time.count() <= 0) break;
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
      strategy = settings_.run.strategy;
      if (has_found || !completed->search_finished || completed->statistics.cut_off == 0) break;
    }
    settings_.run.time = run.time;
    settings_.run.strategy = strategy;
    completed->statistics.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return std::move(*completed);
  }

  using Clock = std::chrono::steady_clock;

  campaign::Settings settings_;
  Observer& observer_;
  campaign::OutputFolder& folder_;
};

}  // namespace

Result<Searched> run(const Search& search) {
  SearchRun search_run(search);
  auto results = search_run.run();
  if (!results) return results.problem();
  return Searched{search_run.subject(), std::move(*results)};
}

}  // namespace heddle::session
