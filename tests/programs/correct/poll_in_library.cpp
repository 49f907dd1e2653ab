// A loop whose progress is inside the C library: strtok() remembers its place. The static variable's guard is an atomic
// load in every iteration, and always reads the same.
// heddle: clean
// heddle-runs: 200
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

namespace {

std::atomic<unsigned> beats{0};

void beat_for_ever() {
  for (;;) {
    usleep(1000);
    beats.store(beats.load() + 1);
  }
}

const char* separator() {
  static const char* const chosen = getpid() == 0 ? ";" : ",";
  return chosen;
}

}  // namespace

int main() {
  std::thread(beat_for_ever).detach();
  static char words[] = "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a";
  const char* word = std::strtok(words, separator());
  while (word != nullptr) word = std::strtok(nullptr, separator());
}
