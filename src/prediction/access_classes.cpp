#include "prediction/access_classes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace heddle::prediction {

class AccessClasses::Builder {
 public:
  explicit Builder(AccessClasses& classes) : in_(classes) {}

  void add(const Trace& trace) {
    for (std::size_t at = 0; at < trace.size(); ++at) {
      const Step& step = trace[at];
      const std::uint32_t thread = number_of(step.thread);
      switch (step.kind) {
        case Step::Kind::load:
        case Step::Kind::store:
        case Step::Kind::rmw: add_access(step, thread, at); break;
        case Step::Kind::lock:
        case Step::Kind::shared_lock: acquire(thread, {step.object, step.kind == Step::Kind::shared_lock, 1}); break;
        case Step::Kind::unlock: release(thread, step.object); break;
        case Step::Kind::release:
          releases_[at] = {thread, in_.segments_[thread].back().number};
          begin_segment(thread, {});
          break;
        case Step::Kind::order:
          if (const auto release = releases_.find(step.object); release != releases_.end())
            begin_segment(thread, known_at(release->second));
          break;
      }
    }
  }

 private:
  std::uint32_t number_of(std::uint32_t thread) {
    const auto [entry, is_new] = threads_.try_emplace(thread, static_cast<std::uint32_t>(threads_.size()));
    if (is_new) {
      in_.segments_.push_back({Segment{}});
      held_.emplace_back();
      held_set_.push_back(set_number({}));
    }
    return entry->second;
  }

  void add_access(const Step& step, std::uint32_t thread, std::size_t at) {
    AccessClass access{.thread = thread,
                       .segment = in_.segments_[thread].back().number,
                       .label = step.label,
                       .locks = held_set_[thread],
                       .location = step.object,
                       .writes = step.writes(),
                       .first = at,
                       .last = at};
    const auto key =
        std::tuple(access.thread, access.segment, access.label, access.locks, access.location, access.writes);
    const auto [entry, is_new] = known_.try_emplace(key, in_.classes_.size());
    if (is_new)
      in_.classes_.push_back(access);
    else
      in_.classes_[entry->second].last = at;
  }

  void acquire(std::uint32_t thread, HeldLock lock) {
    auto& held = held_[thread];
    const auto known = std::find_if(held.begin(), held.end(), [&](const auto& h) { return h.lock == lock.lock; });
    if (known != held.end())
      ++known->depth;
    else
      held.push_back(lock);
    held_set_[thread] = set_number(held);
  }

  void release(std::uint32_t thread, std::uint64_t lock) {
    auto& held = held_[thread];
    const auto known = std::find_if(held.begin(), held.end(), [&](const auto& h) { return h.lock == lock; });
    if (known == held.end()) return;
    if (--known->depth == 0) held.erase(known);
    held_set_[thread] = set_number(held);
  }

  struct Place {
    std::uint32_t thread;
    std::uint32_t segment;
  };

  /// The segments that happen before a step behind the end of this one, as in Segment::before.
  std::vector<std::uint32_t> known_at(const Place& place) const {
    std::vector<std::uint32_t> known = in_.segments_[place.thread][place.segment].before;
    if (known.size() <= place.thread) known.resize(place.thread + std::size_t{1});
    known[place.thread] = place.segment + 1;
    return known;
  }

  void begin_segment(std::uint32_t thread, const std::vector<std::uint32_t>& known) {
    Segment next = in_.segments_[thread].back();
    ++next.number;
    if (next.before.size() < known.size()) next.before.resize(known.size());
    for (std::size_t i = 0; i < known.size(); ++i) next.before[i] = std::max(next.before[i], known[i]);
    in_.segments_[thread].push_back(std::move(next));
  }

  std::uint32_t set_number(std::vector<HeldLock> held) {
    for (HeldLock& lock : held) lock.depth = 1;
    std::sort(held.begin(), held.end());
    const auto [entry, is_new] = sets_.try_emplace(held, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) in_.lock_sets_.push_back(std::move(held));
    return entry->second;
  }

  AccessClasses& in_;
  std::map<std::uint32_t, std::uint32_t> threads_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t, bool>, std::size_t>
      known_;
  std::map<std::vector<HeldLock>, std::uint32_t> sets_;
  std::vector<std::vector<HeldLock>> held_;  ///< by thread
  std::vector<std::uint32_t> held_set_;      ///< by thread, as a number
  std::map<std::uint64_t, Place> releases_;  ///< by position in the trace: the segment that the step ended
};

AccessClasses::AccessClasses(const Trace& trace) {
  Builder(*this).add(trace);
  find_conflicts();
}

bool AccessClasses::protect(std::uint32_t locks, std::uint32_t other_locks) const {
  for (const HeldLock& a : lock_sets_[locks])
    for (const HeldLock& b : lock_sets_[other_locks])
      if (a.lock == b.lock && !(a.is_shared && b.is_shared)) return true;
  return false;
}

bool AccessClasses::is_ordered(const AccessClass& a, const AccessClass& b) const {
  const std::vector<std::uint32_t>& before = segments_[b.thread][b.segment].before;
  return a.thread < before.size() && a.segment < before[a.thread];
}

bool AccessClasses::may_race(const AccessClass& a, const AccessClass& b) const {
  return a.thread != b.thread && a.location == b.location && (a.writes || b.writes) && !protect(a.locks, b.locks) &&
         !is_ordered(a, b) && !is_ordered(b, a);
}

bool AccessClasses::conflict(std::uint32_t a, std::uint32_t b) const { return may_race(classes_[a], classes_[b]); }

/// Drops the classes that conflict with no other, which are most of them in many programs.
void AccessClasses::find_conflicts() {
  std::map<std::uint64_t, std::vector<std::size_t>> at_location;
  for (std::size_t i = 0; i < classes_.size(); ++i) at_location[classes_[i].location].push_back(i);
  std::vector<bool> races(classes_.size());
  for (const auto& [location, numbers] : at_location)
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (std::size_t j = i + 1; j < numbers.size(); ++j)
        if (!(races[numbers[i]] && races[numbers[j]]) && may_race(classes_[numbers[i]], classes_[numbers[j]]))
          races[numbers[i]] = races[numbers[j]] = true;
  std::vector<AccessClass> kept;
  for (std::size_t i = 0; i < classes_.size(); ++i)
    if (races[i]) kept.push_back(classes_[i]);
  classes_ = std::move(kept);

  of_thread_.resize(segments_.size());
  conflicts_.resize(classes_.size());
  at_location.clear();
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    of_thread_[classes_[i].thread].push_back(i);
    std::vector<std::size_t>& others = at_location[classes_[i].location];
    for (const std::size_t other : others) {
      if (!may_race(classes_[i], classes_[other])) continue;
      conflicts_[i].push_back(static_cast<std::uint32_t>(other));
      conflicts_[other].push_back(i);
    }
    others.push_back(i);
  }
  // In the order of the last access, newest first: those behind a position in program order come first.
  for (auto& numbers : of_thread_)
    std::sort(numbers.begin(), numbers.end(),
              [this](std::uint32_t a, std::uint32_t b) { return classes_[a].last > classes_[b].last; });
}

}  // namespace heddle::prediction
