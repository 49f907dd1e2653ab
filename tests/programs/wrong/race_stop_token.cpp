// A thread continues to write after it was asked to stop, while the thread that asked already reads.
// heddle: finds race
// heddle-mentions: progress
#include <cstdio>
#include <stop_token>
#include <thread>

static int progress;

int main() {
  std::jthread worker([](std::stop_token token) {
    while (!token.stop_requested()) std::this_thread::yield();
    ++progress;
  });
  worker.request_stop();
  std::printf("%d\n", progress);
}
