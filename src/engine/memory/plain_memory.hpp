// The program's plain memory: race checks of plain and atomic accesses, and the life of heap blocks.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "base/fast_paths.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/memory/access_watch.hpp"
#include "engine/memory/racy_sites.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/call_stacks.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "races/detector.hpp"

namespace heddle::engine {

class Atomics;
class FindingSink;
class ObjectTable;
class StackWalker;
class ExecutionObserver;

/// Many methods: each hot path is a pair, a short function in line and the rest of it. Many fields: references to the
/// parts that an access concerns.
class PlainMemory {
 public:
  PlainMemory(base::Arena& forever, const ExecutionParts& execution, const ProgramParts& program, Scheduler& scheduler,
              EventLog& log, Atomics& atomics, ObjectTable& objects)
      : forever_(forever), graph_(execution.graph), heap_(program.heap), modules_(program.modules),
        races_(execution.races), stacks_(program.stacks), threads_(execution.threads), scheduler_(scheduler), log_(log),
        atomics_(atomics), objects_(objects), findings_(execution.findings), observer_(execution.observer),
        stack_walker_(program.stack_walker), end_(execution.end), racy_sites_(program.modules) {}

  void configure(const ExecutionPolicy& policy) {
    compares_local_state_ = policy_compares_local_state_ = policy.compares_local_state;
    racy_sites_.set(policy.racy_sites);
    decide_on_fast_path();
  }
  /// Tells `watch` of every plain access, allocation and free from now on; null: no longer.
  void set_watch(AccessWatch* watch) {
    watch_ = watch;
    decide_on_fast_path();
  }
  void begin_execution(Reuse reuse) {
    reuse_ = reuse;
    silence_ = {};
    looks_ = 0;
    begin_countdown();
  }
  /// The plain accesses of this execution, and its calls of functions.
  std::uint64_t steps() const {
    return static_cast<std::uint64_t>((looks_ + 1) * accesses_to_look - (skips_none() ? not_skipped_ : skippable_));
  }
  /// The local states of threads are compared from now on. False: no longer, unless the policy says so.
  void compare_local_state(bool compare) {
    compares_local_state_ = compare || policy_compares_local_state_;
    decide_on_fast_path();
  }
  bool compares_local_state() const { return compares_local_state_; }

  // ---- accesses: hot paths first ----------------------------------------------------------------------------
  /// The plain accesses that the current thread makes until its next event.
  races::PlainAccesses accesses_until_next_event() const {
    const graph::ThreadId self = threads_.current().id;
    return {self, graph_.thread(self).plain_index()};
  }
  /// Counts an access of 1, 2, 4 or 8 bytes, or a call of a function. True: is_remembered() and
  /// access_for_the_first_time() may replace access(). False: count_access() comes first.
  bool may_skip_steps() { return --skippable_ >= 0; }
  /// Lets other threads run if the current one has made many accesses without a visible operation: it may poll plain
  /// memory. To be called for each access for which may_skip_steps() is false.
  void count_access(std::uint64_t site) {
    if (skips_none() && --not_skipped_ >= 0) return;
    ++looks_;
    begin_countdown();
    preempt_if_silent(site);
  }
  races::Detector::Place place_of(std::uintptr_t address, std::size_t size) const {
    return races_.place_of(address, size);
  }
  /// True: access() would do nothing of any consequence, since the newest accesses of the thread include this one.
  template <races::AccessType type>
  bool is_remembered(const races::Detector::Place& place, races::PlainAccesses stretch) const {
    return races_.is_remembered<type>(place, stretch);
  }
  /// access() for one that is not remembered. Not inline: most accesses are, and an entry point that calls functions
  /// only at its end saves no registers.
  template <races::AccessType type>
  [[gnu::noinline]] void access_for_the_first_time(std::uintptr_t address, races::Cell* cell, std::uint64_t first_word,
                                                   std::uint32_t size, std::uint64_t site) {
    // A read while all other threads have been joined has no consequences: whatever comes later happens after it.
    if (!is_write(type) && threads_.is_alone() && races_.is_not_freed(cell) && !threads_.is_on_foreign_stack(address))
      return;
    if (!try_record_uncontended(address, cell, first_word, size, site))
      access_contended(address, size, is_write(type), site);
  }
  /// A plain access of the current thread, which may race. True if it was recorded without a closer look, as most are:
  /// then it used little of the stack.
  bool access(std::uintptr_t address, std::size_t size, bool is_write, std::uint64_t site);
  /// Whether the access at the site has raced in another execution, so that it is to be an event of this one.
  bool is_racy(std::uint64_t site) const { return racy_sites_.contain(site) && threads_.current().ignore_depth == 0; }
  /// The current thread is about to make an access that has raced and cannot be an event. Other threads may run first.
  void schedule_racy_access(bool is_write, std::uint64_t site);
  /// The current thread has read volatile memory, which access() knows already. If it polls the memory in a loop, other
  /// threads run first.
  void record_volatile_read(std::uintptr_t address, std::size_t size, std::uint64_t site);
  /// Whether one of the volatile reads of the thread's loop would take another value now.
  static bool has_polled_memory_changed(const ProgramThread& thread);
  /// The current thread is about to use the synchronisation object at the address. That must not race with the object's
  /// initialisation or with the end of its memory's life.
  void use_object(std::uintptr_t address, std::uint64_t site);
  /// The runtime itself wrote to memory of the program, such as the `expected` of a compare-exchange.
  void record_write_for_program(std::uintptr_t address, std::size_t size);
  /// An atomic access that was recorded as `event` may race with plain ones.
  void check_atomic_access(std::uintptr_t address, std::uint8_t size, const graph::Event& event);

  // ---- calls ------------------------------------------------------------------------------------------------
  void enter_function(std::uint64_t return_address, std::uintptr_t frame) {
    threads_.current().calls.enter(forever_, return_address, frame);
  }
  /// Pushes the frame if there is room and none to drop. Returns false, without side effects, otherwise.
  bool try_enter_function(std::uint64_t return_address, std::uintptr_t frame) {
    return base::fast_paths && !compares_local_state_ && threads_.current().calls.try_enter(return_address, frame);
  }
  void leave_function() { threads_.current().calls.leave(); }

  /// The call stack of the current thread.
  std::uint32_t call_stack() { return threads_.current().calls.intern(stacks_); }
  /// The call stack of the current thread, with a call at `site`.
  std::uint32_t call_stack(std::uint64_t site) { return stacks_.child(threads_.current().calls.intern(stacks_), site); }

  // ---- the heap ---------------------------------------------------------------------------------------------
  /// Null if the program asks for more than any machine has. Ends the execution at --max-memory.
  void* allocate(std::size_t size, std::size_t alignment, std::uint64_t site,
                 Heap::Contents contents = Heap::Contents::pattern);
  /// Ends the execution if the pointer is not that of a live block.
  void deallocate(void* pointer, std::uint64_t site);
  /// The memory is not that of before any more: its accesses, atomics and objects are forgotten.
  void forget(std::uintptr_t address, std::size_t size);

 private:
  void forget_cell(races::Cell& cell, std::uintptr_t at);
  /// From now on, every access is seen, or none needs to be. The count of accesses continues.
  void decide_on_fast_path() {
    const bool skipped_none = skips_none();
    sees_every_access_ = compares_local_state_ || watch_ != nullptr || !racy_sites_.empty();
    if (skips_none() && !skipped_none) not_skipped_ = skippable_;
    if (skips_none() != skipped_none) skippable_ = skips_none() ? 0 : not_skipped_;
  }
  bool skips_none() const { return !base::fast_paths || sees_every_access_; }
  void begin_countdown() {
    skippable_ = skips_none() ? 0 : accesses_to_look;
    not_skipped_ = accesses_to_look;
  }
  [[gnu::cold, gnu::noinline]] void preempt_if_silent(std::uint64_t site);
  /// access(), if no earlier access can conflict with it. Returns false, without side effects, otherwise.
  bool try_record(std::uintptr_t address, std::size_t size, bool is_write, std::uint64_t site);
  /// Records the access if no earlier one can conflict with it. Returns false, without side effects, otherwise: then
  /// access_contended() is needed.
  bool try_record_uncontended(std::uintptr_t address, races::Cell* cell, std::uint64_t first_word, std::uint32_t size,
                              std::uint64_t site);
  /// access() for one that try_record_uncontended() has refused.
  void access_contended(std::uintptr_t address, std::size_t size, bool is_write, std::uint64_t site);
  bool intern_and_record(std::uintptr_t address, races::Cell* cell, std::uint64_t first_word, std::uint32_t size,
                         std::uint64_t site);
  /// Reports an access to the stack of another thread if no frame is there any more. Ends the execution if the access
  /// would write to frames of the runtime there.
  [[gnu::noinline]] void check_foreign_stack(std::uintptr_t address, bool is_write, std::uint64_t site);
  /// The stack pointer of the program in a thread that is suspended; 0: not known.
  [[gnu::noinline]] std::uintptr_t program_stack_pointer(ProgramThread& owner);
  races::Access access_now(std::uintptr_t address, std::size_t size, races::AccessType type, races::AccessCause cause,
                           std::uint64_t site);
  [[gnu::noinline]] void look_for_race_of_object(std::uintptr_t address, std::uint64_t site);
  [[gnu::noinline]] void look_for_atomic_race(std::uintptr_t address, std::uint8_t size, const graph::Event& event);

  base::Arena& forever_;
  graph::ExecutionGraph& graph_;
  Heap& heap_;
  const Modules& modules_;
  races::Detector& races_;
  CallStackTree& stacks_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  EventLog& log_;
  Atomics& atomics_;
  ObjectTable& objects_;
  FindingSink& findings_;
  ExecutionObserver& observer_;
  StackWalker& stack_walker_;
  ExecutionEnd& end_;
  Reuse reuse_ = Reuse::at_once;
  bool compares_local_state_ = false;
  bool policy_compares_local_state_ = false;
  bool sees_every_access_ = false;  ///< no access takes a fast path
  RacySites racy_sites_;
  // A thread is preempted after one to two times as many accesses, 50 to 100 microseconds, without an event. The number
  // counts accesses, not time, so that a seed gives the same execution on every machine.
  static constexpr std::int64_t accesses_to_look = 16384;
  std::int64_t skippable_ = 0;    ///< accesses that may take a fast path until the next look; negative if none may
  std::int64_t not_skipped_ = 0;  ///< accesses until the next look, while none takes a fast path
  std::int64_t looks_ = 0;        ///< in this execution
  /// When preempt_if_silent() looked last.
  struct Silence {
    graph::ThreadId thread = graph::no_thread;
    std::uint64_t events = 0;
    friend bool operator==(const Silence&, const Silence&) = default;
  };
  Silence silence_;
  AccessWatch* watch_ = nullptr;
};

}  // namespace heddle::engine
