// Signals inside the program: which thread has one pending, which thread answers it, and when.
//
// A signal to a thread waits for that thread, one to the process for any thread that does not block it. A thread
// answers at one of its scheduling points (Scheduler::answer_interruption): the strategy chooses which. The kernel
// takes no part, except for faults and for signals of other processes. Sending a signal happens before its handler, or
// before the return of the sigwait that takes it.
#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>

#include "engine/operations/execution_policy.hpp"
#include "engine/operations/interrupts.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/execution_end.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

class Descriptors;
class FindingSink;

/// Many methods: one for each call of the program.
class Signals final : public Interrupts {
 public:
  static constexpr int last_signal = 64;
  /// Ends the current thread, which was cancelled in a call that is no cancellation point.
  using EndCancelled = void (*)();

  Signals(base::Arena& execution_arena, const graph::ExecutionGraph& graph, ThreadTable& threads, Scheduler& scheduler,
          EventLog& log, FindingSink& findings, ExecutionEnd& end)
      : execution_arena_(execution_arena), graph_(graph), threads_(threads), scheduler_(scheduler), log_(log),
        findings_(findings), end_(end) {
    waiters_.kind = SyncKind::signal;
  }

  void configure(const ExecutionPolicy& policy) { policy_ = policy; }
  void begin_execution();
  /// The action for a signal, and the mask of the main thread, when main begins.
  void set_first_action(int number, const struct sigaction& action) { first_actions_[number] = action; }
  void set_first_mask(SignalSet mask) { first_mask_ = mask; }
  void set_end_cancelled(EndCancelled function) { end_cancelled_ = function; }

  // ---- actions and masks ------------------------------------------------------------------------------------
  const struct sigaction& action(int number) const { return actions_[number]; }
  void set_action(int number, const struct sigaction& action);
  /// The action for the signal is the default one, which ends the program.
  bool ends_program(int number) const;
  SignalSet mask() const { return mask_of(threads_.current()); }
  /// Runs the handlers of pending signals that are no longer blocked.
  void set_mask(SignalSet mask, std::uint64_t site);
  SignalSet pending(std::uint64_t site);
  /// A new thread blocks what the current one blocks.
  void inherit_mask(ProgramThread& thread);
  /// The thread ends: it answers no more signals.
  void end_thread(ProgramThread& self);
  /// The current thread leaves handlers by a jump to a frame at this address.
  void leave_handlers(std::uintptr_t frame, bool restores_mask);

  // ---- calls in handlers --------------------------------------------------------------------------------------
  /// The current thread calls a function that POSIX does not allow in a handler that may have interrupted any other.
  /// Reports it in such a handler.
  void check_call(const char* function, std::uint64_t site) {
    if (threads_.current().asynchronous_handlers != 0) [[unlikely]]
      report_call(function, site);
  }

  // ---- sending ----------------------------------------------------------------------------------------------
  /// Sends info.si_signo to the thread, or to the process if `target` is null. 0 or an errno value.
  int send(ProgramThread* target, const siginfo_t& info, std::uint64_t site);
  /// As send(), for a timer: false if the signal is ignored. Sets `timer`.is_done when the signal has been taken.
  bool send_of_timer(ProgramThread* target, const siginfo_t& info, SyncObject& timer);

  // ---- waiting ----------------------------------------------------------------------------------------------
  /// Takes a pending signal of the set. Returns its number, or a negative errno value: EAGAIN after the deadline,
  /// EINTR if a handler ran instead. `info` may be null.
  int wait(SignalSet set, siginfo_t* info, Deadline deadline, bool handlers_interrupt, std::uint64_t site);
  /// Waits with this mask until a handler has run.
  void suspend(SignalSet mask, std::uint64_t site);
  /// Takes a pending signal of the set, if there is one, without waiting. Returns its number or 0.
  int take_if_pending(SignalSet set, siginfo_t* info, std::uint64_t site);
  /// Whether one of the signals is pending, for the process or for any thread.
  bool is_pending_anywhere(SignalSet set) const;
  /// Files of signals (signalfd) show what is pending.
  void set_files(Descriptors& files) { files_ = &files; }
  /// What threads that wait for signals wait for.
  SyncObject& waiters() { return waiters_; }

  // ---- cancellation -----------------------------------------------------------------------------------------
  /// 0 or an errno value.
  int cancel(ProgramThread& target, std::uint64_t site);
  /// The current thread is at a cancellation point: true if it must end now.
  bool begin_cancellation(ProgramThread& self);

  // ---- signals of other processes ----------------------------------------------------------------------------
  /// Called by a signal handler of the kernel.
  void add_outside(int number) {
    outside_.fetch_or(signal_bit(number), std::memory_order_relaxed);
    scheduler_.raise_outside_signal();
  }

  // Interrupts
  Answer answer(ProgramThread& self, Delivery delivery) override;
  void update(ProgramThread& thread) override;
  void collect_outside() override;

  /// Calls visit(EventId&) for every event that pending signals refer to.
  template <typename Visitor>
  void for_each_event(Visitor visit) {
    const auto visit_queue = [&](SignalQueue& queue) {
      for (PendingSignal& signal : queue.signals)
        for (graph::EventId& id : signal.sent.names()) visit(id);
    };
    visit_queue(process_);
    for (ProgramThread* thread : threads_.threads()) {
      if (thread->signals != nullptr) visit_queue(thread->signals->pending);
      if (thread->cancellation.requested != graph::no_event) visit(thread->cancellation.requested);
    }
  }

 private:
  static SignalSet mask_of(const ProgramThread& thread) { return thread.signals == nullptr ? 0 : thread.signals->mask; }
  static SignalSet pending_of(const ProgramThread& thread) {
    return thread.signals == nullptr ? 0 : thread.signals->pending.set;
  }
  SignalSet unblocked(const ProgramThread& thread) const {
    return (pending_of(thread) | process_.set) & ~mask_of(thread);
  }
  ThreadSignals& signals_of(ProgramThread& thread);
  bool is_ignored(int number) const;
  bool post(ProgramThread* target, const siginfo_t& info, graph::EventId sent, SyncObject* timer);
  void update_all();
  bool has_other_receiver(const ProgramThread& self, int number) const;
  void deliver_before_return(const ProgramThread* target, int number);
  PendingSignal take(ProgramThread& self, int number);
  static bool take_from(SignalQueue& queue, int number, PendingSignal& out);
  void record_taken(const PendingSignal& signal, Operation operation, std::uint64_t site);
  void run(ProgramThread& self, const PendingSignal& signal, Delivery delivery, Answer& answer);
  void call_handler(ProgramThread& self, const struct sigaction& action, const PendingSignal& signal,
                    Delivery delivery);
  static void begin_handler(ProgramThread& self, const HandlerFrame& handler);
  static void end_handler(ProgramThread& self);
  [[gnu::cold, gnu::noinline]] void report_call(const char* function, std::uint64_t site);
  void refuse_in_search(const char* what) const;

  base::Arena& execution_arena_;
  const graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  EventLog& log_;
  FindingSink& findings_;
  ExecutionEnd& end_;
  ExecutionPolicy policy_;
  EndCancelled end_cancelled_ = nullptr;
  Descriptors* files_ = nullptr;
  struct sigaction first_actions_[last_signal + 1] = {};
  struct sigaction actions_[last_signal + 1] = {};
  bool actions_changed_ = true;
  SignalSet first_mask_ = 0;
  SignalQueue process_;  ///< signals to the process
  SyncObject waiters_;
  std::atomic<SignalSet> outside_{0};
};

/// "SIGUSR1" and the like.
const char* signal_name(int number);

}  // namespace heddle::engine
