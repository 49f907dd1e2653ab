// N threads that need something initialised: one of them does it.
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

int main(int, char** argv) {
  std::once_flag flag;
  int initialised = 0;
  std::vector<std::thread> running;
  for (int i = 0; i < std::atoi(argv[1]); ++i)
    running.emplace_back([&] {
      std::call_once(flag, [&] { ++initialised; });
      assert(initialised == 1);
    });
  for (std::thread& thread : running) thread.join();
}
