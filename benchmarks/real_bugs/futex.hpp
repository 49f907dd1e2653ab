// The system calls for waiting on a word of memory, without a library between the program and the kernel.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>

// Sleeps while `word` has the value `seen`. May return early.
inline void futex_wait(std::atomic<int>& word, int seen) {
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<int>& word, int threads) {
  syscall(SYS_futex, reinterpret_cast<int*>(&word), FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

inline void futex_wake_all(std::atomic<int>& word) { futex_wake(word, INT_MAX); }
