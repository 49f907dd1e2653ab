// Mutexes are not explored yet, and heddle says so.
#include <mutex>
#include <thread>

std::mutex m;
int data;

int main() {
  std::thread other([] {
    std::lock_guard guard(m);
    ++data;
  });
  {
    std::lock_guard guard(m);
    ++data;
  }
  other.join();
}
