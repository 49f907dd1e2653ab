// Relaxed writes that change nothing, as the PCTWM paper inserts them (figure 6): -DINSERTED_WRITES=100 makes a hundred
// in every thread. They make executions longer without adding a communication.
#pragma once

#include <atomic>

#ifndef INSERTED_WRITES
#define INSERTED_WRITES 0
#endif

inline std::atomic<int> inserted{0};

inline void inserted_writes() {
  for (int i = 1; i <= INSERTED_WRITES; ++i) inserted.store(i, std::memory_order_relaxed);
}
