// Long executions: now and then the graph moves into another arena and leaves behind what nobody can ask for any more.
#include "graph/forgetting.hpp"

#include "base/fast_paths.hpp"
#include "engine/engine.hpp"
#include "engine/memory.hpp"

namespace heddle::engine {

using graph::Actor;
using graph::EventId;

namespace {
constexpr std::size_t megabyte = std::size_t{1} << 20;
// What is in use should fit into the processor's cache: a megabyte or so. Counted in events, not in bytes, so that the
// same execution forgets at the same moments, and names its events alike, whenever it runs.
constexpr std::size_t first_pass_at = 8192;
// Forgetting ends the search over psc. Where there is something to search, it begins later.
constexpr std::size_t first_pass_with_psc_at = 200000;
// Passes are dear once very much is kept, and so is what is kept until then.
constexpr std::size_t very_many_kept = 1000000;
// Events are cut off when there is room for so many more: one for each thread that is in the middle of an operation.
constexpr std::size_t last_events = 4096;
// Handing memory back and forth costs more than it is worth for less.
constexpr std::size_t large_arena = 64 * megabyte;
constexpr std::size_t arena_size = std::size_t{32} << 30;
constexpr std::size_t least_arena_size = 64 * megabyte;
// Waiting for a thread that waits for a thread: deeper chains count as knowing nothing of the end of the chain.
constexpr int deepest_join = 16;
}  // namespace

base::Arena& Engine::graph_arena(std::uint32_t which) {
  if (graph_arenas_[which].capacity() == 0)
    graph_arenas_[which] = base::Arena(reserve_memory(arena_size, least_arena_size));
  return graph_arenas_[which];
}

void Engine::begin_graph() {
  graph_arena_in_use_ = 0;
  graph_arena(0).reset();
  graph_.clear(graph_arena(0));
  model_state_ = &model_->begin_execution(graph_, execution_arena_);
  if (limits_.exhaustive) graph_.keep_program_order();
  next_pass_at_ = first_pass_at;
}

/// What the thread will know at least when it acts next. One that waits for the end of another will know what that one
/// knows now, too.
const base::VectorClock* Engine::will_know(const ProgramThread& thread, int depth) {
  const graph::Thread& known = graph_.thread(thread.id);
  base::Arena& arena = graph_.arena();
  const base::VectorClock* clock = known.clock;
  if (!thread.started && thread.created != graph::no_event)
    clock = base::VectorClock::join(arena, clock, graph_.event(thread.created).released);
  const SyncObject* awaited = thread.waits_for;
  if (awaited == nullptr || awaited->kind != SyncKind::thread || thread.deadline || depth == deepest_join) return clock;
  for (const ProgramThread* other : threads_) {
    if (other->done != awaited) continue;
    clock = base::VectorClock::join(arena, clock, will_know(*other, depth + 1));
    return base::VectorClock::with(arena, clock, number(other->id), graph_.thread(other->id).index);
  }
  return clock;
}

/// Threads that are in the middle of an operation hold on to its object.
bool Engine::is_in_use(const SyncObject& object) const {
  if (!object.waiters.empty()) return true;
  for (const ProgramThread* thread : threads_)
    if (thread->state == ProgramThread::State::alive && thread->pending.location == object.location) return true;
  return false;
}

void Engine::forget_if_large() {
  base::Arena& old = graph_.arena();
  const std::size_t events = graph_.events().size();
  if (events < next_pass_at_ || limits_.exhaustive || !base::fast_paths || !model_->can_forget()) return;
  if (!graph_.has_forgotten() && model_state_->needs_old_events() && events < first_pass_with_psc_at) return;
  base::ArenaVector<Actor> actors;
  base::ArenaVector<EventId*> named, pinned;
  base::ArenaVector<graph::LocationId> in_use;
  const auto name = [&](EventId& id) {
    if (id != graph::no_event) named.push_back(old, &id);
  };
  for (ProgramThread* thread : threads_) {
    name(thread->created);
    name(thread->finished);
    thread->spin.for_each_read([&](SpinDetector::Read& read) { pinned.push_back(old, &read.write); });
    if (thread->state != ProgramThread::State::alive) continue;
    if (thread->pending.location != graph::no_location) in_use.push_back(old, thread->pending.location);
    actors.push_back(old, {will_know(*thread, 0), thread->id});
  }
  objects_.for_each([&](SyncObject* object) {
    for (ReleaseSet* set : {&object->released, &object->released_exclusively, &object->leaving})
      for (EventId& id : set->names()) name(id);
  });
  std::size_t still_in_use = 0;
  for (SyncObject* object : retired_objects_) {
    if (!is_in_use(*object)) {
      free_objects_.push_back(execution_arena_, object);
      continue;
    }
    in_use.push_back(old, object->location);
    retired_objects_[still_in_use++] = object;
  }
  retired_objects_.resize(execution_arena_, still_in_use);
  candidates_.forget();  // their storage goes, too
  slots_in_mo_.forget();
  fitting_.forget();
  graph_arena_in_use_ = 1 - graph_arena_in_use_;
  base::Arena& to = graph_arena(graph_arena_in_use_);
  to.reset();
  if (event_arena_.capacity() == 0) event_arena_ = base::Arena(reserve_memory(arena_size, 2 * least_arena_size));
  model_state_->forget(graph_.forget({actors, named, pinned, in_use, &event_arena_}, to));
  const std::size_t kept = graph_.events().size();
  const std::size_t most = graph_.room_for_events() - last_events;
  if (kept >= most) cut_off(current_->site);
  next_pass_at_ = kept < very_many_kept ? kept * 2 : kept + kept / 2;
  if (next_pass_at_ < first_pass_at) next_pass_at_ = first_pass_at;
  if (next_pass_at_ > most) next_pass_at_ = most;
  if (old.used() > large_arena) give_back(old.memory_in_use());
}

}  // namespace heddle::engine
