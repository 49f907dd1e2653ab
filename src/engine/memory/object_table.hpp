// The synchronisation objects that the program has used in this execution, by address.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/memory/address_map.hpp"
#include "engine/operations/sync_object.hpp"
#include "engine/threads/address_names.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "races/detector.hpp"

namespace heddle::engine {

class ExecutionObserver;

class ObjectTable {
 public:
  ObjectTable(base::Arena& forever, base::Arena& execution_arena, graph::ExecutionGraph& graph,
              const AddressNames& names, races::Detector& races, ExecutionObserver& observer)
      : execution_arena_(execution_arena), graph_(graph), names_(names), races_(races), observer_(observer),
        objects_(forever) {}

  void begin_execution(std::uint32_t execution) {
    objects_.begin_execution(execution);
    retired_.forget();
    files_.forget();
    free_.forget();
    serial_ = 0;
  }

  /// The object of this kind at the address. It is new if the memory holds no object yet, or one of another kind. An
  /// annotation is beside the object, if there is one: programs annotate their own locks, and classes that begin with
  /// one.
  SyncObject& object(std::uintptr_t address, SyncKind kind);
  /// A new object for files of the kernel, which has a name but no address.
  SyncObject& add_file(std::uint64_t name, const char* title);
  /// Adds a part to a reader-writer lock (graph_executor.hpp).
  void add_part(SyncObject& lock);
  /// The file's last descriptor was closed.
  void forget_file(SyncObject& file);
  bool knows(std::uintptr_t address) { return objects_.find(address) != nullptr; }
  /// The object at the address, or null. No annotation.
  const SyncObject* find(std::uintptr_t address) {
    SyncObject** known = objects_.find(address);
    return known == nullptr ? nullptr : *known;
  }
  /// The annotation at the address, or null.
  SyncObject* find_annotation(std::uintptr_t address) {
    SyncObject** known = objects_.find(key_of_annotation(address));
    return known == nullptr ? nullptr : *known;
  }
  void forget_annotation(std::uintptr_t address) { forget_key(key_of_annotation(address)); }
  /// The object's life has ended: it was destroyed or initialised again, or its memory was freed. Threads that are in
  /// the middle of an operation on it continue to use it.
  void forget(std::uintptr_t address) { forget_key(address); }
  /// The memory at the address was freed.
  void forget_memory(std::uintptr_t address) {
    forget_key(address);
    forget_key(key_of_annotation(address));
  }

  /// Calls visit(SyncObject&) for every object that has not been forgotten.
  template <typename Visitor>
  void for_each(Visitor visit) {
    objects_.for_each([&](SyncObject* object) { visit(*object); });
    for (SyncObject* file : files_) visit(*file);
  }
  /// Calls visit(SyncObject&) for every object of this execution. To be called only if recycle_retired() was not.
  template <typename Visitor>
  void for_each_ever(Visitor visit) {
    const auto visit_parts = [&](SyncObject& object) {
      visit(object);
      for (SyncObject* part : object.parts) visit(*part);
    };
    for_each(visit_parts);
    for (SyncObject* object : retired_) visit_parts(*object);
  }
  /// Forgotten objects that no thread uses any more may become other objects. Calls visit(location) for the others.
  template <typename Visitor>
  void recycle_retired(const ThreadTable& threads, Visitor visit) {
    std::size_t still_in_use = 0;
    for (SyncObject* object : retired_) {
      if (!is_in_use(threads, *object)) {
        free_.push_back(execution_arena_, object);
        continue;
      }
      visit(object->location);
      retired_[still_in_use++] = object;
    }
    retired_.resize(execution_arena_, still_in_use);
  }

 private:
  /// No object has an address with this bit.
  static std::uintptr_t key_of_annotation(std::uintptr_t address) { return address | std::uintptr_t{1} << 63; }
  void forget_key(std::uintptr_t key);
  SyncObject& new_object(SyncKind kind, std::uint64_t name);
  static bool is_in_use(const ThreadTable& threads, const SyncObject& object);

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  const AddressNames& names_;
  races::Detector& races_;
  ExecutionObserver& observer_;
  std::uint64_t serial_ = 0;
  AddressMap<SyncObject*> objects_;         // by address, or by key_of_annotation()
  base::ArenaVector<SyncObject*> files_;    // of the kernel
  base::ArenaVector<SyncObject*> retired_;  // forgotten, perhaps in use
  base::ArenaVector<SyncObject*> free_;     // forgotten, and used by no thread
};

}  // namespace heddle::engine
