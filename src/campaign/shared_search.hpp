// The exhaustive search of a campaign, shared by its workers. The search is a tree, which is explored depth first. Its
// parts are tasks (campaign/shared_tasks.hpp). They are kept in the order in which one worker would explore them: a
// worker gives away what it would explore last, so a gift becomes the task behind its own.
//
// The result does not depend on the number of workers, on their speed, or on whether one of them dies:
//   - Counts are sums over tasks. A task whose worker died is explored again from its beginning.
//   - An execution's number is its place in this order.
//   - What ends a search (the first bug, --runs, a failure, a crash of the process) cuts it there: tasks behind are
//     discarded, and tasks before are explored to their end, or to an end that comes before.
//
// A shard of a campaign first cuts the search into units (campaign/search_split.hpp), and explores every N-th of them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/result_merger.hpp"
#include "campaign/search_split.hpp"
#include "campaign/settings.hpp"
#include "campaign/shared_tasks.hpp"
#include "campaign/slot.hpp"
#include "campaign/state/campaign_state.hpp"

namespace heddle::campaign {

class SharedSearch {
 public:
  SharedSearch(const Settings& settings, ResultMerger& merger, std::size_t workers);

  /// True if nothing is left to explore.
  bool is_over() const;
  /// Whether a slot without a worker should start one.
  bool needs_worker(std::size_t slot) const;
  /// Completes the request of a worker that is about to start in the slot.
  void prepare(channel::Request& request, std::size_t slot);
  /// Reads what the slot's worker has done since the last call. Call it for every worker, also after its end.
  void read(Slot& slot, std::size_t number);
  /// Gives open tasks to workers that wait for one, and asks busy workers for parts of theirs.
  void distribute(std::vector<Slot>& slots);

  /// The slot's worker ended because the campaign did.
  void stopped(Slot& slot, std::size_t number);
  /// The slot's worker could not continue and said why. `needed`: another search could.
  void failed(Slot& slot, std::size_t number, const std::string& why, std::optional<findings::NeededSearch> needed);
  /// The slot's worker died, or the driver killed it. Its task is explored again, or the process dies there each time:
  /// then that is a finding. Returns a problem if workers die without a task.
  Outcome died(Slot& slot, std::size_t number);

  /// Asks all workers to give away everything but the branch that they explore, so that their tasks end soon. What a
  /// task has explored is not part of a state before its end.
  void ask_for_ends(std::vector<Slot>& slots);
  /// Adds the tasks to a state from which another process can continue. False: the search is being cut into units.
  bool save(ResumePoint& point) const;
  /// Continues from a state, before a worker has started.
  void restore(const CampaignState& state);

  /// Findings that no call has returned yet, with the numbers of their executions as far as they are known.
  std::vector<findings::Finding> take_fresh();
  void add_to(LiveProgress& live, const std::vector<Slot>& slots) const;
  /// The sentence of the failure that ends the search; empty: none does.
  std::string failure() const { return tasks_.last() == nullptr ? "" : tasks_.last()->failure; }
  /// Another search, which does not end there; nothing: none is known.
  std::optional<findings::NeededSearch> needed_search() const {
    return tasks_.last() == nullptr ? std::nullopt : tasks_.last()->needed_search;
  }
  /// What the units of this shard came to, in the order of the search.
  std::vector<SearchUnit> units() const { return split_ ? std::vector<SearchUnit>{} : tasks_.units(); }
  /// How many units all shards have together; 0: the search was not cut to its end.
  std::uint64_t unit_count() const { return split_ ? 0 : unit_count_; }
  double estimate() const { return estimate_; }
  /// Adds everything to the results.
  void finish();

 private:
  using End = channel::SubtreeTask::End;
  using Task = SharedTask;
  /// What a slot's worker does.
  struct Work {
    std::optional<SharedTasks::Iterator> task;
    std::uint32_t task_number = 0;  ///< of the worker's tasks
    bool is_busy = false;           ///< with a task that may have been discarded
    std::uint64_t gifts_taken = 0;
    bool is_asked = false;    ///< for a gift
    std::uint64_t least = 1;  ///< branches of that gift
    Counters counters = {};   ///< before the task
    std::uint64_t abandoned = 0, dropped = 0;
  };

  void take_gift(Slot& slot, Work& work);
  void read_findings(Slot& slot, Work& work);
  void read_results(Slot& slot, const Work& work, SearchPart& part) const;
  void end_task(Slot& slot, Work& work);
  std::optional<SharedTasks::Iterator> end_work(Slot& slot, Work& work);
  void assign(Slot& slot, Work& work, SharedTasks::Iterator task);
  void command(Slot& slot, const Work& work) const;
  void ask_for_gifts(std::vector<Slot>& slots, std::size_t wanted);
  static void ask(Slot& slot, Work& work, std::uint64_t least);
  void forget(SharedTasks::Iterator task);
  void adapt_gifts(const Task& task);
  void continue_split(std::vector<Slot>& slots);

  const Settings& settings_;
  ResultMerger& merger_;
  SharedTasks tasks_;
  std::vector<Work> work_;
  std::optional<SearchSplit> split_;  ///< while the search is cut into units
  std::uint64_t unit_count_ = 1;
  bool is_estimated_ = false;
  double estimate_ = 0;
  unsigned idle_deaths_ = 0;
  std::uint64_t least_branches_ = 1;   ///< of a gift
  bool has_begun_ = false;             ///< a worker got the first task
  std::set<std::uint64_t> announced_;  ///< keys
  std::vector<findings::Finding> fresh_;
};

}  // namespace heddle::campaign
