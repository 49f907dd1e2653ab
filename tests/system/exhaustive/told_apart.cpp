// Two equal threads, and a main that looks at what one of them did before it waits for the other.
#include <atomic>
#include <thread>

int main() {
  std::atomic<int> entered{0};
  const auto enter = [&] { entered.fetch_add(1); };
  std::thread first(enter), second(enter);
  first.join();
  const int seen = entered.load();
  second.join();
  return seen == 0;
}
