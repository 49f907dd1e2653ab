// What makes a thread leave its code, for a while or for ever, at a scheduling point: signals and cancellation.
//
// ProgramThread::interrupted says that the thread has something to answer. A thread that waits can then run, whatever
// it waits for; the scheduler removes it from the waiters before it answers, so that a handler may wait itself.
#pragma once

#include <signal.h>

#include <cstdint>

#include "base/arena.hpp"
#include "engine/operations/sync_object.hpp"
#include "graph/event.hpp"

namespace heddle::engine {

struct ProgramThread;

/// Whether a handler that ran in the middle of a call ends the call, with EINTR.
enum class Interruptible : std::uint8_t {
  never,
  unless_restarted,  ///< unless the action has SA_RESTART
  always,
  only_inside,  ///< always, and the signal is blocked outside of the call: the handler did not run before it
};

/// Why a wait ended, if neither its condition nor its deadline was the reason.
enum class WaitEnd : std::uint8_t { ordinary, by_signal, by_cancellation };

/// Whether a handler runs at a place that the program has chosen: in a call that sends the signal, unblocks it or waits
/// for it. Handlers that run anywhere else may call few functions, and must leave errno as it is.
enum class Delivery : std::uint8_t { synchronous, asynchronous };

class Interrupts {
 public:
  struct Answer {
    bool ran_handler = false;
    bool restarts = true;    ///< every handler that ran has SA_RESTART
    bool cancelled = false;  ///< the call that the thread is in ends, and the thread after it
  };
  /// Runs the handlers of the signals that the current thread does not block. May not return.
  virtual Answer answer(ProgramThread& self, Delivery delivery) = 0;
  /// Decides anew whether the thread is interrupted.
  virtual void update(ProgramThread& thread) = 0;
  /// Signals of other processes have arrived.
  virtual void collect_outside() = 0;

 protected:
  ~Interrupts() = default;
};

using SignalSet = std::uint64_t;  ///< bit n - 1 stands for signal n
constexpr SignalSet signal_bit(int number) { return SignalSet{1} << (number - 1); }
constexpr int lowest_signal(SignalSet set) { return __builtin_ctzll(set) + 1; }

/// A signal that was sent and has not been taken.
struct PendingSignal {
  siginfo_t info;
  ReleaseSet sent;              ///< by these events; a standard signal that is sent twice is pending once
  SyncObject* timer = nullptr;  ///< the timer that sent it
};

struct SignalQueue {
  SignalSet set = 0;
  base::ArenaVector<PendingSignal> signals;  ///< in the order of sending
};

/// A handler that runs on a thread.
struct HandlerFrame {
  std::uintptr_t frame;  ///< an address of its caller's frame
  SignalSet mask;        ///< what the thread blocked before
  Delivery delivery;
};

/// The signals of a thread. A thread that never had to do with any has none of this.
struct ThreadSignals {
  SignalSet mask = 0;
  SignalSet awaited = 0;                 ///< sigwait and its like: these
  SignalSet mask_before_suspension = 0;  ///< sigsuspend: what it blocked before
  bool is_suspended = false;             ///< it is in sigsuspend
  SignalQueue pending;
  base::ArenaVector<HandlerFrame> handlers;  ///< the innermost last
};

/// The state of a thread's cancellation.
struct Cancellation {
  bool is_disabled = false;
  bool is_asynchronous = false;
  bool at_point = false;  ///< the thread is in a call that is a cancellation point
  bool is_requested = false;
  bool is_acting = false;  ///< the thread has begun to end
  graph::EventId requested = graph::no_event;
};

}  // namespace heddle::engine
