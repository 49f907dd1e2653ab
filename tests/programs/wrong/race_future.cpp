// The data that a future announces is read before the future is waited for.
// heddle: finds race
// heddle-mentions: answer
#include <cstdio>
#include <future>

static int answer;

int main() {
  std::future<void> done = std::async(std::launch::async, [] { answer = 42; });
  const int early = answer;
  done.get();
  std::printf("%d\n", early);
}
