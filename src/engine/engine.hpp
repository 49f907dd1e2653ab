// The engine: runs one execution of the program after another under a strategy and a memory model. It owns the
// program's threads, clock, heap and synchronisation objects; abi/ translates the program's calls into calls of
// this class. There is one kernel thread; everything here runs on the fiber of the calling program thread.
//
// The rhythm of every visible operation: announce it (reach, await: others may run first), perform it on the
// graph (choices go to the strategy), tell the strategy and the race detector.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/fast_paths.hpp"
#include "base/random.hpp"
#include "channel/channel.hpp"
#include "engine/address_map.hpp"
#include "engine/address_names.hpp"
#include "engine/call_stacks.hpp"
#include "engine/caller_registers.hpp"
#include "engine/deadline.hpp"
#include "engine/decider.hpp"
#include "engine/dice.hpp"
#include "engine/finding_context.hpp"
#include "engine/finding_sink.hpp"
#include "engine/heap.hpp"
#include "engine/modules.hpp"
#include "engine/operation.hpp"
#include "engine/program_thread.hpp"
#include "engine/snapshot.hpp"
#include "engine/sync_object.hpp"
#include "exploration/bounds.hpp"
#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"
#include "races/detector.hpp"
#include "strategies/strategy.hpp"
#include "trace/decisions.hpp"

namespace heddle::engine {

using graph::Value;

/// How one atomic access is written in the program.
struct AtomicAccess {
  std::uintptr_t address;
  std::uint8_t size;
  graph::MemoryOrder order;
  std::uint64_t site;
};

struct Limits {
  std::uint64_t max_events = 1000000;
  bool check_leaks = false;
  bool exhaustive = false;     ///< the strategy explores every execution graph: what is random elsewhere must not be
  exploration::Bounds bounds;  ///< of that
};

/// A key that was made before main, or between two checks.
void remember_early_key(pthread_key_t key, void (*destructor)(void*));

class Engine final : private FindingContext {
 public:
  static constexpr std::uint32_t max_threads = Heap::max_slots;
  static constexpr pthread_key_t first_key = 4096;  // the C library's own end at 1024

  Engine(base::Arena& forever, base::Arena& execution_arena, Heap& heap, const Modules& modules,
         channel::Channel* channel);

  void configure(const models::MemoryModel& model, strategies::Strategy& strategy, const Limits& limits,
                 std::uint64_t seed);

  void use_strategy(strategies::Strategy& strategy) { decider_.use(strategy); }
  /// The current thread may be in a loop that waits: what is on its stack will be compared.
  bool may_be_waiting() const { return limits_.exhaustive && current_->waiting_loop.is_reading(); }
  /// What the signal handler asks when somebody cannot write: see Snapshot::watch.
  void set_snapshot(Snapshot& snapshot) { snapshot_ = &snapshot; }
  bool noticed_write(std::uintptr_t address) { return snapshot_ != nullptr && snapshot_->noticed_write(address); }
  /// The program may be about to take the signal for itself, or to block it.
  void stop_watching_memory() {
    if (snapshot_ != nullptr) snapshot_->unwatch();
  }
  /// Where the entry points note the registers of their callers.
  void set_caller_registers(CallerRegisters& registers) { caller_registers_ = &registers; }

  // ---- one execution (engine.cpp) -------------------------------------------------------------------------
  /// Runs `program_main` as thread T0 until the execution ends. Called on the root fiber.
  strategies::Outcome run(std::uint64_t number, void* (*program_main)(void*), void* argument);
  /// Ends the execution from inside it.
  [[noreturn]] void end_execution(strategies::Outcome outcome);
  /// The program ends: exit() and the like. Exit handlers have run.
  [[noreturn]] void exit_program();
  /// The engine in whose execution the caller is; null outside of executions.
  static Engine* running() { return running_; }
  /// A watchdog ends this execution.
  void set_timed_out() { timed_out_ = true; }
  bool timed_out() const { return timed_out_; }
  /// A signal came while what outlives the execution is being changed.
  bool must_not_be_left() const { return shadow_.is_changing(); }
  /// heddle::check: the stack of those who called it, which is the program's memory too.
  void set_callers_stack(Range stack) { names_.set_callers_stack(stack); }
  const graph::ExecutionGraph& graph() const { return graph_; }
  /// The model's state of the execution that runs: another object in every execution.
  models::ModelState* const& model_state() const { return model_state_; }
  std::uint64_t graph_hash() const { return base::fast_paths ? graph_.kept_hash() : graph::canonical_hash(graph_); }
  std::uint64_t events_executed() const override { return events_; }

  // ---- scheduling (scheduling.cpp) ------------------------------------------------------------------------
  ProgramThread& current() { return *current_; }
  /// A scheduling point: the current thread is about to perform `operation`. True: others have run meanwhile.
  bool reach(graph::EventKind kind, graph::MemoryOrder order, Operation operation, graph::LocationId location,
             std::uint64_t site, bool yields = false) {
    // Written where it stays: as an argument it would be put together from pieces, and the processor would have to wait
    // for them.
    strategies::PendingOperation& pending = current_->pending;
    pending.kind = kind;
    pending.order = order;
    pending.operation = static_cast<std::uint8_t>(operation);
    pending.yields = yields;
    pending.location = location;
    pending.waits = false;
    current_->site = site;
    return reach_pending();
  }
  /// A scheduling point that the current thread passes only when `ready` holds, or its deadline is over (false).
  bool await(SyncObject& object, Ready ready, graph::EventKind kind, Operation operation, std::uint64_t site,
             Deadline deadline = no_deadline);
  /// Something about the object changed: asks every waiter's `ready` again.
  void reconsider(SyncObject& object);
  void yield(std::uint64_t site);
  /// The program says that an execution in which it comes here is none of its.
  [[noreturn]] void assume_not(std::uint64_t site);
  /// A number below `options` that nobody determines: a choice like others.
  std::uint32_t choose_value(std::uint32_t options, std::uint64_t site);
  /// How many values a number has that may have any.
  std::uint32_t any_values() const;
  void sleep(std::uint64_t nanoseconds, std::uint64_t site);
  std::uint32_t choose_number(strategies::ChoiceKind kind, std::uint32_t options);

  // ---- atomics (atomics.cpp) ------------------------------------------------------------------------------
  Value load(const AtomicAccess& access);
  void store(const AtomicAccess& access, Value value);
  /// Returns the old value.
  Value read_modify_write(const AtomicAccess& access, Operation operation, Value operand);
  /// True and `desired` stored, or false and `expected` replaced by what was read.
  bool compare_exchange(const AtomicAccess& access, graph::MemoryOrder failure, bool weak, Value& expected,
                        Value desired);
  void fence(graph::MemoryOrder order, std::uint64_t site);

  // ---- plain memory (accesses.cpp) ------------------------------------------------------------------------
  /// Those that the current thread makes until its next event.
  races::PlainAccesses plain_accesses() const { return {current_->id, graph_.thread(current_->id).plain_index()}; }
  /// True: plain_access() would do nothing of any consequence. Either the thread's newest accesses include this one, or
  /// it reads while everybody else has been joined: whatever comes later happens after it. `place` is for
  /// access_in_peace().
  template <std::size_t size, races::AccessType type>
  bool needs_no_record(std::uintptr_t address, races::PlainAccesses stretch, races::Detector::Place& place) const {
    // The exhaustive search wants to know of every write, and wants the stack wiped (abi/scrub.hpp).
    if (!base::fast_paths || limits_.exhaustive) return false;
    place = races_.place_of(address, size);
    if (races_.is_remembered<type>(place, stretch)) return true;
    return !is_write(type) && unjoined_ == 1 && races_.is_not_freed(place);
  }
  /// True: plain_access() is not needed any more, since what it would have done was done at once.
  bool access_in_peace(races::Cell* cell, std::uint64_t first_word, std::uint32_t size, std::uint64_t site);
  void plain_access(std::uintptr_t address, std::size_t size, bool write, std::uint64_t site);
  /// The runtime itself wrote to an object of the program's, such as the `expected` of a compare-exchange.
  void wrote_for_program(std::uintptr_t address);
  void enter_function(std::uint64_t return_address, std::uintptr_t frame) {
    current_->calls.enter(forever_, return_address, frame);
  }
  /// The same where nothing else is to be done; false: it was not.
  bool enter_function_at_once(std::uint64_t return_address, std::uintptr_t frame) {
    return base::fast_paths && !limits_.exhaustive && current_->calls.enter_at_once(return_address, frame);
  }
  void leave_function() { current_->calls.leave(); }
  void* allocate(std::size_t size, std::size_t alignment, std::uint64_t site);
  void deallocate(void* pointer, std::uint64_t site);

  // ---- threads (threads.cpp) ------------------------------------------------------------------------------
  /// The new thread's handle, in `handle`. 0 or an errno value.
  int create_thread(pthread_t& handle, bool detached, void* (*routine)(void*), void* argument, std::uint64_t site);
  int join_thread(pthread_t handle, void** result, std::uint64_t site, Deadline deadline, bool try_only);
  int detach_thread(pthread_t handle);
  /// Runs the current thread's destructors and ends it; its stack must have been unwound.
  [[noreturn]] void finish_thread(void* result);
  void add_tls_destructor(void (*function)(void*), void* object);
  void run_tls_destructors();
  /// Keys of the execution; others are the C library's, made before main. What an execution sets them to is the
  /// execution's all the same.
  static bool is_own_key(pthread_key_t key) { return key >= first_key; }
  int create_key(pthread_key_t& key, void (*destructor)(void*));
  int delete_key(pthread_key_t key);
  void* get_key(pthread_key_t key);
  int set_key(pthread_key_t key, const void* value);
  ProgramThread* find_thread(pthread_t handle);

  // ---- synchronisation objects (sync.cpp, conditions.cpp) -----------------------------------------------
  enum class MutexKind : std::uint8_t { normal, recursive, error_check };
  int lock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site, Deadline deadline);
  int try_lock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site);
  int unlock_mutex(std::uintptr_t address, MutexKind kind, std::uint64_t site);
  int lock_shared(std::uintptr_t address, std::uint64_t site, Deadline deadline, bool try_only);
  int lock_exclusive(std::uintptr_t address, std::uint64_t site, Deadline deadline, bool try_only);
  int unlock_rwlock(std::uintptr_t address, std::uint64_t site);
  int wait_condition(std::uintptr_t address, std::uintptr_t mutex, MutexKind kind, std::uint64_t site,
                     Deadline deadline);
  void signal_condition(std::uintptr_t address, bool all, std::uint64_t site);
  void initialise_barrier(std::uintptr_t address, std::uint32_t count);
  /// True for one thread of each round.
  bool wait_barrier(std::uintptr_t address, std::uint32_t count, std::uint64_t site);
  void initialise_semaphore(std::uintptr_t address, std::uint32_t value);
  /// 0, or ETIMEDOUT / EAGAIN.
  int wait_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site, Deadline deadline,
                     bool try_only);
  void post_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site);
  std::int64_t semaphore_value(std::uintptr_t address, std::uint32_t initial, std::uint64_t site);
  /// True: the caller must initialise and then call finish_once. False: it has been done.
  bool begin_once(std::uintptr_t address, std::uint64_t site);
  void finish_once(std::uintptr_t address, bool succeeded, std::uint64_t site);
  /// 0, ETIMEDOUT or EAGAIN.
  int wait_futex(std::uintptr_t address, std::uint32_t expected, std::uint64_t site, Deadline deadline);
  int wake_futex(std::uintptr_t address, std::uint32_t count, std::uint64_t site);
  void annotate_acquire(std::uintptr_t address, std::uint64_t site);
  void annotate_release(std::uintptr_t address, std::uint64_t site);
  void forget_object(std::uintptr_t address);
  bool knows_object(std::uintptr_t address) { return objects_.find(address) != nullptr; }

  // ---- time and randomness --------------------------------------------------------------------------------
  /// Virtual nanoseconds since the execution began. Under the exhaustive search every thread has a time of its own,
  /// which is a function of what it did; a common one would depend on the order of execution.
  std::uint64_t now() const { return limits_.exhaustive ? current_->now : now_; }
  void tick() { now_here() += 100; }
  std::uint64_t random_word() { return dice_.next_for_program(); }
  void seed_random(std::uint64_t seed) { dice_.seed_programs(seed); }

  // ---- findings ---------------------------------------------------------------------------------------------
  FindingSink& findings() { return findings_; }
  /// What the program does cannot be tested: the worker ends with this sentence.
  [[noreturn, gnu::cold, gnu::noinline]] void unsupported(const char* format, ...)
      __attribute__((format(printf, 2, 3)));
  /// Where findings get their decisions.
  void set_recorder(trace::Recorder& recorder) { decider_.set_recorder(&recorder); }
  trace::Recorder* recorder() const { return decider_.recorder(); }
  /// Which calls the strategy wants in this execution.
  strategies::FastPath::Calls strategy_calls() const { return decider_.calls(); }

  Fiber& root() { return root_; }
  /// Kernel threads that only lend their thread-local storage.
  std::size_t parked_threads() const { return slots_.empty() ? 0 : slots_.size() - 1; }
  const Modules& modules() const { return modules_; }
  Heap& heap() { return heap_; }
  channel::Channel* channel() { return channel_; }
  base::Arena& forever() { return forever_; }
  base::Arena& execution_arena() { return execution_arena_; }
  ProgramThread* thread_with_guard(std::uintptr_t address);

 private:
  // engine.cpp
  [[noreturn, gnu::cold, gnu::noinline]] void cut_off(std::uint64_t site);
  [[gnu::noinline]] void look_at_limits(std::uint64_t site);
  void begin(std::uint64_t number);
  /// Appends the event that was begun to the graph, with everything that follows from it.
  graph::EventId record(std::uint32_t mo_position = graph::ExecutionGraph::newest);
  /// The current thread's next event, in its place in the graph; valid until another one is begun or recorded.
  graph::Event& begin_event(graph::EventKind kind, graph::MemoryOrder order, Operation operation, std::uint64_t site) {
    graph::Event& event = graph_.begin_event();
    event.kind = kind;
    event.order = order;
    event.operation = static_cast<std::uint8_t>(operation);
    event.thread = current_->id;
    event.site = site;
    return event;
  }
  graph::EventId record_sync(graph::EventKind kind, Operation operation, SyncObject& object,
                             std::span<const graph::EventId> synchronised, std::uint64_t site);
  void had_effect();
  /// Tells the driver's watchdog that the execution moves.
  void beat() { pulse_->store(pulse_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  // forgetting.cpp
  base::Arena& graph_arena(std::uint32_t which);
  void begin_graph();
  const base::VectorClock* will_know(const ProgramThread& thread, int depth);
  /// Between two operations of the current thread.
  void forget_if_large();
  bool is_in_use(const SyncObject& object) const;

  // scheduling.cpp
  [[gnu::cold, gnu::noinline]] void count_visit(ProgramThread& thread);
  [[noreturn, gnu::cold, gnu::noinline]] void drop_out(ProgramThread::DroppedOut why);
  /// Of an execution in which nobody goes on, or which the program ends.
  strategies::Outcome outcome_if_over() const;
  /// What the current thread is about to do is in its place.
  bool reach_pending();
  ProgramThread& pick();
  ProgramThread& pick_in_line();
  [[gnu::cold, gnu::noinline]] void reach_while_exploring(ProgramThread& self);
  [[gnu::cold, gnu::noinline]] void prepare_to_pick();
  /// Returns when somebody switches back.
  [[gnu::always_inline]] void switch_to(ProgramThread& thread) {
    ProgramThread& self = *current_;
    current_ = &thread;
    Fiber::switch_between(self.fiber, thread.fiber);
    while (stack_walk_.asked_by != nullptr) answer_stack_walk(self);
  }
  void set_enabled(ProgramThread& thread, bool enabled);
  static bool can_go_on(const ProgramThread& thread);
  void update_enabled(ProgramThread& thread);
  void reconsider_many(SyncObject& object);
  [[gnu::cold, gnu::noinline]] void resolve_stuck();
  [[gnu::cold, gnu::noinline]] bool fire_earliest_deadline();
  [[gnu::cold, gnu::noinline]] bool release_parked();
  [[gnu::cold, gnu::noinline]] void park_if_nothing_new(ProgramThread& thread);
  bool has_news(const ProgramThread& thread) const;
  bool somebody_reads_stale_values() const;
  [[gnu::cold, gnu::noinline]] void park_if_waiting(ProgramThread& thread);
  void unpark_watchers(graph::LocationId location);

  // atomics.cpp
  struct Located {
    graph::LocationId location;
    std::uint64_t imported = 0;  ///< which plain store was taken over last: thread and index
  };
  graph::LocationId locate(const AtomicAccess& access);
  void forget_location(std::uintptr_t address);
  Located& add_located(const AtomicAccess& access);
  void import_plain_store(const AtomicAccess& access, Located& located);
  graph::EventId choose_write(std::span<const graph::EventId> candidates);
  graph::EventId choose_write_for(const graph::Event& read);
  graph::EventId choose_write_from(graph::LocationId location, std::uint32_t oldest);
  std::uint32_t choose_place_for(const graph::Event& write);
  graph::EventId choose_write_for_exchange(const graph::Event& load, const graph::Event& success, Value expected);
  template <typename Fits>
  graph::EventId choose_fitting_write(graph::LocationId location, const Fits& fits);
  std::uint32_t choose_unnamed(std::size_t count);
  std::uint32_t oldest_unseen(graph::LocationId location, std::uint32_t oldest) const;
  static constexpr std::uint32_t nothing_seen = 0xffffffffU;
  std::uint32_t newest_seen(graph::LocationId location) const;
  void keep_newer_than_seen(graph::LocationId location, base::ArenaVector<graph::EventId>& candidates);
  void check_atomic_race(const AtomicAccess& access, const graph::Event& event);
  [[gnu::noinline]] void look_for_atomic_race(const AtomicAccess& access, const graph::Event& event);
  /// The scheduling point of an atomic access; returns its location.
  graph::LocationId reach_atomic(const AtomicAccess& access, graph::EventKind kind, Operation operation);
  graph::Event& begin_access(const AtomicAccess& access, graph::EventKind kind, Operation operation,
                             graph::LocationId location) {
    graph::Event& event = begin_event(kind, access.order, operation, access.site);
    event.location = location;
    event.size = access.size;
    return event;
  }
  Value finish_read(const AtomicAccess& access, graph::Event& event);
  void finish_write(const AtomicAccess& access, graph::Event& event, std::uint32_t mo_position);

  // accesses.cpp
  bool intern_and_access(races::Cell* cell, std::uint64_t first_word, std::uint32_t size, std::uint64_t site);
  races::Access plain_access_now(std::uintptr_t address, std::size_t size, races::AccessType type,
                                 races::AccessCause cause, std::uint64_t site);

  // threads.cpp
  ProgramThread& thread_slot(std::uint64_t name, const ProgramThread* parent, std::uint32_t spawn_index);
  void prepare_slot(ProgramThread& thread);
  void begin_thread(ProgramThread& thread, void* (*routine)(void*), void* argument);
  static void thread_entry(void* argument);
  [[gnu::cold, gnu::noinline]] void find_twin(ProgramThread& thread);
  [[gnu::cold, gnu::noinline]] void note_joined_twin(const ProgramThread& thread);
  [[gnu::cold, gnu::noinline]] void refuse_to_tell_twins_apart(graph::EventKind kind);
  void run_key_destructors();

  // stack_walk.cpp
  std::size_t walk_stack(ProgramThread& thread, std::span<std::uint64_t> out) override;
  [[gnu::cold, gnu::noinline]] void answer_stack_walk(ProgramThread& self);
  bool is_foreign_code(std::uint64_t pc) const;

  // local_state.cpp
  friend struct LocalState;
  std::uint64_t local_state(std::uint64_t site);
  std::uint64_t hash_of_local_state(std::span<const std::uint64_t> registers, std::uintptr_t stack_pointer) const;

  // FindingContext; walk_stack is above
  ProgramThread* current_thread() override { return current_; }
  const ProgramThread& thread_in_slot(std::uint32_t slot) const override { return *slots_[slot]; }
  std::uint32_t slot_count() const override { return static_cast<std::uint32_t>(slots_.size()); }
  std::span<ProgramThread* const> threads_of_execution() const override { return threads_; }
  bool is_on_callers_stack(std::uintptr_t address) const override { return names_.is_on_callers_stack(address); }

  // explored_sync.cpp
  Value operate(SyncObject& object, Rule rule, graph::MemoryOrder order, Operation operation, std::uint64_t site);
  std::span<const graph::EventId> decisive_writes(const graph::Event& look, const graph::Event& change,
                                                  const Rule& rule);
  std::span<const graph::EventId> exclusive_release(graph::EventId source);
  [[noreturn]] void block_for_good(SyncObject& object, const Rule& rule);
  bool would_wait(const ProgramThread& thread) const;
  bool waits_for_an_old_value(const ProgramThread& thread) const;
  bool explore_lock(SyncObject& mutex, Operation operation, bool tries, std::uint64_t site);
  void explore_unlock(SyncObject& mutex, std::uint64_t site);
  bool explore_share(SyncObject& lock, bool tries, std::uint64_t site);
  bool explore_own(SyncObject& lock, bool tries, std::uint64_t site);
  void explore_leave(SyncObject& lock, std::uint64_t site);
  bool explore_barrier(SyncObject& barrier, std::uint32_t count, std::uint64_t site);
  std::int64_t explore_semaphore_value(SyncObject& semaphore, std::uint64_t site);
  bool explore_take(SyncObject& semaphore, bool tries, std::uint64_t site);
  void explore_post(SyncObject& semaphore, std::uint64_t site);
  bool explore_begin_once(SyncObject& once, std::uint64_t site);
  void explore_finish_once(SyncObject& once, bool succeeded, std::uint64_t site);
  std::uint64_t sleeper_bit();
  bool explore_sleep(SyncObject& object, Operation operation, bool may_wake, std::uint64_t site, Deadline deadline);
  int explore_wait(SyncObject& condition, SyncObject& mutex, std::uint64_t site, Deadline deadline);
  void explore_signal(SyncObject& condition, bool all, std::uint64_t site);
  int explore_futex_wait(SyncObject& futex, std::uint32_t expected, std::uint64_t site, Deadline deadline);
  int explore_futex_wake(SyncObject& futex, std::uint32_t count, std::uint64_t site);
  void explore_annotation(SyncObject& point, bool releases, std::uint64_t site);

  // sync.cpp, conditions.cpp
  SyncObject& object(std::uintptr_t address, SyncKind kind);
  SyncObject& semaphore(std::uintptr_t address, std::uint32_t initial);
  void kernel_barrier(std::uint64_t site);
  std::uint32_t read_futex(std::uintptr_t address, std::uint64_t site);
  /// Wakes up to `count` of the threads that sleep on the object; returns how many.
  std::uint32_t wake(SyncObject& object, std::uint32_t count);

  base::Arena& forever_;
  base::Arena& execution_arena_;
  Heap& heap_;
  const Modules& modules_;
  channel::Channel* channel_;
  const models::MemoryModel* model_ = nullptr;
  models::ModelState* model_state_ = nullptr;  ///< of this execution
  bool stores_are_immediate_ = false;          ///< under that model
  Decider decider_;
  Dice dice_;
  CallerRegisters* caller_registers_ = nullptr;
  Snapshot* snapshot_ = nullptr;
  Limits limits_;
  bool explores_ = false;  ///< under limits that scheduling points look at

  graph::ExecutionGraph graph_;
  races::ShadowMemory shadow_;
  races::Detector races_;
  CallStackTree stacks_;
  AddressMap<Located> locations_;
  AddressMap<SyncObject*> objects_;
  base::ArenaVector<SyncObject*> retired_objects_;  // whose memory has become something else
  base::ArenaVector<SyncObject*> free_objects_;     // those that nobody uses any more

  Fiber root_;
  static inline Engine* running_ = nullptr;
  ProgramThread* current_ = nullptr;
  base::ArenaVector<ProgramThread*> slots_;    // by slot number; forever
  base::ArenaVector<ProgramThread*> threads_;  // of this execution, in order of creation
  AddressNames names_{heap_, modules_, threads_, slots_};
  FindingSink findings_{execution_arena_, heap_, modules_, stacks_, *this, channel_};
  base::ArenaVector<strategies::Option> enabled_;  // sorted by name, see precedes()
  base::ArenaVector<strategies::Option> waking_;
  base::ArenaVector<graph::EventId> candidates_;
  base::ArenaVector<graph::EventId> fitting_;
  base::ArenaVector<strategies::Option> options_;  // of the choice that is made now
  base::ArenaVector<strategies::Option> unnamed_options_;
  base::Arena graph_arenas_[2];  // the second one for executions that need forgetting
  base::Arena event_arena_;      // for events alone, in such executions
  std::uint32_t graph_arena_in_use_ = 0;
  std::size_t next_pass_at_ = 0;
  base::ArenaVector<std::uint32_t> slots_in_mo_;
  std::byte* stacks_memory_ = nullptr;

  /// Set while somebody looks at the stacks of other threads: who, and where the frames go.
  struct StackWalk {
    ProgramThread* asked_by = nullptr;
    std::span<std::uint64_t> out;
    std::size_t count = 0;
  };
  StackWalk stack_walk_;

  struct Key {
    bool used = false;
    void (*destructor)(void*) = nullptr;
  };
  base::ArenaVector<Key> keys_;

  std::uint32_t execution_ = 0;  ///< of this process; stamps shadow cells and tables
  std::uint64_t events_ = 0;
  std::uint64_t next_look_at_limits_ = 0;  ///< when there are so many events
  std::atomic<std::uint64_t> unheard_pulse_{0};
  std::atomic<std::uint64_t>* pulse_ = &unheard_pulse_;  ///< in the channel; nobody else writes there
  std::uint64_t& now_here() { return limits_.exhaustive ? current_->now : now_; }
  std::uint64_t now_ = 0;
  std::uint32_t alive_ = 0;
  std::uint32_t unjoined_ = 0;  ///< threads that nobody has joined. 1: all others' events happen before what comes now
  std::uint32_t parked_ = 0;
  std::uint32_t deciding_ = 0;  ///< exhaustive search: threads that are about to operate on an object
  std::uint32_t blocked_ = 0;   ///< and those that wait for good
  std::uint32_t fruitless_rounds_ = 0;
  strategies::Outcome outcome_ = strategies::Outcome::completed;
  bool timed_out_ = false;
  Reuse reuse_ = Reuse::at_once;  ///< of freed blocks, in this execution
};

}  // namespace heddle::engine
