#include "exploration/symmetry.hpp"

#include "exploration/revisits.hpp"

namespace heddle::exploration {

using graph::ThreadId;

void Symmetry::set_twin(ThreadId thread, ThreadId twin) {
  if (number(thread) >= max_threads || (twin == graph::no_thread && !has_pairs_)) return;
  pairs_[number(thread)].elder = twin;
  has_pairs_ = true;
  if (twin != graph::no_thread) run_has_pairs_ = true;
}

void Symmetry::begin_run() {
  if (!has_pairs_) return;
  run_has_pairs_ = false;
  for (Pair& pair : pairs_) pair.differ = false;
}

bool Symmetry::waits_for_twin(const graph::ExecutionGraph& graph, ThreadId thread) const {
  if (!has_pairs_ || !is_paired(thread)) return false;
  return graph.thread(pairs_[number(thread)].elder).index <= graph.thread(thread).index;
}

std::uint32_t Symmetry::twin_of(const Step& step, Steps before) {
  if (!has_pairs_ || !is_paired(step.name.thread)) return initial;
  Pair& pair = pairs_[number(step.name.thread)];
  for (std::uint32_t i = 0; i < before.size(); ++i)
    if (before[i].name == EventName{pair.elder, step.name.index}) return i;
  pair.differ = true;  // the elder twin cannot continue
  return initial;
}

bool Symmetry::follow(Steps steps, base::Arena& scratch) {
  const Step& younger = steps.back();
  const Step& elder = steps[younger.twin];
  bool& differ = pairs_[number(younger.name.thread)].differ;
  if (younger.location != elder.location || accesses_memory(younger.kind) != accesses_memory(elder.kind)) {
    differ = true;  // for example memory of their own: later events cannot be compared
    return true;
  }
  if (!accesses_memory(younger.kind)) {
    differ = younger.kind != elder.kind || younger.detail != elder.detail;
    return !differ || younger.detail >= elder.detail;
  }
  const bool both_read = reads(younger.kind) && reads(elder.kind);
  if (both_read && younger.source == elder.source && !writes(younger.kind) && !writes(elder.kind)) return true;
  differ = true;
  // An rmw directly follows the write that it reads.
  const auto place = [](const Step& step) {
    return reads(step.kind) && writes(step.kind) ? step.mo_position - 1 : step.mo_position;
  };
  if (both_read ? place(elder) <= place(younger) : elder.mo_position <= younger.mo_position) return true;
  Step without_twin = younger;
  without_twin.twin = initial;
  const Prefix prefix(steps.first(steps.size() - 1), without_twin, younger.reads_from, scratch);
  return prefix.contains(younger.twin);
}

}  // namespace heddle::exploration
