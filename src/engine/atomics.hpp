// Atomic operations of the program: a scheduling point, the choices that the memory model leaves, the event in the
// graph, and the effect on real memory.
//
// Real memory always holds the newest value in modification order, so plain reads and uninstrumented code see something
// sensible. A plain store to an atomic's memory enters the graph at the next atomic access.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/address_map.hpp"
#include "engine/address_names.hpp"
#include "engine/event_log.hpp"
#include "engine/scheduler.hpp"
#include "graph/execution_graph.hpp"
#include "races/detector.hpp"

namespace heddle::engine {

class PlainMemory;
using graph::Value;

/// How one atomic access is written in the program.
struct AtomicAccess {
  std::uintptr_t address;
  std::uint8_t size;
  graph::MemoryOrder order;
  std::uint64_t site;
};

class Atomics {
 public:
  Atomics(base::Arena& forever, base::Arena& execution_arena, graph::ExecutionGraph& graph, const AddressNames& names,
          races::Detector& races, ThreadTable& threads, Scheduler& scheduler, Decider& decider, EventLog& log,
          PlainMemory& plain, ExecutionEnd& end)
      : execution_arena_(execution_arena), graph_(graph), names_(names), races_(races), threads_(threads),
        scheduler_(scheduler), decider_(decider), log_(log), plain_(plain), end_(end), locations_(forever) {}

  void configure(const ExecutionPolicy& policy) { policy_ = policy; }
  void begin_execution(std::uint32_t execution);

  Value load(const AtomicAccess& access);
  void store(const AtomicAccess& access, Value value);
  /// Returns the old value.
  Value read_modify_write(const AtomicAccess& access, Operation operation, Value operand);
  /// True and `desired` stored, or false and `expected` replaced by what was read.
  bool compare_exchange(const AtomicAccess& access, graph::MemoryOrder failure, bool weak, Value& expected,
                        Value desired);
  void fence(graph::MemoryOrder order, std::uint64_t site);
  /// The newest value of a 32-bit word, read without a scheduling point: the kernel's look at a futex.
  std::uint32_t read_newest(std::uintptr_t address, std::uint64_t site);

  /// The memory begins a new life.
  void forget_location(std::uintptr_t address);
  /// The arena of the graph is about to be replaced.
  void forget_scratch();

 private:
  struct Located {
    graph::LocationId location;
    std::uint64_t imported = 0;  ///< the plain store that was imported last: thread and index
  };
  graph::LocationId locate(const AtomicAccess& access);
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
  /// The scheduling point of an atomic access; returns its location.
  graph::LocationId schedule_access(const AtomicAccess& access, graph::EventKind kind, Operation operation);
  graph::Event& begin_access(const AtomicAccess& access, graph::EventKind kind, Operation operation,
                             graph::LocationId location) {
    graph::Event& event = log_.begin_event(kind, access.order, operation, access.site);
    event.location = location;
    event.size = access.size;
    return event;
  }
  Value finish_read(const AtomicAccess& access, graph::Event& event);
  void finish_write(const AtomicAccess& access, graph::Event& event, std::uint32_t mo_position);

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  const AddressNames& names_;
  races::Detector& races_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  Decider& decider_;
  EventLog& log_;
  PlainMemory& plain_;
  ExecutionEnd& end_;
  ExecutionPolicy policy_;
  AddressMap<Located> locations_;
  // Scratch of the choices.
  base::ArenaVector<graph::EventId> candidates_;
  base::ArenaVector<graph::EventId> fitting_;
  base::ArenaVector<std::uint32_t> slots_in_mo_;
  base::ArenaVector<strategies::Option> options_;
  base::ArenaVector<strategies::Option> unnamed_options_;
};

}  // namespace heddle::engine
