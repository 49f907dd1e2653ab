// Time passes for the program, not for the tester: an hour's sleep moves every clock by at least an hour.
// heddle: clean
#include <time.h>

#include <cassert>
#include <chrono>
#include <thread>

int main() {
  using namespace std::chrono;
  const auto steady = steady_clock::now();
  const auto wall = system_clock::now();
  const time_t seconds = time(nullptr);
  std::thread sleeper([] { std::this_thread::sleep_for(hours(1)); });
  std::this_thread::sleep_for(minutes(10));
  assert(steady_clock::now() - steady >= minutes(10));
  sleeper.join();
  assert(steady_clock::now() - steady >= hours(1));
  assert(system_clock::now() - wall >= hours(1));
  assert(time(nullptr) - seconds >= 3600);
}
