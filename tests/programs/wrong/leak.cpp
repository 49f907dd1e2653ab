// Who loses the race to publish an object forgets to delete its own.
// heddle: finds leak
// heddle-options: --leaks
#include <atomic>
#include <thread>

static std::atomic<int*> published{nullptr};

static void publish() {
  int* mine = new int(1);
  int* expected = nullptr;
  published.compare_exchange_strong(expected, mine);
}

int main() {
  std::thread a(publish), b(publish);
  a.join();
  b.join();
  delete published.load();
}
