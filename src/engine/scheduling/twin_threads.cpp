#include "engine/scheduling/twin_threads.hpp"

#include "base/hash.hpp"

namespace heddle::engine {

void TwinThreads::find_twin(ProgramThread& thread) {
  ProgramThread& parent = threads_.current();
  const auto argument = reinterpret_cast<std::uintptr_t>(thread.argument);
  thread.task = base::hash_words(reinterpret_cast<std::uintptr_t>(thread.routine), argument);
  // What std::thread passes is a heap block of its own, with a copy of what to call in it: then its contents count.
  if (heap_.contains(thread.argument)) {
    const Block block = heap_.find_block(argument);
    if (block.address == argument)
      thread.task = base::hash_bytes(thread.argument, block.size, reinterpret_cast<std::uintptr_t>(thread.routine));
  }
  ProgramThread* last = parent.last_child;
  const bool is_next = last != nullptr && graph_.event(last->created).index == graph_.thread(parent.id).index;
  if (is_next && last->task == thread.task && last->detached == thread.detached) {
    thread.twin = last;
    last->younger_twin = &thread;
  }
  parent.last_child = &thread;
  decider_.set_twin(thread.id, thread.twin == nullptr ? graph::no_thread : thread.twin->id);
}

void TwinThreads::remember_joined_twin(const ProgramThread& thread) {
  const ProgramThread* eldest = &thread;
  while (eldest->twin != nullptr) eldest = eldest->twin;
  ProgramThread& joiner = threads_.current();
  joiner.joined_one_of = nullptr;
  for (const ProgramThread* twin = eldest; twin != nullptr; twin = twin->younger_twin)
    if (!twin->joined) joiner.joined_one_of = eldest;
}

void TwinThreads::refuse_to_tell_apart(graph::EventKind kind) {
  const ProgramThread* joined = threads_.current().joined_one_of;
  if (joined == nullptr || kind == graph::EventKind::join || kind == graph::EventKind::finish) return;
  end_.unsupported(
      "--symmetry does not apply: the program acts after it has joined %s and before it has joined the threads "
      "that do the same",
      joined->label);
}

}  // namespace heddle::engine
