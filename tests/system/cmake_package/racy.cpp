#include <thread>

static int hits = 0;

int main() {
  std::thread other([] { ++hits; });
  ++hits;
  other.join();
}
