// Longer than most files: sending, masking, waiting for and delivering signals work on the same sets of pending ones.
#include "engine/processes/signals.hpp"

#include <ucontext.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/hash.hpp"
#include "engine/isolation/clean_call.hpp"
#include "engine/processes/descriptors.hpp"
#include "engine/reporting/finding_sink.hpp"

namespace heddle::engine {

using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;

namespace {

constexpr SignalSet signals_of(std::initializer_list<int> numbers) {
  SignalSet set = 0;
  for (const int number : numbers) set |= signal_bit(number);
  return set;
}
constexpr SignalSet ignored_by_default = signals_of({SIGCHLD, SIGURG, SIGWINCH, SIGCONT});
constexpr SignalSet stop_by_default = signals_of({SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU});
constexpr SignalSet never_blocked = signals_of({SIGKILL, SIGSTOP});
constexpr int first_queued = 32;  // real-time signals

bool awaited_is_pending(const SyncObject& process, const ProgramThread& thread) {
  const ThreadSignals& own = *thread.signals;
  return ((own.pending.set | static_cast<SignalSet>(process.state.value)) & own.awaited) != 0;
}
bool never(const SyncObject&, const ProgramThread&) { return false; }

SignalSet set_of(const sigset_t& set) {
  SignalSet bits;
  std::memcpy(&bits, &set, sizeof bits);
  return bits;
}

}  // namespace

const char* signal_name(int number) {
  static char text[32];
  if (const char* name = ::sigabbrev_np(number)) {
    std::snprintf(text, sizeof text, "SIG%s", name);
  } else if (number >= SIGRTMIN) {
    std::snprintf(text, sizeof text, "SIGRTMIN+%d", number - SIGRTMIN);
  } else {
    std::snprintf(text, sizeof text, "signal %d", number);
  }
  return text;
}

void Signals::begin_execution() {
  process_.set = 0;
  process_.signals.forget();
  waiters_.waiters.forget();
  waiters_.state.value = 0;
  if (!actions_changed_) return;
  std::memcpy(actions_, first_actions_, sizeof actions_);
  actions_changed_ = false;
}

void Signals::refuse_in_search(const char* what) const {
  if (policy_.keeps_objects_in_graph)
    end_.unsupported("the exhaustive search does not know %s; use a sampling strategy, such as --strategy random",
                     what);
}

// ---- actions and masks --------------------------------------------------------------------------------------

ThreadSignals& Signals::signals_of(ProgramThread& thread) {
  if (thread.signals == nullptr) thread.signals = execution_arena_.create<ThreadSignals>();
  return *thread.signals;
}

void Signals::set_action(int number, const struct sigaction& action) {
  actions_[number] = action;
  actions_changed_ = true;
  if (!is_ignored(number)) return;
  // POSIX: pending signals that become ignored are discarded.
  PendingSignal discarded;
  while (take_from(process_, number, discarded)) {
  }
  for (ProgramThread* thread : threads_.threads())
    while (thread->signals != nullptr && take_from(thread->signals->pending, number, discarded)) {
    }
  update_all();
}

bool Signals::is_ignored(int number) const {
  const struct sigaction& action = actions_[number];
  return action.sa_handler == SIG_IGN ||
         (action.sa_handler == SIG_DFL && (signal_bit(number) & ignored_by_default) != 0);
}

bool Signals::ends_program(int number) const {
  return number > 0 && number <= last_signal && actions_[number].sa_handler == SIG_DFL &&
         (signal_bit(number) & (ignored_by_default | stop_by_default)) == 0;
}

void Signals::set_mask(SignalSet mask, std::uint64_t site) {
  scheduler_.schedule_point(EventKind::fence, MemoryOrder::plain, Operation::signal_mask, graph::no_location, site);
  ProgramThread& self = threads_.current();
  signals_of(self).mask = mask & ~never_blocked;
  update(self);
  if (unblocked(self) != 0) answer(self, Delivery::synchronous);
}

SignalSet Signals::pending(std::uint64_t site) {
  scheduler_.schedule_point(EventKind::fence, MemoryOrder::plain, Operation::signal_mask, graph::no_location, site,
                            true);
  const ProgramThread& self = threads_.current();
  return (pending_of(self) | process_.set) & mask_of(self);
}

void Signals::inherit_mask(ProgramThread& thread) {
  const SignalSet mask = threads_.has_current() ? mask_of(threads_.current()) : first_mask_;
  if (mask != 0) signals_of(thread).mask = mask;
  if (process_.set != 0) update(thread);
}

void Signals::end_thread(ProgramThread& self) {
  self.cancellation.is_disabled = true;
  if (self.signals == nullptr && process_.set == 0) return;
  signals_of(self).mask = ~SignalSet{0};
  update(self);
}

void Signals::leave_handlers(std::uintptr_t frame, bool restores_mask) {
  ProgramThread& self = threads_.current();
  self.interruptible = Interruptible::never;
  self.cancellation.at_point = false;
  if (self.signals == nullptr) return;
  auto& handlers = self.signals->handlers;
  while (!handlers.empty() && handlers.back().frame < frame) {
    if (restores_mask) self.signals->mask = handlers.back().mask;
    self.signals->is_suspended = false;
    end_handler(self);
  }
  update(self);
}

void Signals::update(ProgramThread& thread) {
  const Cancellation& cancellation = thread.cancellation;
  const bool is_cancelled = cancellation.is_requested && !cancellation.is_disabled && !cancellation.is_acting &&
                            (cancellation.is_asynchronous || cancellation.at_point);
  const bool is_alive = thread.state == ProgramThread::State::alive && !thread.is_service;
  scheduler_.set_interrupted(thread, is_alive && (is_cancelled || unblocked(thread) != 0));
}

void Signals::update_all() {
  waiters_.state.value = process_.set;
  for (ProgramThread* thread : threads_.threads()) update(*thread);
  scheduler_.reconsider(waiters_);
}

// ---- sending ------------------------------------------------------------------------------------------------

int Signals::send(ProgramThread* target, const siginfo_t& info, std::uint64_t site) {
  const int number = info.si_signo;
  if (number < 0 || number > last_signal) return EINVAL;
  ProgramThread& self = threads_.current();
  const bool is_alone = threads_.alive() == 1;
  if (target != &self && (target != nullptr || !is_alone) && number != 0) refuse_in_search("signals between threads");
  scheduler_.schedule_point(EventKind::unlock, MemoryOrder::plain, Operation::signal_send, graph::no_location, site);
  if (number == 0 || (target != nullptr && target->state != ProgramThread::State::alive)) return 0;
  log_.begin_event(EventKind::unlock, MemoryOrder::plain, Operation::signal_send, site);
  const EventId sent = log_.record();
  scheduler_.mark_progress();
  post(target, info, sent, nullptr);
  deliver_before_return(target, number);
  return 0;
}

bool Signals::send_of_timer(ProgramThread* target, const siginfo_t& info, SyncObject& timer) {
  if (target != nullptr && target->state != ProgramThread::State::alive) return false;
  log_.begin_event(EventKind::unlock, MemoryOrder::plain, Operation::timer, 0);
  const EventId sent = log_.record();
  scheduler_.mark_progress();
  timer.is_done = false;
  return post(target, info, sent, &timer);
}

/// Makes the signal pending. Returns false if it is ignored.
bool Signals::post(ProgramThread* target, const siginfo_t& info, EventId sent, SyncObject* timer) {
  const int number = info.si_signo;
  // Linux keeps an ignored signal that is blocked: a sigwait may take it.
  bool is_blocked = target != nullptr;
  if (target != nullptr) is_blocked = (mask_of(*target) & signal_bit(number)) != 0;
  if (target == nullptr)
    for (const ProgramThread* thread : threads_.threads())
      if (thread->state == ProgramThread::State::alive && (mask_of(*thread) & signal_bit(number)) != 0)
        is_blocked = true;
  if (is_ignored(number) && !is_blocked) return false;
  SignalQueue& queue = target == nullptr ? process_ : signals_of(*target).pending;
  if (number < first_queued)
    for (PendingSignal& other : queue.signals)
      if (other.info.si_signo == number) {
        other.sent.add(graph_, execution_arena_, sent);
        if (timer != nullptr) other.timer = timer;
        return true;
      }
  PendingSignal& signal = queue.signals.push_back(execution_arena_, {.info = info, .sent = {}, .timer = timer});
  signal.sent.add(graph_, execution_arena_, sent);
  queue.set |= signal_bit(number);
  update_all();
  files_->update_signal_files(*this);
  return true;
}

bool Signals::is_pending_anywhere(SignalSet set) const {
  SignalSet pending = process_.set;
  for (const ProgramThread* thread : threads_.threads()) pending |= pending_of(*thread);
  return (pending & set) != 0;
}

bool Signals::has_other_receiver(const ProgramThread& self, int number) const {
  for (const ProgramThread* thread : threads_.threads()) {
    if (thread == &self || thread->is_service || thread->state != ProgramThread::State::alive) continue;
    const bool awaits = thread->signals != nullptr && (thread->signals->awaited & signal_bit(number)) != 0;
    if (awaits || (mask_of(*thread) & signal_bit(number)) == 0) return true;
  }
  return false;
}

/// POSIX: a signal that the sender itself must receive has been delivered when the call returns.
void Signals::deliver_before_return(const ProgramThread* target, int number) {
  ProgramThread& self = threads_.current();
  if ((unblocked(self) & signal_bit(number)) == 0) return;
  if (target == &self || (target == nullptr && !has_other_receiver(self, number))) answer(self, Delivery::synchronous);
}

// ---- receiving ----------------------------------------------------------------------------------------------

bool Signals::take_from(SignalQueue& queue, int number, PendingSignal& out) {
  if ((queue.set & signal_bit(number)) == 0) return false;
  std::size_t left = 0, first = queue.signals.size();
  for (std::size_t i = queue.signals.size(); i-- > 0;)
    if (queue.signals[i].info.si_signo == number) first = i, ++left;
  out = queue.signals[first];
  queue.signals.erase(first);
  if (left == 1) queue.set &= ~signal_bit(number);
  return true;
}

PendingSignal Signals::take(ProgramThread& self, int number) {
  PendingSignal signal;
  if (self.signals == nullptr || !take_from(self.signals->pending, number, signal)) take_from(process_, number, signal);
  update_all();
  files_->update_signal_files(*this);
  if (signal.timer != nullptr) {
    signal.timer->is_done = true;
    scheduler_.reconsider(*signal.timer);
  }
  return signal;
}

void Signals::record_taken(const PendingSignal& signal, Operation operation, std::uint64_t site) {
  graph::Event& event = log_.begin_event(EventKind::lock, MemoryOrder::plain, operation, site);
  log_.record_synchronised(event, signal.sent.events());
}

Interrupts::Answer Signals::answer(ProgramThread& self, Delivery delivery) {
  Answer answer;
  if (begin_cancellation(self)) {
    if (!self.cancellation.at_point) end_cancelled_();
    answer.cancelled = true;
    return answer;
  }
  while (const SignalSet set = unblocked(self)) run(self, take(self, lowest_signal(set)), delivery, answer);
  return answer;
}

void Signals::run(ProgramThread& self, const PendingSignal& signal, Delivery delivery, Answer& answer) {
  const int number = signal.info.si_signo;
  const struct sigaction action = actions_[number];
  if (is_ignored(number)) return;
  scheduler_.announce(EventKind::lock, Operation::signal_delivery);
  record_taken(signal, Operation::signal_delivery, self.site);
  if (action.sa_handler == SIG_DFL) {
    if ((signal_bit(number) & stop_by_default) != 0)
      end_.unsupported("the program stops itself by %s, and heddle cannot continue it", signal_name(number));
    char message[128];
    std::snprintf(message, sizeof message, "%s ends the program, which does not handle it", signal_name(number));
    findings_.report_fatal_signal(message, number, self.site);
    scheduler_.end_with_finding();
  }
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    struct sigaction reset = action;
    reset.sa_handler = SIG_DFL;
    reset.sa_flags &= ~SA_SIGINFO;
    set_action(number, reset);
  }
  answer.ran_handler = true;
  if ((action.sa_flags & SA_RESTART) == 0) answer.restarts = false;
  call_handler(self, action, signal, delivery);
}

void Signals::begin_handler(ProgramThread& self, const HandlerFrame& handler) {
  if (handler.delivery == Delivery::asynchronous) ++self.asynchronous_handlers;
}

void Signals::end_handler(ProgramThread& self) {
  if (self.signals->handlers.back().delivery == Delivery::asynchronous) --self.asynchronous_handlers;
  self.signals->handlers.pop_back();
}

void Signals::report_call(const char* function, std::uint64_t site) {
  char message[160];
  std::snprintf(message, sizeof message,
                "%s is called in a handler of a signal, which may have interrupted any function", function);
  findings_.report_at(FindingKind::signal_unsafe, message, site, base::hash_text(function));
}

void Signals::call_handler(ProgramThread& self, const struct sigaction& action, const PendingSignal& signal,
                           Delivery delivery) {
  ThreadSignals& own = signals_of(self);
  const int number = signal.info.si_signo;
  const SignalSet before = own.mask;
  const bool was_suspended = own.is_suspended;
  ++self.handled_signals;
  if (was_suspended) delivery = Delivery::synchronous;  // POSIX allows such a handler what a function may do
  const HandlerFrame& handler =
      own.handlers.push_back(execution_arena_, {reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                                                was_suspended ? own.mask_before_suspension : before, delivery});
  begin_handler(self, handler);
  own.is_suspended = false;
  own.mask |= set_of(action.sa_mask);
  if ((action.sa_flags & SA_NODEFER) == 0) own.mask |= signal_bit(number);
  update(self);
  siginfo_t info = signal.info;
  ucontext_t context{};
  std::memcpy(&context.uc_sigmask, &before, sizeof before);
#if defined(__x86_64__)
  context.uc_mcontext.gregs[REG_RIP] = static_cast<greg_t>(self.site);
  context.uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(own.handlers.back().frame);
#endif
  const bool with_info = (action.sa_flags & SA_SIGINFO) != 0;
  const void* const function =
      with_info ? reinterpret_cast<const void*>(action.sa_sigaction) : reinterpret_cast<const void*>(action.sa_handler);
  const int errno_before = errno;
  heddle_clean_call(function, static_cast<std::uint64_t>(number), reinterpret_cast<std::uint64_t>(&info),
                    reinterpret_cast<std::uint64_t>(&context));
  if (delivery == Delivery::asynchronous && errno != errno_before) {
    char message[128];
    std::snprintf(message, sizeof message, "the handler of %s changes errno, and does not restore it",
                  signal_name(number));
    findings_.report_spoilt_errno(message, reinterpret_cast<std::uint64_t>(function));
  }
  end_handler(self);
  own.is_suspended = was_suspended;
  // The handler may have changed the mask that its return restores.
  std::memcpy(&own.mask, &context.uc_sigmask, sizeof own.mask);
  own.mask &= ~never_blocked;
  update(self);
}

// ---- waiting ------------------------------------------------------------------------------------------------

int Signals::take_if_pending(SignalSet set, siginfo_t* info, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  const SignalSet found = (pending_of(self) | process_.set) & set;
  if (found == 0) return 0;
  const PendingSignal signal = take(self, lowest_signal(found));
  record_taken(signal, Operation::signal_wait, site);
  if (info != nullptr) *info = signal.info;
  return signal.info.si_signo;
}

int Signals::wait(SignalSet set, siginfo_t* info, Deadline deadline, bool handlers_interrupt, std::uint64_t site) {
  refuse_in_search("waits for signals");
  ProgramThread& self = threads_.current();
  ThreadSignals& own = signals_of(self);
  if (handlers_interrupt)
    scheduler_.schedule_point(EventKind::fence, MemoryOrder::plain, Operation::yield, graph::no_location, site);
  // Two threads may wait for one signal to the process: the first takes it.
  for (;;) {
    own.awaited = set & ~never_blocked;
    self.interruptible = handlers_interrupt ? Interruptible::always : Interruptible::never;
    const bool is_ready =
        scheduler_.await(waiters_, awaited_is_pending, EventKind::lock, Operation::signal_wait, site, deadline);
    self.interruptible = Interruptible::never;
    own.awaited = 0;
    if (const int number = is_ready ? take_if_pending(set, info, site) : 0) return number;
    if (self.wait_end == WaitEnd::by_cancellation) return -EINTR;
    if (self.wait_end == WaitEnd::by_signal) {
      self.wait_end = WaitEnd::ordinary;
      return -EINTR;
    }
    if (!is_ready) return -EAGAIN;
  }
}

void Signals::suspend(SignalSet mask, std::uint64_t site) {
  refuse_in_search("waits for signals");
  ProgramThread& self = threads_.current();
  ThreadSignals& own = signals_of(self);
  // A handler that runs here, before the thread waits, does not end the wait.
  scheduler_.schedule_point(EventKind::fence, MemoryOrder::plain, Operation::yield, graph::no_location, site);
  own.mask_before_suspension = own.mask;
  own.is_suspended = true;
  own.mask = mask & ~never_blocked;
  update(self);
  self.interruptible = Interruptible::always;
  scheduler_.await(waiters_, never, EventKind::lock, Operation::signal_wait, site);
  self.interruptible = Interruptible::never;
  own.is_suspended = false;
  own.mask = own.mask_before_suspension;
  if (self.wait_end == WaitEnd::by_signal) self.wait_end = WaitEnd::ordinary;
  update(self);
  if (unblocked(self) != 0) answer(self, Delivery::synchronous);
}

// ---- cancellation -------------------------------------------------------------------------------------------

int Signals::cancel(ProgramThread& target, std::uint64_t site) {
  if (&target != &threads_.current()) refuse_in_search("pthread_cancel");
  scheduler_.schedule_point(EventKind::unlock, MemoryOrder::plain, Operation::cancellation, graph::no_location, site);
  if (target.state != ProgramThread::State::alive) return 0;
  log_.begin_event(EventKind::unlock, MemoryOrder::plain, Operation::cancellation, site);
  const EventId requested = log_.record();
  scheduler_.mark_progress();
  if (target.cancellation.is_requested) return 0;
  target.cancellation.is_requested = true;
  target.cancellation.requested = requested;
  update(target);
  return 0;
}

bool Signals::begin_cancellation(ProgramThread& self) {
  Cancellation& cancellation = self.cancellation;
  if (!cancellation.is_requested || cancellation.is_disabled || cancellation.is_acting) return false;
  if (!cancellation.is_asynchronous && !cancellation.at_point) return false;
  cancellation.is_acting = true;
  cancellation.is_disabled = true;
  graph::Event& event = log_.begin_event(EventKind::lock, MemoryOrder::plain, Operation::cancellation, self.site);
  const EventId requests[] = {cancellation.requested};
  log_.record_synchronised(event, requests);
  update(self);
  return true;
}

// ---- signals of other processes -----------------------------------------------------------------------------

void Signals::collect_outside() {
  SignalSet arrived = outside_.exchange(0, std::memory_order_relaxed);
  for (; arrived != 0; arrived &= arrived - 1) {
    siginfo_t info{};
    info.si_signo = lowest_signal(arrived);
    info.si_code = SI_USER;
    log_.begin_event(EventKind::unlock, MemoryOrder::plain, Operation::signal_send, 0);
    post(nullptr, info, log_.record(), nullptr);
  }
}

}  // namespace heddle::engine
