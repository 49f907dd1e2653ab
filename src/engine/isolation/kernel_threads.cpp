#include "engine/isolation/kernel_threads.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "engine/isolation/real.hpp"
#include "engine/isolation/thread_pointer.hpp"

namespace heddle::engine {

namespace {

/// Not by its name, which is for the program (abi/start/crash.cpp).
void set_signal_mask(const sigset_t& mask, sigset_t* before) {
  real().syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, _NSIG / 8);
}

// (1) The parked thread publishes its thread pointer; (2) its creator waits for it, then never looks again.
std::atomic<std::uintptr_t> parked_thread_pointer;

void* park(void*) {
  parked_thread_pointer.store(thread_pointer(), std::memory_order_release);  // (1), pairs with (2)
  for (;;) real().syscall(SYS_pause);
}

}  // namespace

KernelThread park_new_kernel_thread(std::span<std::byte> memory) {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstack(&attributes, memory.data(), memory.size());
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;  // signals are for the thread that runs the fibers
  ::sigfillset(&all);
  set_signal_mask(all, &before);
  parked_thread_pointer.store(0, std::memory_order_relaxed);
  KernelThread thread;
  const int error = real().pthread_create(&thread.handle, &attributes, park, nullptr);
  set_signal_mask(before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) return {};
  while ((thread.thread_pointer = parked_thread_pointer.load(std::memory_order_acquire)) == 0)  // (2)
    real().sched_yield();
  return thread;
}

}  // namespace heddle::engine
