// Preempts threads that poll memory in code without instrumentation, where no count of accesses can show it: a member
// of a local variable with clang, inline assembly, a library. Without this, the thread would use up --timeout.
//
// A timer interrupts the program every few milliseconds of processor time. If the thread has had no event since the
// last interruptions, and is at the same instruction as at one of them, with the same registers and the same stack, it
// is in a loop that waits. Then other threads are offered to the strategy, as at sched_yield().
//
// Results do not depend on when the timer fires. A loop that waits does the same in every iteration, so it does not
// matter in which one the thread is preempted. A computation is not preempted, since its registers or its stack
// change. A trace contains the choice between the threads. A replay comes to the choice when it has recognised the
// loop again.
#pragma once

#include <signal.h>

namespace heddle::abi {

/// Starts the timer for the calling kernel thread. Child processes of the worker start their own.
void start_preemption();
/// Whether the signal comes from the timer.
bool is_preemption(const siginfo_t& info);
/// The timer has interrupted the program in this context, which is changed if the thread is to be preempted.
void preempt_if_waiting(void* context);

}  // namespace heddle::abi
