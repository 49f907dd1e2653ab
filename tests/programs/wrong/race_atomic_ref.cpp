// One thread uses atomic_ref, the other the object itself.
// heddle: finds race
// heddle-mentions: counter
#include <atomic>
#include <cstdio>
#include <thread>

static int counter;

int main() {
  std::thread careful([] { std::atomic_ref<int>(counter).fetch_add(1); });
  ++counter;
  careful.join();
  std::printf("%d\n", counter);
}
