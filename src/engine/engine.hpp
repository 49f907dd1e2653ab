// The engine: runs one execution of the program after another under a strategy and a memory model.
//
// It wires the parts below, each of which has one subject; abi/ translates the program's calls into calls of the parts.
// There is one kernel thread: everything here runs on the fiber of the calling program thread.
//
// Every visible operation does the same: a scheduling point (other threads may run first), the choices that are left to
// the strategy, an event in the graph.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "base/fast_paths.hpp"
#include "channel/channel.hpp"
#include "engine/clients/client_calls.hpp"
#include "engine/compactor.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/mappings.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/memory/atomics.hpp"
#include "engine/memory/graph_storage.hpp"
#include "engine/memory/object_table.hpp"
#include "engine/memory/plain_memory.hpp"
#include "engine/memory/site_orders.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/primitives/annotated_locks.hpp"
#include "engine/primitives/direct_executor.hpp"
#include "engine/primitives/held_locks.hpp"
#include "engine/primitives/lock_order.hpp"
#include "engine/primitives/program_fibers.hpp"
#include "engine/primitives/sync_objects.hpp"
#include "engine/processes/descriptor_uses.hpp"
#include "engine/processes/descriptors.hpp"
#include "engine/processes/file_uses.hpp"
#include "engine/processes/signals.hpp"
#include "engine/processes/thread_calls.hpp"
#include "engine/processes/timers.hpp"
#include "engine/reporting/finding_context.hpp"
#include "engine/reporting/finding_sink.hpp"
#include "engine/scheduling/decider.hpp"
#include "engine/scheduling/dice.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/scheduling/twin_threads.hpp"
#include "engine/threads/address_names.hpp"
#include "engine/threads/call_stacks.hpp"
#include "engine/threads/execution_end.hpp"
#include "engine/threads/local_state.hpp"
#include "engine/threads/stack_walker.hpp"
#include "engine/threads/thread_keys.hpp"
#include "engine/threads/thread_table.hpp"
#include "engine/transcripts/transcriber.hpp"
#include "engine/transcripts/transcript_run.hpp"
#include "engine/waiting/graph_executor.hpp"
#include "engine/waiting/retry_loops.hpp"
#include "engine/waiting/search_parking.hpp"
#include "engine/waiting/spin_parking.hpp"
#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"
#include "races/detector.hpp"
#include "strategies/strategy.hpp"

namespace heddle::engine {

/// Many methods: most give access to a part. Many fields: one for each part.
class Engine final : private FindingContext {
 public:
  Engine(base::Arena& forever, base::Arena& execution_arena, Heap& heap, const Modules& modules,
         channel::Channel* channel);

  /// For the executions that follow.
  void configure(const ExecutionPolicy& policy, const models::MemoryModel& model, strategies::Strategy& strategy,
                 std::uint64_t seed);
  /// Runs `program_main` as thread T0 until the execution ends. The strategy has begun the execution. Called on the
  /// root fiber.
  strategies::Outcome run(std::uint64_t number, void* (*program_main)(void*), void* argument);

  /// Makes the execution from what earlier ones showed, if that is possible: see TranscriptRun. Otherwise run() has to
  /// be called, after repeat() with the steps that the strategy knows by then.
  std::optional<strategies::Outcome> run_from_transcript(std::uint64_t number);

  /// Whether the next execution may begin with steps of the last one: see repeat().
  bool can_repeat() const;
  /// The next execution begins with these steps of the last one, which need not be decided again. None: it is new.
  void repeat(std::span<const exploration::Step> steps) { repeated_ = steps; }
  /// The number of executions so far.
  std::uint32_t executions() const { return execution_; }

  /// The engine in whose execution the caller is; null outside of executions.
  static Engine* running() { return running_ != nullptr ? running_ : end_announced_access(); }
  /// In a child process that is about to run another program: the execution continues in the parent.
  static void leave_process() { running_ = announced_in_ = nullptr; }

  // ---- volatile accesses as relaxed atomics -------------------------------------------------------------------
  // The program announces a volatile access right before it makes it, so an access has two parts: the announcement, and
  // what is left to do when the program has made the access. That is done by the next call of running(), at the next
  // entry into the runtime. Until then running_ is null, so that other calls do not have to look for such an access.

  bool volatile_is_atomic() const { return policy_.volatile_is_atomic; }
  void announce_volatile_load(const AtomicAccess& access) {
    if (atomics_.begin_volatile_load(access)) wait_for_announced_access();
  }
  void announce_volatile_store(const AtomicAccess& access) {
    atomics_.begin_volatile_store(access);
    wait_for_announced_access();
  }
  /// The current thread makes a plain access of 1, 2, 4 or 8 bytes that has raced in another execution. True: the
  /// access is announced as an event.
  bool announce_racy_access(const AtomicAccess& access, bool is_write);
  /// Whether the caller is in an execution. For signal handlers, which may interrupt a thread before its access.
  static bool is_in_execution() { return running_ != nullptr || announced_in_ != nullptr; }

  // ---- the parts --------------------------------------------------------------------------------------------
  ThreadTable& threads() { return threads_; }
  ThreadCalls& thread_calls() { return thread_calls_; }
  ThreadKeys& keys() { return keys_; }
  Signals& signals() { return signals_; }
  Timers& timers() { return timers_; }
  ProgramFibers& fibers() { return fibers_; }
  Scheduler& scheduler() { return scheduler_; }
  SyncObjects& sync() { return sync_; }
  HeldLocks& held_locks() { return held_locks_; }
  AnnotatedLocks& annotated_locks() { return annotated_locks_; }
  Descriptors& descriptors() { return descriptors_; }
  DescriptorUses& descriptor_uses() { return descriptor_uses_; }
  FileUses& file_uses() { return file_uses_; }
  Atomics& atomics() { return atomics_; }
  ObjectTable& objects() { return objects_; }
  PlainMemory& plain() { return plain_; }
  FindingSink& findings() { return findings_; }
  ExecutionEnd& execution() { return end_; }
  ClientCalls& client_calls() { return client_calls_; }
  Decider& decider() { return decider_; }
  Dice& dice() { return dice_; }
  LocalState& local_state() { return local_state_; }
  RetryLoops& retry_loops() { return retry_loops_; }
  UndoingLoops& undoing_loops() { return undoing_loops_; }
  Transcriber& transcriber() { return transcriber_; }
  SearchParking& search_parking() { return search_parking_; }
  AddressNames& names() { return names_; }
  CallStackTree& stacks() { return stacks_; }
  SiteOrders& site_orders() { return site_orders_; }
  const graph::ExecutionGraph& graph() const { return graph_; }
  models::ModelState* const& model_state() const { return log_.model_state_of_execution(); }
  const Modules& modules() const { return modules_; }
  Heap& heap() { return heap_; }
  Mappings& mappings() { return mappings_; }
  base::Arena& execution_arena() { return execution_arena_; }

  ProgramThread& current() { return threads_.current(); }
  /// The return addresses of the current thread's stack, innermost first. Returns how many.
  std::size_t walk_current_stack(std::span<std::uint64_t> out) { return stack_walker_.walk(threads_.current(), out); }
  /// The current thread polls memory in a loop without any announcement: other threads go first.
  void let_others_run(std::uint64_t site);
  std::uint64_t events_of_execution() const { return log_.events(); }
  /// Tells the user of something about the program that limits what the results say. The first warning counts.
  void warn(const char* text);
  /// The search goes through so many clients of a data structure. The first data structure counts.
  void announce_clients(std::uint64_t count, const char* bounds);
  /// The value of a number that the program leaves open, below `options`: a choice of the strategy, and an event.
  std::uint32_t choose_value(std::uint32_t options, std::uint64_t site);
  /// The value of a number that may have any value, within bounds.
  std::uint32_t choose_any_value(std::uint64_t site) {
    chose_any_value_ = true;
    return choose_value(policy_.any_values, site);
  }

  // ---- what the worker asks ---------------------------------------------------------------------------------
  std::uint64_t graph_hash() const { return base::fast_paths ? graph_.kept_hash() : graph::canonical_hash(graph_); }
  /// Why the executions since configure() prove nothing, even if they are all that a search has to explore.
  channel::ProofGaps proof_gaps() const;
  /// Whether something other than what a thread reads has influenced what it does, since configure().
  bool depends_on_more_than_reads() const { return scheduler_.time().was_read() || dice_.differs(); }
  /// The hash is that of the same execution under a sampling strategy, too.
  bool has_common_hash() const { return !policy_.keeps_objects_in_graph || !graph_executor_.was_used(); }
  std::uint64_t events_executed() const override { return log_.events(); }
  std::uint64_t plain_steps_executed() const { return plain_.steps(); }
  std::uint64_t events_in_graph() const override { return graph_.events().size(); }
  bool has_whole_graph() const override { return !graph_.has_forgotten(); }
  /// True while a signal handler must not end the execution: it interrupted a change of what outlives executions.
  bool in_critical_section() const { return shadow_.is_changing(); }
  /// True during an exhaustive search.
  bool is_search() const { return policy_.keeps_objects_in_graph; }
  /// True if the stacks of threads are compared (abi/instrumentation/scrub.hpp).
  bool compares_stacks() const { return plain_.compares_local_state(); }

  /// Executions are cut off when this arena, which the search fills during a run, is half full.
  void set_search_arena(const base::Arena& arena) { log_.set_search_arena(arena); }
  /// The snapshot that watches for writes to the program's memory.
  void set_snapshot(Snapshot& snapshot) {
    snapshot_ = &snapshot;
    threads_.set_snapshot(snapshot);
    transcriber_.set_snapshot(snapshot);
  }
  /// A write fault at the address: true if the snapshot had protected the memory, and now allows the write.
  bool noticed_write(std::uintptr_t address) { return snapshot_ != nullptr && snapshot_->noticed_write(address); }
  /// The program may be about to handle the signal itself, or to block it.
  void stop_watching_memory() {
    if (snapshot_ != nullptr) snapshot_->unwatch();
  }

 private:
  bool wakes_spuriously() const;
  void begin(std::uint64_t number);
  static graph::EventId end_of(std::span<const exploration::Step> steps);
  std::uint32_t decisions_until(std::span<const exploration::Step> steps) const;

  // FindingContext
  ProgramThread* current_thread() override { return threads_.has_current() ? &threads_.current() : nullptr; }
  const ProgramThread& thread_in_slot(std::uint32_t slot) const override { return *threads_.slots()[slot]; }
  const ProgramThread* thread_at_place(std::uint32_t place) const override { return threads_.by_place()[place]; }
  std::span<ProgramThread* const> threads_of_execution() const override { return threads_.threads(); }
  std::size_t walk_stack(ProgramThread& thread, std::span<std::uint64_t> out) override {
    return stack_walker_.walk(thread, out);
  }
  channel::EarlyEnd early_end() const override { return scheduler_.time().early_end(); }
  const Mapping* mapping_at(std::uintptr_t address) const override { return mappings_.find(address); }
  bool is_on_callers_stack(std::uintptr_t address) const override { return names_.is_on_callers_stack(address); }

  void wait_for_announced_access() {
    announced_in_ = this;
    running_ = nullptr;
  }
  [[gnu::cold, gnu::noinline]] static Engine* end_announced_access();

  static inline Engine* running_ = nullptr;
  static inline Engine* announced_in_ = nullptr;  ///< the engine whose current thread is about to make an access

  base::Arena& execution_arena_;
  Heap& heap_;
  const Modules& modules_;
  channel::Channel* channel_;
  Snapshot* snapshot_ = nullptr;
  ExecutionPolicy policy_;
  bool chose_any_value_ = false;
  std::span<const exploration::Step> repeated_;  ///< by the next execution
  std::uint32_t execution_ = 0;                  ///< of this process; stamps shadow cells and tables

  // The parts refer to each other. References to parts that are constructed later are bound, not used, before that.
  Decider decider_;
  Dice dice_;
  graph::ExecutionGraph graph_;
  races::ShadowMemory shadow_;
  races::Detector races_;
  CallStackTree stacks_;
  SiteOrders site_orders_;
  ExecutionEnd end_;
  ThreadTable threads_;
  Mappings mappings_;
  AddressNames names_;
  StackWalker stack_walker_;
  FindingSink findings_;
  ExecutionParts execution_parts_;
  ProgramParts program_parts_;
  GraphStorage graph_storage_;
  Scheduler scheduler_;
  EventLog log_;
  ObjectTable objects_;
  Atomics atomics_;
  PlainMemory plain_;
  Compactor compactor_;
  TwinThreads twins_;
  LocalState local_state_;
  Transcriber transcriber_;
  RetryLoops retry_loops_;
  UndoingLoops undoing_loops_;
  SpinParking spin_parking_;
  SearchParking search_parking_;
  DirectExecutor direct_executor_;
  GraphExecutor graph_executor_;
  LockOrder lock_order_;
  HeldLocks held_locks_;
  SyncObjects sync_;
  AnnotatedLocks annotated_locks_;
  DescriptorUses descriptor_uses_;
  FileUses file_uses_;
  Descriptors descriptors_;
  ThreadKeys keys_;
  Signals signals_;
  ThreadCalls thread_calls_;
  Timers timers_;
  ProgramFibers fibers_;
  TranscriptRun transcript_run_;
  ClientCalls client_calls_;
};

}  // namespace heddle::engine
