// Accesses to shared memory in the programs of Burnim, Sen and Stergiou (Testing concurrent programs on relaxed memory
// models, ISSTA 2011). The paper is about racy C code, whose loads and stores the machine may reorder. Here they are
// relaxed atomics, so that every compiler reports their values. With -DPLAIN they are plain accesses, for
// heddle cc --plain=relaxed; with -DVOLATILE they are volatile accesses, for heddle test --volatile=relaxed.
//
// With -DFIXED a program has the fences that it needs under tso, pso, pslo and rc11. Without, it has none of them.
#ifndef RELAXER_SHARED_H
#define RELAXER_SHARED_H

#ifdef PLAIN
#define LOAD(x) (x)
#define STORE(x, value) ((x) = (value))
#elif defined(VOLATILE)
#define LOAD(x) (*(__typeof__(x) volatile*)&(x))
#define STORE(x, value) (*(__typeof__(x) volatile*)&(x) = (value))
#else
#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define STORE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#endif

// A compare-and-swap. True if x held `old` and now holds `desired`.
#define CAS(x, old, desired)                                                                        \
  __extension__({                                                                                   \
    __typeof__(x) compared = (old);                                                                 \
    __atomic_compare_exchange_n(&(x), &compared, (desired), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
  })
// A store that is not buffered.
#define SWAP(x, value) ((void)__atomic_exchange_n(&(x), (value), __ATOMIC_RELAXED))

#ifdef FIXED
#define STORE_STORE_FENCE() __atomic_thread_fence(__ATOMIC_RELEASE)
#define LOAD_LOAD_FENCE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define STORE_LOAD_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#else
#define STORE_STORE_FENCE() ((void)0)
#define LOAD_LOAD_FENCE() ((void)0)
#define STORE_LOAD_FENCE() ((void)0)
#endif

// A spin lock, for locks that lie in memory which is published without synchronisation. As in the paper, acquiring it
// is a barrier between loads, and releasing it is one between stores.
typedef int SpinLock;

static inline void spin_lock(SpinLock* lock) {
  for (;;) {
    int expected = 0;
    if (__atomic_compare_exchange_n(lock, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
  }
}
static inline void spin_unlock(SpinLock* lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }

#endif
