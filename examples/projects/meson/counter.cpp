// A counter that two threads increment: `counter right` does so atomically, `counter racy` does not.
#include <atomic>
#include <cstring>
#include <thread>

static std::atomic<int> hits{0};
static int racy_hits = 0;

int main(int argc, char** argv) {
  const bool is_racy = argc > 1 && std::strcmp(argv[1], "racy") == 0;
  const auto count = [=] {
    if (is_racy)
      ++racy_hits;
    else
      ++hits;
  };
  std::thread other(count);
  count();
  other.join();
  return is_racy || hits == 2 ? 0 : 1;
}
