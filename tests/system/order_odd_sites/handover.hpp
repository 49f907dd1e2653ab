// A flag that hands a value over. Two programs include this.
#pragma once

#include <atomic>

struct Handover {
  int value = 0;
  std::atomic<bool> is_ready{false};

  void give(int given) {
    value = given;
    is_ready.store(true, std::memory_order_seq_cst);
  }
  int take() {
    if (!is_ready.load(std::memory_order_seq_cst)) return 0;
    return value;
  }
};
