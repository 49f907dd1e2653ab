#include <atomic>
#include <thread>

static std::atomic<int> hits{0};

int main() {
  std::thread other([] { hits.fetch_add(1); });
  hits.fetch_add(1);
  other.join();
  return hits == 2 ? 0 : 1;
}
