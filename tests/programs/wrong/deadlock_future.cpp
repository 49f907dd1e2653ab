// Two futures, each fulfilled by the thread that waits for the other.
// heddle: finds deadlock
#include <future>
#include <thread>

int main() {
  std::promise<int> one, two;
  std::thread first([&] { one.set_value(two.get_future().get()); });
  std::thread second([&] { two.set_value(one.get_future().get()); });
  first.join();
  second.join();
}
