// A loop that counts its rounds: no two are the same, and there is no end to its executions.
#include <atomic>
#include <thread>

volatile int seen;

int main() {
  std::atomic<bool> ready{false};
  int rounds = 0;
  std::thread other([&] {
    while (!ready.load()) ++rounds;
  });
  ready.store(true);
  other.join();
  seen = rounds;
  return 0;
}
