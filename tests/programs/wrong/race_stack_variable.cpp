// A thread gets a reference to a local variable that its creator goes on using.
// heddle: finds race
#include <thread>

int main() {
  int local = 0;
  std::thread other([&local] { local = 1; });
  local = 2;
  other.join();
  return local == 77;
}
