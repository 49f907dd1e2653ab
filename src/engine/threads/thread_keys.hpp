// Thread-specific data: pthread_key_create and its family. Keys that an execution makes are numbered from first_key on;
// smaller ones belong to the C library and were made before main, or between two checks (early keys). The values that
// an execution sets are the execution's in either case. An early key that an execution deletes exists again in the
// next.
#pragma once

#include <pthread.h>

#include "base/arena.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

/// A key was made outside of an execution.
void remember_early_key(pthread_key_t key, void (*destructor)(void*));
/// A key was deleted outside of an execution.
void forget_early_key(pthread_key_t key);

class ThreadKeys {
 public:
  static constexpr pthread_key_t first_key = 4096;  // the C library's own keys end at 1024
  static bool is_own_key(pthread_key_t key) { return key >= first_key; }

  ThreadKeys(base::Arena& execution_arena, ThreadTable& threads)
      : execution_arena_(execution_arena), threads_(threads) {}

  void begin_execution() {
    keys_.forget();
    removed_early_keys_.forget();
  }

  pthread_key_t create(void (*destructor)(void*));
  /// 0, or EINVAL.
  int remove(pthread_key_t key);
  /// The value of the current thread.
  void* get(pthread_key_t key) const;
  /// 0, or EINVAL.
  int set(pthread_key_t key, const void* value);
  /// The current thread ends: calls the destructors of its values.
  void run_destructors();

 private:
  struct Key {
    bool used = false;
    void (*destructor)(void*) = nullptr;
  };
  bool exists(pthread_key_t key) const;

  base::Arena& execution_arena_;
  ThreadTable& threads_;
  base::ArenaVector<Key> keys_;
  base::ArenaVector<pthread_key_t> removed_early_keys_;  ///< by this execution
};

}  // namespace heddle::engine
