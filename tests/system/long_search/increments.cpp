// One thread makes many events: N increments, and N critical sections.
#include <atomic>
#include <cstdlib>
#include <mutex>

int main(int, char** arguments) {
  const long count = std::atol(arguments[1]);
  std::atomic<long> sum{0};
  std::mutex mutex;
  long guarded = 0;
  for (long i = 0; i < count; ++i) sum.fetch_add(1);
  for (long i = 0; i < count; ++i) {
    const std::lock_guard<std::mutex> guard(mutex);
    ++guarded;
  }
  return sum.load() == count && guarded == count ? 0 : 1;
}
