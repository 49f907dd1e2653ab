// What the program does with threads: create, join, detach, finish. Each is one event; a thread's start synchronises
// with its creation, a join with the end of the thread.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "engine/operations/deadline.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/primitives/sync_objects.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/scheduling/twin_threads.hpp"
#include "engine/threads/thread_keys.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

class FindingSink;
class Signals;
class ExecutionObserver;

/// How the program ended.
struct ProgramExit {
  std::uint8_t status = 0;
  std::uint64_t site = 0;  ///< of the call of exit() or the like; 0: main returned, or the last thread ended
};

class ThreadCalls {
 public:
  ThreadCalls(const ExecutionParts& execution, ThreadKeys& keys, SyncObjects& sync, TwinThreads& twins,
              Scheduler& scheduler, EventLog& log, Signals& signals)
      : execution_arena_(execution.arena), graph_(execution.graph), threads_(execution.threads), keys_(keys),
        sync_(sync), twins_(twins), scheduler_(scheduler), decider_(execution.decider), log_(log), signals_(signals),
        findings_(execution.findings), observer_(execution.observer), end_(execution.end) {}

  void configure(const ExecutionPolicy& policy) { policy_ = policy; }

  /// Makes the main thread of a new execution, ready to be switched to.
  ProgramThread& begin_main(void* (*routine)(void*), void* argument);
  /// Returns the new thread's handle.
  pthread_t create(bool detached, void* (*routine)(void*), void* argument, std::uint64_t site);
  /// A thread of the runtime (ProgramThread::is_service) that never ends.
  pthread_t create_service(void* (*routine)(void*), void* argument, std::uint64_t site);
  /// 0 or an errno value. `only_tries`: EBUSY if the thread has not ended.
  int join(pthread_t handle, void** result, std::uint64_t site, Deadline deadline, bool only_tries);
  int detach(pthread_t handle, std::uint64_t site);
  /// Runs the current thread's destructors and ends it; its stack must have been unwound.
  [[noreturn]] void finish(void* result);
  /// The program ends. Exit handlers have run.
  [[noreturn]] void exit_program(ProgramExit exit);
  /// A thread_local object of the current thread wants to be destroyed at its end.
  void add_tls_destructor(void (*function)(void*), void* object);
  void run_tls_destructors();

 private:
  void begin_thread(ProgramThread& thread, void* (*routine)(void*), void* argument);
  static void thread_entry(void* argument);
  int misused(const char* what, int error, std::uint64_t site);
  void report_leaked_threads();
  bool gives_up_join(Deadline deadline, std::uint64_t site);
  graph::EventId record_after(graph::EventKind kind, Operation operation, graph::EventId cause, std::uint64_t site);

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  ThreadKeys& keys_;
  SyncObjects& sync_;
  TwinThreads& twins_;
  Scheduler& scheduler_;
  Decider& decider_;
  EventLog& log_;
  Signals& signals_;
  FindingSink& findings_;
  ExecutionObserver& observer_;
  ExecutionEnd& end_;
  ExecutionPolicy policy_;
};

}  // namespace heddle::engine
