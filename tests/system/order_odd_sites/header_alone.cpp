// The other program: it uses the handover in one thread, so it needs none of its orders.
#include <thread>

#include "handover.hpp"

Handover handover;

int main() {
  std::thread giver([] {
    handover.give(1);
    (void)handover.take();
  });
  giver.join();
  return handover.value == 1 ? 0 : 1;
}
