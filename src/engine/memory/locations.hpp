// The locations of the program's atomics: from addresses to locations of the graph, and the values in real memory.
//
// Real memory holds the newest value in modification order, so plain reads and uninstrumented code see something
// sensible. A plain store to an atomic's memory enters the graph at the next atomic access. If the model buffers
// stores, real memory holds a store from its execution on, so that plain reads of the same thread see it. When the last
// buffered store to a location has reached memory, real memory holds the newest value in modification order again.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/memory/address_map.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/address_names.hpp"
#include "graph/execution_graph.hpp"
#include "races/detector.hpp"

namespace heddle::engine {

class ExecutionObserver;

using graph::Value;

/// How one atomic access is written in the program.
struct AtomicAccess {
  std::uintptr_t address;
  std::uint8_t size;
  graph::MemoryOrder order;
  std::uint64_t site;
};

class Locations {
 public:
  Locations(base::Arena& forever, const ExecutionParts& execution, const ProgramParts& program, Scheduler& scheduler,
            EventLog& log)
      : execution_arena_(execution.arena), graph_(execution.graph), names_(program.names), races_(execution.races),
        scheduler_(scheduler), log_(log), observer_(execution.observer), end_(execution.end), locations_(forever) {}

  void allow_mixed_sizes(bool allow) { allows_mixed_sizes_ = allow; }
  /// The log has begun the execution.
  void begin_execution(std::uint32_t execution);

  /// The location of an atomic access. If memory shows a plain store that is not in the graph yet, it is imported;
  /// before_import(location) is called first.
  template <typename BeforeImport>
  graph::LocationId locate(const AtomicAccess& access, BeforeImport before_import);
  /// The location of an atomic of this size at this address; no_location if there is none.
  graph::LocationId find(std::uintptr_t address, std::uint8_t size);
  /// False if the address is that of an atomic of another size.
  bool fits(std::uintptr_t address, std::uint8_t size) {
    const Located* located = locations_.find(address);
    return located == nullptr || graph_.location(located->location).size == size;
  }
  /// The memory is reused for another object.
  void forget(std::uintptr_t address);

  /// An atomic write of the program changes real memory.
  void write(const AtomicAccess& access, graph::LocationId location, Value value);
  /// What real memory holds.
  static Value held(const AtomicAccess& access);
  /// Writes the value, which need not be the newest one, to real memory. Returns what memory held; the caller writes
  /// that back later.
  static Value show(const AtomicAccess& access, Value value);
  /// The last buffered store to the location has reached memory: real memory gets its value, if it holds another one
  /// and was not written plainly since.
  void settle(const AtomicAccess& access, graph::LocationId location, Value value);

 private:
  struct Located {
    graph::LocationId location;
    std::uint64_t imported = 0;  ///< the plain store that was imported last: thread and index
  };
  Located& add(const AtomicAccess& access);
  /// locate() while the graph is repeated.
  graph::LocationId repeat(const AtomicAccess& access);
  void repeat_imports(Located& located);
  void import_plain_store(const AtomicAccess& access, Located& located);
  /// import_plain_store() for a location that was there before the store.
  void import_again(const AtomicAccess& access, Located& located);
  bool was_stored_plainly(const AtomicAccess& access, const Located& located) const;
  /// The newest plain write that is not an event; null if there is none.
  const races::AccessRecord* newest_plain_write(const AtomicAccess& access) const;
  /// The memory holds an atomic of another size, whose location is forgotten. Ends the execution if the program mixes
  /// sizes and must not.
  template <typename BeforeImport>
  graph::LocationId change_size(const AtomicAccess& access, const Located& located, BeforeImport before_import);
  /// Whether the memory is used for another object since the last atomic access.
  bool is_reused(const AtomicAccess& access, const Located& located) const;
  [[gnu::cold, gnu::noinline, noreturn]] void refuse_mixed_sizes(const AtomicAccess& access, const Located& located);
  bool memory_differs(const AtomicAccess& access, const Located& located) const;

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  const AddressNames& names_;
  races::Detector& races_;
  Scheduler& scheduler_;
  EventLog& log_;
  ExecutionObserver& observer_;
  ExecutionEnd& end_;
  AddressMap<Located> locations_;
  bool allows_mixed_sizes_ = false;
  bool buffers_stores_ = false;            ///< the model does
  base::ArenaVector<Value> last_written_;  ///< by location, if stores are buffered: what this class wrote last
};

template <typename BeforeImport>
graph::LocationId Locations::locate(const AtomicAccess& access, BeforeImport before_import) {
  if (graph_.is_repeating()) [[unlikely]]
    return repeat(access);
  Located* located = locations_.find(access.address);
  if (located == nullptr) return add(access).location;
  if (graph_.location(located->location).size != access.size) [[unlikely]]
    return change_size(access, *located, before_import);
  if (was_stored_plainly(access, *located) || memory_differs(access, *located)) {
    before_import(located->location);
    import_again(access, *located);
  }
  return located->location;
}

/// Of a location whose size changes the newest value is kept, since real memory holds it. Earlier values are not read
/// any more, which may lose a behaviour but never invents one.
template <typename BeforeImport>
graph::LocationId Locations::change_size(const AtomicAccess& access, const Located& located,
                                         BeforeImport before_import) {
  if (!is_reused(access, located)) {
    if (!allows_mixed_sizes_) refuse_mixed_sizes(access, located);
    before_import(located.location);
  }
  forget(access.address);
  return add(access).location;
}

}  // namespace heddle::engine
