// One of two programs that include a header with atomics. This one reads the value.
#include <thread>

#include "handover.hpp"

Handover handover;

int main() {
  std::thread giver([] { handover.give(1); });
  const bool is_wrong = handover.take() > 1;
  giver.join();
  return is_wrong ? 1 : 0;
}
