// Threads of the program. A slot (stack, TLS, heap part) belongs to a name, and a name to (parent, spawn index),
// so what a thread's addresses are does not depend on the interleaving.
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>

#include "base/hash.hpp"
#include "engine/clean_call.hpp"
#include "engine/engine.hpp"
#include "engine/kernel_threads.hpp"
#include "engine/real.hpp"
#include "engine/snapshot.hpp"

namespace heddle::engine {

using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;

namespace {

constexpr std::uintptr_t stacks_address = 0x680000000000;
constexpr std::size_t stack_size = std::size_t{8} << 20;
constexpr int destructor_rounds = 4;  // PTHREAD_DESTRUCTOR_ITERATIONS

bool is_finished(const SyncObject& object, const ProgramThread&) { return object.done; }

std::uint64_t rank_of(const ProgramThread& thread) {
  if (thread.parent == nullptr) return 0;
  constexpr std::uint32_t bits = 16, most_levels = 64 / bits;
  const bool fits = thread.parent->rank != ProgramThread::no_rank && thread.depth <= most_levels &&
                    thread.spawn_index < (1U << bits) - 1;
  if (!fits) return ProgramThread::no_rank;
  return thread.parent->rank | std::uint64_t{thread.spawn_index} << (64 - bits * thread.depth);
}

constexpr pthread_key_t early_keys = 1024;  // as many as the C library has
void (*early_key_destructors[early_keys])(void*);

}  // namespace

void remember_early_key(pthread_key_t key, void (*destructor)(void*)) {
  if (key < early_keys) early_key_destructors[key] = destructor;
}

ProgramThread& Engine::thread_slot(std::uint64_t name, const ProgramThread* parent, std::uint32_t spawn_index) {
  for (ProgramThread* thread : slots_)
    if (thread->name == name) return *thread;
  if (slots_.size() == max_threads) unsupported("the program creates more than %u threads", max_threads);
  auto* thread = forever_.create<ProgramThread>();
  thread->id = graph::ThreadId{static_cast<std::uint32_t>(slots_.size())};
  thread->name = name;
  thread->parent = parent;
  thread->spawn_index = spawn_index;
  thread->depth = parent == nullptr ? 0 : parent->depth + 1;
  thread->rank = rank_of(*thread);
  if (parent == nullptr)
    std::snprintf(thread->label, sizeof thread->label, "T0");
  else
    std::snprintf(thread->label, sizeof thread->label, "%.50s.%u", parent->label, spawn_index);
  prepare_slot(*thread);
  slots_.push_back(forever_, thread);
  return *thread;
}

void Engine::prepare_slot(ProgramThread& thread) {
  if (stacks_memory_ == nullptr) {
    stacks_memory_ = static_cast<std::byte*>(::mmap(reinterpret_cast<void*>(stacks_address), max_threads * stack_size,
                                                    PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    HEDDLE_CHECK(stacks_memory_ != MAP_FAILED, "no address space for stacks (ulimit -v?)");
  }
  std::byte* stack = stacks_memory_ + number(thread.id) * stack_size;
  if (number(thread.id) == 0) {  // main keeps the thread it was born on
    thread.handle = ::pthread_self();
    thread.fiber.prepare(stack, stack_size, root_.thread_pointer());
    return;
  }
  const KernelThread kernel = park_new_kernel_thread();
  if (kernel.handle == 0) unsupported("the system does not allow another thread (%u exist)", number(thread.id));
  thread.handle = kernel.handle;
  thread.fiber.prepare(stack, stack_size, kernel.thread_pointer);
}

void Engine::begin_thread(ProgramThread& thread, void* (*routine)(void*), void* argument) {
  static_cast<ThreadState&>(thread) = {};
  if (limits_.exhaustive) {
    static_cast<SearchState&>(thread) = {};
    thread.now = current_ == nullptr ? 0 : current_->now;
  }
  thread.state = ProgramThread::State::alive;
  thread.routine = routine;
  thread.argument = argument;
  thread.calls.clear();
  thread.spin.reset();
  thread.waiting_loop.reset();
  if (thread.done == nullptr) {
    thread.done = forever_.create<SyncObject>();
    thread.done->kind = SyncKind::thread;
  }
  thread.done->waiters.clear();
  thread.done->done = false;
  if (number(thread.id) != 0) initialise_tls(modules_, thread.fiber.thread_pointer());
  graph_.add_thread(thread.id, thread.name);
  threads_.push_back(execution_arena_, &thread);
  ++alive_;
  ++unjoined_;
  thread.fiber.start(thread_entry, this);
  thread.pending.kind = EventKind::start;
  thread.pending.operation = static_cast<std::uint8_t>(Operation::thread_start);
  set_enabled(thread, true);
}

void Engine::thread_entry(void* argument) {
  auto& engine = *static_cast<Engine*>(argument);
  ProgramThread& self = *engine.current_;
  self.started = true;
  if (self.created != graph::no_event) {
    graph::Event& event = engine.begin_event(EventKind::start, MemoryOrder::plain, Operation::thread_start, 0);
    auto created = engine.graph_.arena().create_array<EventId>(1);
    created[0] = self.created;
    event.synchronised = created;
    engine.decider_.about_to_execute(self.id, self.pending);
    engine.record();
  }
  const std::uint64_t result = heddle_clean_call(reinterpret_cast<const void*>(self.routine),
                                                 reinterpret_cast<std::uint64_t>(self.argument), 0, 0);
  engine.finish_thread(reinterpret_cast<void*>(result));
}

int Engine::create_thread(pthread_t& handle, bool detached, void* (*routine)(void*), void* argument,
                          std::uint64_t site) {
  reach(EventKind::create, MemoryOrder::plain, Operation::thread_create, graph::no_location, site);
  ProgramThread& self = *current_;
  const std::uint32_t index = ++self.spawned;
  ProgramThread& thread = thread_slot(base::hash_words(self.name, index), &self, index);
  begin_thread(thread, routine, argument);
  thread.detached = detached;
  if (limits_.bounds.symmetry != 0) find_twin(thread);
  begin_event(EventKind::create, MemoryOrder::plain, Operation::thread_create, site);
  thread.created = record();
  had_effect();
  handle = thread.handle;
  return 0;
}

/// Threads with the same function and argument that were created one right after the other. What std::thread passes is
/// a block of its own, with a copy of what to call in it: then its contents count.
void Engine::find_twin(ProgramThread& thread) {
  ProgramThread& parent = *current_;
  const auto argument = reinterpret_cast<std::uintptr_t>(thread.argument);
  thread.task = base::hash_words(reinterpret_cast<std::uintptr_t>(thread.routine), argument);
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

/// Whoever joins one of several twins, and acts before it has joined the others, can tell them apart.
void Engine::note_joined_twin(const ProgramThread& thread) {
  const ProgramThread* eldest = &thread;
  while (eldest->twin != nullptr) eldest = eldest->twin;
  current_->joined_one_of = nullptr;
  for (const ProgramThread* twin = eldest; twin != nullptr; twin = twin->younger_twin)
    if (!twin->joined) current_->joined_one_of = eldest;
}

void Engine::refuse_to_tell_twins_apart(EventKind kind) {
  if (current_->joined_one_of == nullptr || kind == EventKind::join || kind == EventKind::finish) return;
  unsupported(
      "--symmetry does not apply: the program acts after it has joined %s and before it has joined the threads "
      "that do the same",
      current_->joined_one_of->label);
}

ProgramThread* Engine::find_thread(pthread_t handle) {
  for (ProgramThread* thread : threads_)
    if (thread->handle == handle) return thread;
  return nullptr;
}

int Engine::join_thread(pthread_t handle, void** result, std::uint64_t site, Deadline deadline, bool try_only) {
  ProgramThread* thread = find_thread(handle);
  if (thread == nullptr || thread->joined) return ESRCH;
  if (thread->detached) return EINVAL;
  if (thread == current_) return EDEADLK;
  if (limits_.exhaustive && (try_only || deadline))
    unsupported("the exhaustive search does not know joins that do not wait for the end of the thread");
  if (try_only || thread->done->done) {
    reach(EventKind::join, MemoryOrder::plain, Operation::thread_join, graph::no_location, site);
    if (!thread->done->done) return EBUSY;
  } else if (!await(*thread->done, is_finished, EventKind::join, Operation::thread_join, site, deadline)) {
    return ETIMEDOUT;
  }
  graph::Event& event = begin_event(EventKind::join, MemoryOrder::plain, Operation::thread_join, site);
  auto finished = graph_.arena().create_array<EventId>(1);
  finished[0] = thread->finished;
  event.synchronised = finished;
  record();
  had_effect();
  thread->joined = true;
  --unjoined_;
  if (current_->now < thread->now) current_->now = thread->now;
  if (limits_.bounds.symmetry != 0) note_joined_twin(*thread);
  if (result != nullptr) *result = thread->result;
  return 0;
}

int Engine::detach_thread(pthread_t handle) {
  ProgramThread* thread = find_thread(handle);
  if (thread == nullptr || thread->joined) return ESRCH;
  if (thread->detached) return EINVAL;
  thread->detached = true;
  return 0;
}

void Engine::finish_thread(void* result) {
  run_tls_destructors();
  run_key_destructors();
  reach(EventKind::finish, MemoryOrder::plain, Operation::thread_finish, graph::no_location, 0);
  ProgramThread& self = *current_;
  self.result = result;
  begin_event(EventKind::finish, MemoryOrder::plain, Operation::thread_finish, 0);
  self.finished = record();
  had_effect();
  self.state = ProgramThread::State::finished;
  --alive_;
  set_enabled(self, false);
  self.done->done = true;
  reconsider(*self.done);
  if (alive_ == 0) exit_program();
  ProgramThread& next = pick();
  current_ = &next;
  Fiber::abandon_for(next.fiber);
}

void Engine::add_tls_destructor(void (*function)(void*), void* object) {
  current_->tls_destructors.push_back(execution_arena_, {function, object});
}

void Engine::run_tls_destructors() {
  auto& destructors = current_->tls_destructors;
  while (!destructors.empty()) {  // a destructor may register another
    const TlsDestructor last = destructors.back();
    destructors.pop_back();
    last.function(last.object);
  }
}

int Engine::create_key(pthread_key_t& key, void (*destructor)(void*)) {
  keys_.push_back(execution_arena_, {true, destructor});
  key = first_key + static_cast<pthread_key_t>(keys_.size()) - 1;
  return 0;
}

int Engine::delete_key(pthread_key_t key) {
  if (key < first_key || key - first_key >= keys_.size() || !keys_[key - first_key].used) return EINVAL;
  keys_[key - first_key] = {};
  return 0;
}

void* Engine::get_key(pthread_key_t key) {
  for (const KeyValue& entry : current_->keys)
    if (entry.key == key) return entry.value;
  const bool may_be_from_before = !is_own_key(key) && current_->parent == nullptr;
  return may_be_from_before ? real().pthread_getspecific(key) : nullptr;
}

int Engine::set_key(pthread_key_t key, const void* value) {
  const bool exists =
      is_own_key(key) ? key - first_key < keys_.size() && keys_[key - first_key].used : key < early_keys;
  if (!exists) return EINVAL;
  for (KeyValue& entry : current_->keys)
    if (entry.key == key) {
      entry.value = const_cast<void*>(value);
      return 0;
    }
  current_->keys.push_back(execution_arena_, {key, const_cast<void*>(value)});
  return 0;
}

void Engine::run_key_destructors() {
  for (int round = 0; round < destructor_rounds; ++round) {
    bool ran = false;
    for (std::size_t i = 0; i < current_->keys.size(); ++i) {
      KeyValue& entry = current_->keys[i];
      const bool own = is_own_key(entry.key);
      auto* destructor = own ? keys_[entry.key - first_key].destructor : early_key_destructors[entry.key];
      if (entry.value == nullptr || destructor == nullptr || (own && !keys_[entry.key - first_key].used)) continue;
      void* value = entry.value;
      entry.value = nullptr;
      destructor(value);
      ran = true;
    }
    if (!ran) return;
  }
}

ProgramThread* Engine::thread_with_guard(std::uintptr_t address) {
  for (ProgramThread* thread : threads_)
    if (thread->fiber.guard().contains(address)) return thread;
  return nullptr;
}

}  // namespace heddle::engine
