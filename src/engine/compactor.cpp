#include "engine/compactor.hpp"

#include "base/fast_paths.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/memory/atomics.hpp"
#include "engine/memory/object_table.hpp"
#include "engine/processes/signals.hpp"
#include "engine/scheduling/event_log.hpp"
#include "graph/forgetting.hpp"

namespace heddle::engine {

using graph::Actor;
using graph::EventId;

namespace {
constexpr std::size_t megabyte = std::size_t{1} << 20;
// Compacting ends the search for cycles in psc. Where there is something to search, it begins later.
constexpr std::size_t first_pass_with_psc_at = 200000;
// With more events than this kept, passes are expensive, and so is letting the graph double before the next one.
constexpr std::size_t very_many_kept = 1000000;
// Executions are cut off when there is room for this many more events: one for each thread that is in the middle of an
// operation.
constexpr std::size_t last_events = 4096;
// Returning less memory to the system costs more than it gains.
constexpr std::size_t large_arena = 64 * megabyte;
// Threads that wait for threads: in longer chains, the rest counts as knowing nothing.
constexpr int deepest_join = 16;
}  // namespace

void Compactor::configure(const ExecutionPolicy& policy, const models::MemoryModel& model) {
  compacts_ = policy.compacts && base::fast_paths && model.can_forget();
  first_pass_at_ = policy.first_compaction_at;
}

/// The least that the thread will know when it acts next. A thread that waits for the end of another one will then know
/// what that one knows now, too.
const base::VectorClock* Compactor::will_know(const ProgramThread& thread, int depth) {
  base::Arena& arena = graph_.arena();
  const base::VectorClock* clock = graph_.thread(thread.id).clock;
  if (!thread.started && thread.created != graph::no_event)
    clock = base::VectorClock::join(arena, clock, graph_.event(thread.created).released);
  const SyncObject* awaited = thread.waits_for;
  if (awaited == nullptr || awaited->kind != SyncKind::thread || thread.deadline || depth == deepest_join) return clock;
  for (const ProgramThread* other : threads_.threads()) {
    if (other->done != awaited) continue;
    clock = base::VectorClock::join(arena, clock, will_know(*other, depth + 1));
    return base::VectorClock::with(arena, clock, number(other->id), graph_.thread(other->id).index);
  }
  return clock;
}

void Compactor::run() {
  base::Arena& old = graph_.arena();
  models::ModelState& model_state = log_.model_state();
  const bool ends_search = !graph_.has_forgotten() && model_state.needs_old_events();
  if (ends_search && graph_.events().size() < first_pass_with_psc_at) {
    next_pass_at_ = first_pass_with_psc_at;
    return;
  }
  base::ArenaVector<Actor> actors;
  base::ArenaVector<EventId*> named, pinned;
  base::ArenaVector<graph::LocationId> in_use;
  const auto name = [&](EventId& id) {
    if (id != graph::no_event) named.push_back(old, &id);
  };
  for (ProgramThread* thread : threads_.threads()) {
    name(thread->created);
    name(thread->finished);
    thread->loops.spin.for_each_read([&](SpinDetector::Read& read) {
      if (!read.is_volatile()) pinned.push_back(old, &read.write);
    });
    if (thread->state != ProgramThread::State::alive) continue;
    if (thread->pending.location != graph::no_location) in_use.push_back(old, thread->pending.location);
    actors.push_back(old, {will_know(*thread, 0), thread->id});
  }
  objects_.for_each([&](SyncObject& object) { object.for_each_event(name); });
  signals_.for_each_event(name);
  objects_.recycle_retired(threads_, [&](graph::LocationId location) { in_use.push_back(old, location); });
  atomics_.forget_scratch();  // its storage goes, too
  base::Arena& to = storage_.next_arena();
  model_state.forget(graph_.forget({actors, named, pinned, in_use, &storage_.event_arena()}, to));
  const std::size_t kept = graph_.events().size();
  const std::size_t most = graph_.room_for_events() - last_events;
  if (kept >= most) log_.cut_off();
  next_pass_at_ = kept < very_many_kept ? kept * 2 : kept + kept / 2;
  if (next_pass_at_ < first_pass_at_) next_pass_at_ = first_pass_at_;
  if (next_pass_at_ > most) next_pass_at_ = most;
  if (old.used() > large_arena) give_back(old.memory_in_use());
}

}  // namespace heddle::engine
