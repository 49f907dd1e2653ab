// Counts for ever.
#include <atomic>

static std::atomic<unsigned> count;

int main() {
  for (;;) ++count;
}
