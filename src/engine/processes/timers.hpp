// Timers of the program, in virtual time: alarm, setitimer, timer_create.
//
// Every timer has a thread of the runtime, a service thread, which waits for the expiry, sends the signal or calls the
// program's function, and begins again. So when a timer expires is a decision of the strategy like any other, as for a
// timed wait. The program can end without its service threads, and a deadlock does not need them.
//
// A timer whose signal would end the program is a watchdog (Scheduler::next_to_time_out): it expires only if no thread
// can run.
#pragma once

#include <signal.h>
#include <time.h>

#include <cstdint>

#include "engine/operations/execution_policy.hpp"
#include "engine/primitives/sync_objects.hpp"
#include "engine/processes/signals.hpp"
#include "engine/processes/thread_calls.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/execution_end.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

struct Timer {
  std::uint64_t expiry = 0;    ///< virtual time
  std::uint64_t interval = 0;  ///< nanoseconds; 0: it expires once
  bool is_armed = false;
  bool is_deleted = false;
  int number = 0;  ///< what timer_create returned
  clockid_t clock = CLOCK_REALTIME;
  sigevent event = {};
  ProgramThread* receiver = nullptr;  ///< of the signal; null: the process
  std::uint32_t overruns = 0;
  ProgramThread* service = nullptr;
  /// What the service thread waits on. state.value counts the changes of the setting, `initial` those that the service
  /// thread has seen; is_done: its signal was taken.
  SyncObject object;
};

class Timers {
 public:
  Timers(base::Arena& execution_arena, ThreadTable& threads, Scheduler& scheduler, SyncObjects& sync, Signals& signals,
         ThreadCalls& thread_calls, ExecutionEnd& end)
      : execution_arena_(execution_arena), threads_(threads), scheduler_(scheduler), sync_(sync), signals_(signals),
        thread_calls_(thread_calls), end_(end) {}

  void configure(const ExecutionPolicy& policy) { is_search_ = policy.keeps_objects_in_graph; }
  void begin_execution() {
    timers_.forget();
    process_timers_[0] = process_timers_[1] = process_timers_[2] = nullptr;
  }

  Timer& create(const sigevent& event, ProgramThread* receiver);
  /// The timer that timer_create gave this number, or null.
  Timer* find(int number);
  void remove(Timer& timer, std::uint64_t site);
  /// The timer of alarm and setitimer: `which` is ITIMER_REAL, ITIMER_VIRTUAL or ITIMER_PROF.
  Timer& process_timer(int which);
  /// Arms the timer for this virtual time, or disarms it if `expiry` is 0.
  void set(Timer& timer, std::uint64_t expiry, std::uint64_t interval, std::uint64_t site);
  /// The program has changed what the signal does: timers that send it may, or may no longer, end the program.
  void wake_services(int signal);
  /// The nanoseconds until the timer expires; 0 if it is not armed.
  std::uint64_t left(const Timer& timer) const;

 private:
  struct Service {
    Timers* timers;
    Timer* timer;
  };
  static void* serve(void* argument);
  [[noreturn]] void serve(Timer& timer);
  bool would_end_program(const Timer& timer) const;
  void expire(Timer& timer);
  void notify(Timer& timer);
  void start_service(Timer& timer, std::uint64_t site);

  base::Arena& execution_arena_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  SyncObjects& sync_;
  Signals& signals_;
  ThreadCalls& thread_calls_;
  ExecutionEnd& end_;
  bool is_search_ = false;
  base::ArenaVector<Timer*> timers_;
  Timer* process_timers_[3] = {};
};

}  // namespace heddle::engine
