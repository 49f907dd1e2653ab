// The parts of a shared search (campaign/shared_search.hpp), in the order in which one worker would explore them. What
// ends a search in a task cuts the list behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "campaign/settings.hpp"
#include "campaign/state/campaign_state.hpp"
#include "channel/channel.hpp"

namespace heddle::campaign {

struct SharedTask {
  enum class State {
    open,
    runs,
    explored,
    ended,  ///< before all of it was explored
  };
  State state = State::open;
  std::uint64_t unit = 0;  ///< its number
  std::string bytes = {};
  std::vector<channel::GiftRecord> gifts = {};
  double share = 1;                                          ///< estimated, of the whole search, without its gifts
  std::uint64_t limit = no_end;                              ///< the executions from this one on do not count
  bool is_cut = false;                                       ///< something ends the search in this task
  std::string failure = {};                                  ///< which is this failure
  std::optional<findings::NeededSearch> needed_search = {};  ///< it would have no such failure
  std::uint64_t death_place = 0;                             ///< its worker died after so many runs
  unsigned deaths = 0;                                       ///< how often, one after the other
  SearchPart part = {};

  bool is_over() const { return state == State::explored || state == State::ended; }
};

class SharedTasks {
 public:
  using List = std::list<SharedTask>;
  using Iterator = List::iterator;

  /// One task, the whole search. `most_runs` is --runs; no_end: no limit. `discard` is called for each task before it
  /// is removed from the list because it is behind a cut.
  SharedTasks(std::uint64_t most_runs, std::function<void(Iterator)> discard)
      : most_runs_(most_runs), discard_(std::move(discard)), tasks_(1) {}

  List::const_iterator begin() const { return tasks_.begin(); }
  List::const_iterator end() const { return tasks_.end(); }
  bool are_over() const;
  /// The first task that no worker explores or has explored; nothing: there is none.
  std::optional<Iterator> first_open();
  /// The runs of tasks before this one, as far as they are known.
  std::uint64_t runs_before(const SharedTask& task) const;
  /// The executions of the task from this one on do not count.
  std::uint64_t limit_of(const SharedTask& task) const { return std::min(task.limit, most_runs_); }

  /// Starts over with an empty list.
  void clear() { tasks_.clear(); }
  void add_last(SharedTask task) { tasks_.push_back(std::move(task)); }
  void add_behind(Iterator task, SharedTask next) { tasks_.insert(std::next(task), std::move(next)); }
  /// The first task. If there is none, makes one.
  Iterator first();

  /// What is behind the task does not count.
  void cut_behind(Iterator task);
  /// --runs: sets the limit of the first task that is not over, or finds the task in which the limit is reached.
  void apply_run_limit();
  /// A task that went beyond its limit, which became known later, is explored again: it is open then.
  static bool reopen_beyond_limit(SharedTask& task);
  /// Explored neighbours of one unit become one task, so that memory does not grow with the number of gifts.
  void fold(Iterator task);

  /// The last task has what ends the search.
  const SharedTask* last() const { return tasks_.empty() ? nullptr : &tasks_.back(); }
  /// What the units came to, in the order of the search.
  std::vector<SearchUnit> units() const;
  std::vector<SavedTask> save() const;
  void restore(const std::vector<SavedTask>& saved);
  /// Everything, and whether the whole search was explored. The tasks have no results afterwards.
  std::pair<SearchPart, bool> take_results();

 private:
  void append(Iterator task, Iterator next);

  const std::uint64_t most_runs_;
  std::function<void(Iterator)> discard_;
  List tasks_;
};

}  // namespace heddle::campaign
