// A thread gets a reference to a local variable that its creator continues to use.
// heddle: finds race
#include <cstdio>
#include <thread>

int main() {
  int local = 0;
  std::thread other([&local] { local = 1; });
  local = 2;
  other.join();
  std::printf("%d\n", local);
}
