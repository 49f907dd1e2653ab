#include "engine/recording/cycle_watch.hpp"

#include "base/hash.hpp"

namespace heddle::engine {

namespace {
constexpr std::size_t known_labels = 4096;
}

SiteNamesByDepth::SiteNamesByDepth(std::uint64_t site, std::uint32_t stack, const CallStackTree& stacks,
                                   const Modules& modules) {
  pcs[0] = site;
  stacks.unwind(stack, {pcs + 1, strategies::deepest_site - 1});
  std::uint64_t canonical[strategies::deepest_site];
  for (std::uint32_t i = 0; i < strategies::deepest_site; ++i) canonical[i] = modules.canonical(pcs[i]);
  for (std::uint32_t depth = 1; depth <= strategies::deepest_site; ++depth)
    names[depth - 1] = strategies::site_name(canonical, depth);
}

std::uint32_t CycleWatch::label_at(std::uint64_t site, std::uint32_t stack) {
  if (known_.empty()) known_ = session_.create_array<KnownLabel>(known_labels);
  KnownLabel& known = known_[base::hash_words(site, stack) % known_labels];
  if (known.site == site && known.stack == stack) return known.label;
  const SiteNamesByDepth place(site, stack, in_.stacks, in_.modules);
  std::uint32_t label = strategies::no_label;
  for (std::uint32_t i = 0; i < strategies::deepest_site && label == strategies::no_label; ++i)
    label = table_.find_label(place.names[i]);
  known = {site, stack, label};
  return label;
}

std::uint32_t CycleWatch::label_of(graph::ThreadId id) {
  ProgramThread& thread = in_.threads.at(id);
  return label_at(thread.site, thread.calls.intern(in_.stacks));
}

void CycleWatch::judge(std::uint64_t number) {
  const std::uint32_t index = table_.cycle_of(number);
  const std::uint64_t trial = table_.trial_of(number);
  if (index >= table_.cycle_count || trial >= strategies::CycleTable::most_trials) return;
  const strategies::Cycle& cycle = table_.cycles[index];
  const auto accesses = in_.atomics.accesses();
  const std::size_t used = scratch_.used();
  base::ArenaVector<strategies::LabelledEvent> labelled;
  for (const AccessNote& access : accesses) {
    const std::uint32_t label = label_at(in_.graph.event(access.event).site, access.stack);
    if (label != strategies::no_label) labelled.push_back(scratch_, {access.event, label});
  }
  graph::EventId found[2 * strategies::Cycle::most_pairs];
  const bool has_cycle = find_occurrence(in_.graph, cycle, labelled.span(), scratch_, found);
  scratch_.rewind(used);

  strategies::TrialResult& result = table_.results[trial];
  ++result.executions;
  if (!has_cycle) return;
  const std::uint64_t bug = in_.findings.bug_other_than({table_.known_bugs, table_.known_bug_count});
  ++result.confirmed;
  if (bug != 0 && result.buggy++ == 0) {
    result.bug = bug;
    result.bug_execution = number;
  }
  AccessNote notes[2 * strategies::Cycle::most_pairs];
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < 2 * cycle.size; ++i) {
    if (i % 2 == 1 && cycle.pairs[i / 2].is_single != 0) continue;
    for (const AccessNote& access : accesses)
      if (access.event == found[i]) notes[count] = access;
    ++count;
  }
  in_.findings.report_cycle(in_.graph, {notes, count}, base::hash_words(table_.names[index], model_, bug != 0 ? 1 : 0));
}

}  // namespace heddle::engine
