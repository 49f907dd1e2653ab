#include "campaign/shared_tasks.hpp"

#include <algorithm>
#include <iterator>

namespace heddle::campaign {

bool SharedTasks::are_over() const {
  return std::all_of(tasks_.begin(), tasks_.end(), [](const SharedTask& task) { return task.is_over(); });
}

std::optional<SharedTasks::Iterator> SharedTasks::first_open() {
  const auto open = std::find_if(tasks_.begin(), tasks_.end(),
                                 [](const SharedTask& task) { return task.state == SharedTask::State::open; });
  return open == tasks_.end() ? std::nullopt : std::optional(open);
}

std::uint64_t SharedTasks::runs_before(const SharedTask& task) const {
  std::uint64_t runs = 0;
  for (const SharedTask& other : tasks_) {
    if (&other == &task) break;
    runs += other.part.runs;
  }
  return runs;
}

SharedTasks::Iterator SharedTasks::first() {
  if (tasks_.empty()) tasks_.emplace_back();
  return tasks_.begin();
}

void SharedTasks::cut_behind(Iterator task) {
  task->is_cut = true;
  for (auto other = std::next(task); other != tasks_.end(); other = tasks_.erase(other)) discard_(other);
}

void SharedTasks::apply_run_limit() {
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

bool SharedTasks::reopen_beyond_limit(SharedTask& task) {
  if (task.part.runs <= task.limit) return false;
  task.part = {};
  task.failure.clear();
  task.state = SharedTask::State::open;
  return true;
}

void SharedTasks::fold(Iterator task) {
  if (most_runs_ != no_end || task->state != SharedTask::State::explored) return;
  task->bytes = {};
  task->gifts = {};
  const auto can_join = [](const SharedTask& a, const SharedTask& b) {
    return a.state == SharedTask::State::explored && b.state == SharedTask::State::explored && a.unit == b.unit;
  };
  if (task != tasks_.begin() && can_join(*std::prev(task), *task)) {
    task = std::prev(task);
    append(task, std::next(task));
  }
  const auto after = std::next(task);
  if (after != tasks_.end() && can_join(*task, *after)) append(task, after);
}

/// `next` comes right behind `task`, and becomes a part of it.
void SharedTasks::append(Iterator task, Iterator next) {
  task->part.append(std::move(next->part));
  task->is_cut = task->is_cut || next->is_cut;
  tasks_.erase(next);
}

std::vector<SearchUnit> SharedTasks::units() const {
  std::vector<SearchUnit> units;
  for (const SharedTask& task : tasks_) {
    if (units.empty() || units.back().number != task.unit) {
      units.emplace_back().number = task.unit;
      units.back().is_explored = true;
    }
    SearchUnit& unit = units.back();
    unit.part.append(task.part);
    unit.is_explored = unit.is_explored && task.state == SharedTask::State::explored;
    unit.is_cut = unit.is_cut || task.is_cut;
    if (unit.failure.empty()) unit.failure = task.failure;
  }
  return units;
}

std::vector<SavedTask> SharedTasks::save() const {
  std::vector<SavedTask> all;
  for (const SharedTask& task : tasks_) {
    SavedTask& saved = all.emplace_back();
    saved.is_over = task.is_over();
    saved.result.number = task.unit;
    saved.result.is_explored = task.state == SharedTask::State::explored;
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

void SharedTasks::restore(const std::vector<SavedTask>& all) {
  tasks_.clear();
  for (const SavedTask& saved : all) {
    SharedTask& task = tasks_.emplace_back();
    if (saved.is_over) task.state = saved.result.is_explored ? SharedTask::State::explored : SharedTask::State::ended;
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

std::pair<SearchPart, bool> SharedTasks::take_results() {
  SearchPart all;
  bool is_finished = true;
  for (SharedTask& task : tasks_) {
    is_finished = is_finished && task.state == SharedTask::State::explored && !task.is_cut;
    all.append(std::move(task.part));
  }
  is_finished = is_finished && all.runs < most_runs_;
  return {std::move(all), is_finished};
}

}  // namespace heddle::campaign
