#include "prediction/cycle_search.hpp"

#include <algorithm>

namespace heddle::prediction {

namespace {

std::vector<std::uint32_t> labels_of(const Cycle& cycle) {
  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < cycle.size; ++i)
    labels.insert(labels.end(), {cycle.pairs[i].first, cycle.pairs[i].second, cycle.pairs[i].is_single});
  return labels;
}

Cycle rotated(const Cycle& cycle, std::uint32_t by) {
  Cycle result;
  result.size = cycle.size;
  for (std::uint32_t i = 0; i < cycle.size; ++i) result.pairs[i] = cycle.pairs[(i + by) % cycle.size];
  return result;
}

}  // namespace

Cycle canonical_rotation(const Cycle& cycle) {
  Cycle smallest = cycle;
  for (std::uint32_t by = 1; by < cycle.size; ++by)
    if (const Cycle candidate = rotated(cycle, by); labels_of(candidate) < labels_of(smallest)) smallest = candidate;
  return smallest;
}

/// A chain (definition 2): pairs of different threads, each with a conflict to the next one. A chain begins with the
/// pair of its smallest thread, so that a cycle is found once, not once per rotation.
struct CycleSearch::Chain {
  struct Pair {
    std::uint32_t first;
    std::uint32_t second;
  };
  std::vector<Pair> pairs;

  bool has_thread(const AccessClasses& classes, std::uint32_t thread) const {
    return std::any_of(pairs.begin(), pairs.end(),
                       [&](const Pair& pair) { return classes.all()[pair.first].thread == thread; });
  }
};

bool CycleSearch::count_step() {
  if (steps_ == limits_.steps) is_cut_off_ = true;
  if (is_cut_off_) return false;
  ++steps_;
  return true;
}

/// Which reads may be later in the order of their location than the write before them in a cycle.
void CycleSearch::find_writes_behind_reads(const AccessClasses& classes) {
  const auto all = classes.all();
  std::map<std::uint64_t, std::vector<const AccessClass*>> writes;  // by location
  for (const AccessClass& access : all)
    if (access.writes) writes[access.location].push_back(&access);
  for (const AccessClass& read : all) {
    if (read.writes) continue;
    const auto& candidates = writes[read.location];
    if (candidates.size() > 1) may_read_others_.insert(read.label);
    if (std::any_of(candidates.begin(), candidates.end(),
                    [&](const AccessClass* write) { return write->thread == read.thread && write->first < read.last; }))
      may_read_own_.insert(read.label);
  }
}

void CycleSearch::add(const Trace& trace) {
  const AccessClasses classes(trace);
  find_writes_behind_reads(classes);
  Chain chain;
  for (std::uint32_t thread = 0; thread < classes.threads(); ++thread)
    for (const std::uint32_t first : classes.of_thread(thread))
      for (const std::uint32_t second : classes.of_thread(thread)) {
        if (!count_step()) return;
        add_pair(classes, chain, first, second);
      }
}

/// Adds the pair to the chain, if it may be one of a cycle, and what can follow. The chain is the same afterwards.
void CycleSearch::add_pair(const AccessClasses& classes, Chain& chain, std::uint32_t first, std::uint32_t second) {
  const AccessClass &a = classes.all()[first], &b = classes.all()[second];
  // A single store is between two loads: two writes in a row could leave the first of them out.
  const bool is_single = first == second;
  if (is_single ? !a.writes : a.location == b.location || !classes.in_program_order(first, second)) return;
  const std::size_t size = chain.pairs.size();
  // If pair i conflicts with a pair that is not the next one, a smaller cycle leaves out what is between the two.
  for (std::size_t i = 0; i + 1 < size; ++i)
    if (classes.conflict(chain.pairs[i].second, first)) return;
  for (std::size_t i = 1; i < size; ++i)
    if (classes.conflict(second, chain.pairs[i].first)) return;
  const bool closes = size != 0 && classes.conflict(second, chain.pairs[0].first);
  chain.pairs.push_back({first, second});
  if (closes)
    report(classes, chain);
  else if (chain.pairs.size() * 2 < limits_.length)
    extend(classes, chain);
  chain.pairs.pop_back();
}

void CycleSearch::extend(const AccessClasses& classes, Chain& chain) {
  const auto all = classes.all();
  const bool must_close = (chain.pairs.size() + 1) * 2 == limits_.length;
  const std::uint32_t start = chain.pairs[0].first;
  for (const std::uint32_t first : classes.conflicts(chain.pairs.back().second)) {
    const std::uint32_t thread = all[first].thread;
    if (thread < all[start].thread || chain.has_thread(classes, thread)) continue;
    // The last pair ends with an access that conflicts with the start.
    const auto candidates = must_close ? classes.conflicts(start) : classes.of_thread(thread);
    for (const std::uint32_t second : candidates) {
      if (all[second].thread != thread) continue;
      if (!count_step()) return;
      add_pair(classes, chain, first, second);
    }
  }
}

void CycleSearch::report(const AccessClasses& classes, const Chain& chain) {
  const auto all = classes.all();
  const std::uint64_t location = all[chain.pairs[0].first].location;
  const bool at_one_location = std::all_of(chain.pairs.begin(), chain.pairs.end(), [&](const Chain::Pair& pair) {
    return all[pair.first].location == location && all[pair.second].location == location;
  });
  if (at_one_location) return;
  Cycle cycle;
  for (const Chain::Pair& pair : chain.pairs)
    cycle.pairs[cycle.size++] = {all[pair.first].label, all[pair.second].label, pair.first == pair.second ? 1U : 0U};
  cycle = canonical_rotation(cycle);
  if (!known_.try_emplace(labels_of(cycle), cycles_.size()).second) return;
  if (cycles_.size() == limits_.cycles) {
    is_cut_off_ = true;
    return;
  }
  cycles_.push_back(cycle);
}

std::vector<Cycle> CycleSearch::cycles() const {
  std::vector<Cycle> sorted = cycles_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Cycle& a, const Cycle& b) { return a.size < b.size; });
  return sorted;
}

}  // namespace heddle::prediction
