#include "engine/memory/graph_storage.hpp"

#include "engine/isolation/address_space.hpp"

namespace heddle::engine {

namespace {
constexpr std::size_t arena_size = std::size_t{32} << 30;
constexpr std::size_t least_arena_size = std::size_t{64} << 20;
}  // namespace

void GraphStorage::configure(const ExecutionPolicy& policy) {
  keeps_program_order_ = policy.keeps_program_order;
  keeps_history_ = policy.repeats_executions;
}

base::Arena& GraphStorage::arena(std::uint32_t which) {
  if (arenas_[which].capacity() == 0) arenas_[which] = base::Arena(reserve_memory(arena_size, least_arena_size));
  return arenas_[which];
}

void GraphStorage::begin_execution(graph::EventId kept_until, Kept kept) {
  arena_in_use_ = 0;
  if (kept_until != graph::no_event)
    return kept == Kept::repeated ? graph_.cut(kept_until) : graph_.cut_and_continue(kept_until);
  arena(0).reset();
  graph_.clear(arena(0));
  if (keeps_program_order_) graph_.keep_program_order();
  if (keeps_history_) graph_.keep_history();
}

base::Arena& GraphStorage::next_arena() {
  arena_in_use_ = 1 - arena_in_use_;
  base::Arena& next = arena(arena_in_use_);
  next.reset();
  return next;
}

base::Arena& GraphStorage::event_arena() {
  if (event_arena_.capacity() == 0) event_arena_ = base::Arena(reserve_memory(arena_size, 2 * least_arena_size));
  return event_arena_;
}

}  // namespace heddle::engine
