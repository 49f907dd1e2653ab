#include "campaign/search_tasks.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::campaign {

bool SearchTasks::are_over() const {
  return std::all_of(tasks_.begin(), tasks_.end(), [](const SearchTask& task) { return task.is_over(); });
}

std::optional<SearchTasks::Iterator> SearchTasks::first_open() {
  const auto open = std::find_if(tasks_.begin(), tasks_.end(),
                                 [](const SearchTask& task) { return task.state == SearchTask::State::open; });
  return open == tasks_.end() ? std::nullopt : std::optional(open);
}

std::uint64_t SearchTasks::runs_before(const SearchTask& task) const {
  std::uint64_t runs = 0;
  for (const SearchTask& other : tasks_) {
    if (&other == &task) break;
    runs += other.part.runs;
  }
  return runs;
}

SearchTasks::Iterator SearchTasks::first() {
  if (tasks_.empty()) tasks_.emplace_back();
  return tasks_.begin();
}

void SearchTasks::cut_behind(Iterator task) {
  task->is_cut = true;
  for (auto other = std::next(task); other != tasks_.end(); other = tasks_.erase(other)) discard_(other);
}

void SearchTasks::apply_run_limit() {
  if (most_runs_ == no_end) return;
  std::uint64_t before = 0;
  for (auto task = tasks_.begin(); task != tasks_.end(); ++task) {
    const std::uint64_t left = most_runs_ - before;
    if (!task->is_over() || task->part.runs >= left) {
      task->limit = std::min(task->limit, left);
      if (!task->is_over()) return;
      cut_behind(task);
      (void)reopen_beyond_limit(*task);
      return;
    }
    before += task->part.runs;
  }
}

bool SearchTasks::reopen_beyond_limit(SearchTask& task) {
  if (task.part.runs <= task.limit) return false;
  task.part = {};
  task.failure.clear();
  task.state = SearchTask::State::open;
  return true;
}

void SearchTasks::fold(Iterator task) {
  if (most_runs_ != no_end || task->state != SearchTask::State::explored) return;
  task->bytes = {};
  task->gifts = {};
  const auto can_join = [](const SearchTask& a, const SearchTask& b) {
    return a.state == SearchTask::State::explored && b.state == SearchTask::State::explored && a.unit == b.unit;
  };
  if (task != tasks_.begin() && can_join(*std::prev(task), *task)) {
    task = std::prev(task);
    append(task, std::next(task));
  }
  const auto after = std::next(task);
  if (after != tasks_.end() && can_join(*task, *after)) append(task, after);
}

/// `next` comes right behind `task`, and becomes a part of it.
void SearchTasks::append(Iterator task, Iterator next) {
  task->part.append(std::move(next->part));
  task->is_cut = task->is_cut || next->is_cut;
  tasks_.erase(next);
}

std::vector<SearchUnit> SearchTasks::units() const {
  std::vector<SearchUnit> units;
  for (const SearchTask& task : tasks_) {
    if (units.empty() || units.back().number != task.unit) {
      units.emplace_back().number = task.unit;
      units.back().is_explored = true;
    }
    SearchUnit& unit = units.back();
    unit.part.append(task.part);
    unit.is_explored = unit.is_explored && task.state == SearchTask::State::explored;
    unit.is_cut = unit.is_cut || task.is_cut;
    if (unit.failure.empty()) unit.failure = task.failure;
  }
  return units;
}

std::vector<SavedTask> SearchTasks::save() const {
  std::vector<SavedTask> all;
  for (const SearchTask& task : tasks_) {
    SavedTask& saved = all.emplace_back();
    saved.is_over = task.is_over();
    saved.result.number = task.unit;
    saved.result.is_explored = task.state == SearchTask::State::explored;
    saved.result.is_cut = task.is_cut;
    saved.result.failure = task.failure;
    if (saved.is_over) saved.result.part = task.part;
    saved.bytes = task.bytes;
    saved.gifts = task.gifts;
    saved.share = task.share;
    saved.limit = task.limit;
  }
  return all;
}

void SearchTasks::restore(const std::vector<SavedTask>& all) {
  tasks_.clear();
  for (const SavedTask& saved : all) {
    SearchTask& task = tasks_.emplace_back();
    if (saved.is_over) task.state = saved.result.is_explored ? SearchTask::State::explored : SearchTask::State::ended;
    task.unit = saved.result.number;
    task.bytes = saved.bytes;
    task.gifts = saved.gifts;
    task.share = saved.share;
    task.limit = saved.limit;
    task.is_cut = saved.result.is_cut;
    task.failure = saved.result.failure;
    task.part = saved.result.part;
  }
}

std::pair<SearchPart, bool> SearchTasks::take_results() {
  SearchPart all;
  bool is_finished = true;
  for (SearchTask& task : tasks_) {
    is_finished = is_finished && task.state == SearchTask::State::explored && !task.is_cut;
    all.append(std::move(task.part));
  }
  is_finished = is_finished && all.runs < most_runs_;
  return {std::move(all), is_finished};
}

}  // namespace heddle::campaign
