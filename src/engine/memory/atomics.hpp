// Atomic operations of the program: a scheduling point, the operation on the graph (memory::Memory), and the effect on
// real memory, on the race check and on the recognition of spin loops.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/memory/locations.hpp"
#include "engine/memory/site_orders.hpp"
#include "engine/operations/access_note.hpp"
#include "engine/operations/internal_steps.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "graph/execution_graph.hpp"
#include "memory/memory.hpp"

namespace heddle::engine {

class PlainMemory;
class ExecutionObserver;

/// Many methods: one for each atomic operation, and what memory::Memory asks of its driver. Many fields: references to
/// the parts that an access concerns.
class Atomics final : public InternalSteps {
 public:
  Atomics(base::Arena& forever, const ExecutionParts& execution, const ProgramParts& program, Scheduler& scheduler,
          EventLog& log, PlainMemory& plain, const SiteOrders& orders)
      : execution_arena_(execution.arena), graph_(execution.graph), threads_(execution.threads), scheduler_(scheduler),
        decider_(execution.decider), log_(log), plain_(plain), observer_(execution.observer), orders_(orders),
        locations_(forever, execution, program, scheduler, log), memory_(graph_, execution_arena_, *this) {}

  void configure(const ExecutionPolicy& policy) {
    policy_ = policy;
    locations_.allow_mixed_sizes(allows_mixed_sizes_ && policy.samples_reads);
  }
  /// The program may access one address with several sizes. A search does not support it: which size a location has
  /// depends on the order of execution.
  void allow_mixed_sizes(bool allow) { allows_mixed_sizes_ = allow; }
  /// The log has begun the execution.
  void begin_execution(std::uint32_t execution);
  /// The execution has ended: stores that are still in buffers get their positions in modification order.
  void end_execution();

  Value load(const AtomicAccess& access);
  void store(const AtomicAccess& access, Value value);
  /// Returns the old value.
  Value read_modify_write(const AtomicAccess& access, Operation operation, Value operand);
  /// True and `desired` stored, or false and `expected` replaced by what was read.
  bool compare_exchange(const AtomicAccess& access, graph::MemoryOrder failure, bool weak, Value& expected,
                        Value desired);
  void fence(graph::MemoryOrder order, std::uint64_t site);

  // A volatile access as a relaxed atomic: the program announces it, makes it with an instruction of its own, and then
  // end_volatile_access() is called. No other thread runs in between.

  /// Executes the load, and lets real memory hold its value. Returns false if memory holds it anyway, so that there is
  /// nothing to end.
  bool begin_volatile_load(const AtomicAccess& access, Operation operation = Operation::atomic_load);
  /// The scheduling point of the store. Its value is not known before the program has stored it.
  void begin_volatile_store(const AtomicAccess& access, Operation operation = Operation::atomic_store);
  void end_volatile_access();
  /// Whether a plain access may be an event: the memory is not known as an atomic of another size.
  bool may_be_event(std::uintptr_t address, std::uint8_t size) { return locations_.fits(address, size); }
  /// The newest write to a 32-bit word that the current thread knows, or `other`, a write to the same word or no_event.
  graph::EventId newest_known(std::uintptr_t address, graph::EventId other);
  /// What the kernel does for a thread in a futex call. These are no operations of the program, whose orders can
  /// change.
  Value load_in_kernel(const AtomicAccess& access) { return load(access, Operation::atomic_load); }
  void fence_in_kernel(std::uint64_t site) { execute_fence(graph::MemoryOrder::seq_cst, site, Operation::futex_wait); }
  /// The kernel's look at a futex, without a scheduling point. It sees `oldest` or a newer write; no_event: any write.
  std::uint32_t look_at_futex(std::uintptr_t address, graph::EventId oldest, std::uint64_t site);

  /// The accesses of this execution, in the order of execution, if ExecutionPolicy::keeps_accesses.
  std::span<const AccessNote> accesses() const { return accesses_; }

  /// The memory is reused for another object.
  void forget_location(std::uintptr_t address) { locations_.forget(address); }
  /// The arena of the graph is about to be replaced.
  void forget_scratch() { memory_.forget_graph_arena(); }

  // InternalSteps
  void list(base::ArenaVector<strategies::Option>& options) override;
  void perform(const strategies::Option& step) override { memory_.commit_store(step.write); }
  bool must_precede(graph::ThreadId thread, const strategies::PendingOperation& operation) override {
    if (may_lack_barrier(static_cast<Operation>(operation.operation))) return false;  // settle_before() knows
    return memory_.has_to_settle_before(thread, operation);
  }
  void settle_before(const graph::Event& event) override { memory_.settle_before(event); }

  // The driver of memory::Memory (memory::Driver): not for others.
  std::uint32_t choose(const strategies::Choice& choice) { return decider_.decide(choice); }
  bool names_writes() const { return !policy_.samples_reads || decider_.calls().write_names; }
  std::uint32_t choose_write(graph::ThreadId thread, graph::LocationId location, std::size_t count);
  std::uint32_t newest_seen(graph::ThreadId thread, graph::LocationId location) const;
  /// Writes older than the one at this position are not read any more, and not followed by new ones: with strict time,
  /// a store is visible to all threads when time has passed since.
  std::uint32_t oldest_settled(graph::LocationId location) const {
    return policy_.strict_time && scheduler_.time().mark() != 0 ? settled_position(location) : 0;
  }
  graph::EventId record(std::uint32_t mo_position);
  void reached_memory(graph::EventId store);

 private:
  /// When a weak compare-exchange of the current thread fails without a reason.
  memory::SpuriousFailure failure_without_reason(const AtomicAccess& access);
  void count_spurious_failure(const AtomicAccess& access);
  std::uint64_t place_of(const AtomicAccess& access);

  // The stores in buffers, by location. Lists, because a thread that runs on and on can have thousands of them.
  static constexpr std::uint32_t no_store = ~0U;
  struct BufferedStore {
    graph::EventId event;
    AtomicAccess access;
    std::uint32_t before = no_store, after = no_store;  ///< stores to its location, in the order of execution
  };
  struct StoreList {
    std::uint32_t first = no_store, last = no_store;
  };

  graph::LocationId locate(const AtomicAccess& access) {
    return locations_.locate(access, [this](graph::LocationId location) {
      if (any()) commit_stores_to(location);
    });
  }
  /// A volatile access that the program has announced and makes now.
  struct AnnouncedAccess {
    AtomicAccess access;
    graph::EventKind kind;
    Operation operation;
    graph::LocationId location;
    Value former;  ///< what real memory held before
  };

  /// An operation with the memory order, and between the fences, that the run gives to its place (--orders).
  class Ordered;
  std::optional<graph::MemoryOrder> order_at(channel::SiteOperation operation, std::uint64_t site) const;
  void count_at(channel::SiteOperation operation, std::uint64_t site, graph::MemoryOrder order) const;
  void execute_fence(graph::MemoryOrder order, std::uint64_t site, Operation operation = Operation::fence);

  Value load(const AtomicAccess& access, Operation operation);
  /// The scheduling point of an atomic access; returns its location.
  graph::LocationId schedule_access(const AtomicAccess& access, graph::EventKind kind, Operation operation);
  graph::Event& begin_access(const AtomicAccess& access, graph::EventKind kind, Operation operation,
                             graph::LocationId location) {
    graph::Event& event = log_.begin_event(kind, access.order, operation, access.site);
    event.location = location;
    event.size = access.size;
    return event;
  }
  std::uint32_t before_newest(graph::LocationId location) const;
  std::uint32_t settled_position(graph::LocationId location) const;
  [[gnu::cold, gnu::noinline]] void check_if_outdated(const graph::Event& read);
  Value finish_read(const AtomicAccess& access, graph::EventId id);
  void finish_write(const AtomicAccess& access, graph::EventId id);
  void finish_store(const AtomicAccess& access, Operation operation, graph::LocationId location, Value value);
  [[gnu::cold, gnu::noinline]] void record_access(const AtomicAccess& access, graph::EventId id);
  void keep_in_buffer(graph::EventId store);
  void add_buffered(graph::EventId store, graph::LocationId location);
  AtomicAccess remove_buffered(graph::EventId store, graph::LocationId location);
  void commit_stores_to(graph::LocationId location);
  void commit_oldest_store_of(graph::ThreadId thread);

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  Decider& decider_;
  EventLog& log_;
  PlainMemory& plain_;
  ExecutionObserver& observer_;
  const SiteOrders& orders_;
  ExecutionPolicy policy_;
  bool allows_mixed_sizes_ = false;
  Locations locations_;
  memory::Memory<Atomics> memory_;
  base::ArenaVector<strategies::Option> unnamed_options_;  ///< scratch of choose_write
  const AtomicAccess* storing_ = nullptr;                  ///< the access of the store that is being executed
  AnnouncedAccess announced_{};
  std::uint32_t oldest_for_futex_ = 0;             ///< look_at_futex(): the oldest position in modification order
  base::ArenaVector<BufferedStore> stores_;        ///< in buffers, and places that are free
  base::ArenaVector<std::uint32_t> free_stores_;   ///< the free places
  base::ArenaVector<std::uint32_t> store_places_;  ///< by event: where a buffered store is in stores_
  base::ArenaVector<StoreList> stores_to_;         ///< by location
  base::ArenaVector<AccessNote> accesses_;
  base::ArenaVector<strategies::PendingOperation> pending_steps_;  ///< of the options that list() returned
};

}  // namespace heddle::engine
