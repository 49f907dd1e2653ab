// The state of one synchronisation primitive in one execution. The program's own object (pthread_mutex_t and
// so on) is only an address, but for what outlives executions in it: a mutex's kind, a semaphore's first value.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

struct ProgramThread;

enum class SyncKind : std::uint8_t { mutex, rwlock, condition, barrier, semaphore, once, futex, thread, annotation };

/// The releasing events that a later acquire synchronises with: the newest of each thread is enough, since
/// program order brings in the older ones.
class ReleaseSet {
 public:
  void add(const graph::ExecutionGraph& graph, base::Arena& arena, graph::EventId event) {
    for (graph::EventId& other : events_) {
      if (graph.event(other).thread != graph.event(event).thread) continue;
      other = event;
      return;
    }
    events_.push_back(arena, event);
  }
  void clear() { events_.clear(); }
  std::span<const graph::EventId> events() const { return events_; }
  std::span<graph::EventId> names() { return {events_.begin(), events_.size()}; }

 private:
  base::ArenaVector<graph::EventId> events_;
};

struct SyncObject {
  SyncKind kind = SyncKind::mutex;
  std::uintptr_t address = 0;
  graph::LocationId location = graph::no_location;
  base::ArenaVector<ProgramThread*> waiters;  ///< threads whose pending operation is on this object

  ProgramThread* owner = nullptr;             ///< mutex, rwlock (writer), once (who initialises)
  std::uint32_t depth = 0;                    ///< recursive mutex
  std::int64_t count = 0;                     ///< rwlock: readers; semaphore: value; barrier: threads per round
  std::uint32_t arrived = 0;                  ///< barrier
  std::uint32_t generation = 0;               ///< barrier: rounds completed
  bool done = false;                          ///< once
  base::ArenaVector<ProgramThread*> readers;  ///< rwlock: for reports and recursion
  ReleaseSet released;                        ///< what an exclusive acquire learns
  ReleaseSet released_exclusively;            ///< rwlock: what a shared acquire learns
  ReleaseSet leaving;                         ///< barrier: the arrivals of the round that was completed last
  /// Barrier, under the exhaustive search: the last arrivals of the rounds.
  base::ArenaVector<graph::EventId> completed;

  /// As if it were new; the storage stays.
  void begin_anew() {
    SyncObject fresh;
    for (const auto member : {&SyncObject::waiters, &SyncObject::readers}) {
      fresh.*member = this->*member;
      (fresh.*member).clear();
    }
    for (const auto member : {&SyncObject::released, &SyncObject::released_exclusively, &SyncObject::leaving}) {
      fresh.*member = this->*member;
      (fresh.*member).clear();
    }
    *this = fresh;
  }
};

}  // namespace heddle::engine
