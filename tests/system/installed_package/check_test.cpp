#include <atomic>
#include <heddle/heddle.hpp>
#include <thread>

int main() {
  const auto result = heddle::check([] {
    std::atomic<int> hits{0};
    std::thread other([&] { ++hits; });
    other.join();
  });
  return result.passed() ? 0 : 1;
}
