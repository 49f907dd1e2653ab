// One synchronisation object of the program in one execution. The program's own object (pthread_mutex_t and so on) is
// only an address, but for what outlives executions in it: a mutex's kind, a semaphore's first value.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/operations/sync_rules.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

struct ProgramThread;
struct LockEdge;

enum class SyncKind : std::uint8_t {
  mutex,
  rwlock,
  condition,
  barrier,
  semaphore,
  once,
  futex,
  thread,
  annotation,
  signal,
  timer,
  descriptor,  ///< a file of the kernel (descriptors.hpp), which has no address
};

/// For people.
inline const char* object_name(SyncKind kind) {
  switch (kind) {
    case SyncKind::mutex: return "mutex";
    case SyncKind::rwlock: return "rwlock";
    case SyncKind::condition: return "condition variable";
    case SyncKind::barrier: return "barrier";
    case SyncKind::semaphore: return "semaphore";
    case SyncKind::once: return "one-time initialisation";
    case SyncKind::futex: return "futex";
    case SyncKind::thread: return "end of a thread";
    case SyncKind::annotation: return "annotation";
    case SyncKind::signal: return "signal";
    case SyncKind::timer: return "timer";
    case SyncKind::descriptor: return "descriptor";
  }
  return "object";
}

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

/// A round of a barrier, from its first arrival until the last of its threads has left. A thread may leave late, when
/// other threads have completed further rounds, so every round keeps its own arrivals.
struct BarrierRound {
  std::uint64_t number = 0;
  std::uint32_t inside = 0;  ///< threads that have arrived and not yet left
  bool is_complete = false;
  ReleaseSet arrivals;  ///< what the threads that leave learn

  /// A thread that has arrived, under a search that does not order arrivals (graph_executor.hpp).
  struct Member {
    graph::ThreadId thread = graph::no_thread;
    bool looks_at_result = false;
  };
  base::ArenaVector<Member> members;
  /// The thread that leaves first and chooses the serial thread; no_thread: the serial thread need not be chosen any
  /// more.
  graph::ThreadId chooser = graph::no_thread;
  graph::ThreadId serial = graph::no_thread;  ///< the thread whose call returns PTHREAD_BARRIER_SERIAL_THREAD

  bool may_be_left_by(graph::ThreadId thread) const {
    return is_complete && (chooser == graph::no_thread || chooser == thread);
  }
};

/// Many fields: a struct for all kinds of primitives, each of which uses some of them.
struct SyncObject {
  SyncKind kind = SyncKind::mutex;
  std::uintptr_t address = 0;
  std::uint64_t serial = 0;  ///< no other object of the execution has it
  graph::LocationId location = graph::no_location;
  base::ArenaVector<ProgramThread*> waiters;  ///< threads whose pending operation is on this object
  const char* title = nullptr;                ///< descriptor: what it is, for people

  ObjectState state;     ///< kept by DirectExecutor; GraphExecutor keeps it in the graph
  SleeperList sleepers;  ///< condition, futex: what `state` refers to
  ReleaseSet released;   ///< what a step with Learns::all_releases learns
  ReleaseSet released_exclusively;
  /// Futex: the newest write to its word that a thread knew which has woken others; a later sleeper does not miss it.
  graph::EventId known_to_wakers = graph::no_event;

  ProgramThread* owner = nullptr;              ///< mutex, rwlock (writer), once: for recursion and reports
  std::uint32_t depth = 0;                     ///< recursive mutex
  bool is_robust = false;                      ///< mutex: its owner, if it ends, leaves it to the next thread
  bool is_inconsistent = false;                ///< mutex: the owner before has ended, and the owner has not mended it
  std::uint64_t initial = 0;                   ///< semaphore: the value it began with
  bool is_done = false;                        ///< thread: it has ended
  base::ArenaVector<ProgramThread*> readers;   ///< rwlock: for reports
  bool prefers_writers = false;                ///< rwlock: it is not shared while a writer waits
  std::uintptr_t mutex = 0;                    ///< condition: that threads wait with
  std::uint64_t reached_by = 0;                ///< LockOrder
  base::ArenaVector<LockEdge*> taken_after;    ///< locks: those that threads took while they held this one
  base::ArenaVector<SyncObject*> parts;        ///< rwlock, under a search that does not order readers
  SyncObject* whole = nullptr;                 ///< the lock of which this is a part
  bool is_claimed = false;                     ///< rwlock: a writer has locked a part and not yet all of them
  base::ArenaVector<BarrierRound> rounds;      ///< barrier: those that threads are in, oldest first
  base::ArenaVector<ProgramThread*> arrivers;  ///< barrier, under a search that does not order arrivals

  /// Calls visit(EventId&) for every event that the object refers to.
  template <typename Visitor>
  void for_each_event(Visitor visit) {
    for (ReleaseSet* set : {&released, &released_exclusively})
      for (graph::EventId& id : set->names()) visit(id);
    if (known_to_wakers != graph::no_event) visit(known_to_wakers);
    for (BarrierRound& round : rounds)
      if (round.inside != 0)
        for (graph::EventId& id : round.arrivals.names()) visit(id);
  }

  /// As if it were new; the storage stays.
  void begin_anew() {
    SyncObject fresh;
    for (const auto member : {&SyncObject::waiters, &SyncObject::readers, &SyncObject::arrivers}) {
      fresh.*member = this->*member;
      (fresh.*member).clear();
    }
    for (const auto member : {&SyncObject::released, &SyncObject::released_exclusively}) {
      fresh.*member = this->*member;
      (fresh.*member).clear();
    }
    fresh.sleepers = sleepers;
    fresh.sleepers.threads.clear();
    fresh.rounds = rounds;
    fresh.rounds.clear();
    *this = fresh;
  }
};

}  // namespace heddle::engine
