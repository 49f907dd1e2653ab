// A hazard pointer keeps what a reader looks at from being freed; who cannot free at once leaves it for later.
// heddle: clean
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int*> current{nullptr}, hazard{nullptr};
static int* later = nullptr;

int main() {
  current.store(new int(1));
  std::thread reader([] {
    int* seen = current.load();
    for (;;) {
      hazard.store(seen);
      int* again = current.load();
      if (again == seen) break;
      seen = again;
    }
    assert(*seen == 1 || *seen == 2);
    hazard.store(nullptr);
  });
  std::thread writer([] {
    int* old = current.exchange(new int(2));
    if (hazard.load() != old) {
      delete old;
    } else {
      later = old;
    }
  });
  reader.join();
  writer.join();
  delete later;
  delete current.load();
}
