// Containers, strings, algorithms and function objects, each thread with its own and all with one under a mutex.
// heddle: clean
#include <algorithm>
#include <cassert>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::mutex mutex;
static std::map<std::string, std::vector<int>> shared;

static void work(int me) {
  std::vector<int> numbers(20);
  std::iota(numbers.begin(), numbers.end(), me);
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  std::unordered_map<int, std::string> names;
  std::set<std::string> sorted;
  std::deque<int> queue;
  for (int number : numbers) {
    names[number] = "number " + std::to_string(number) + " with a long tail so that it is on the heap";
    sorted.insert(names[number]);
    queue.push_front(number);
  }
  assert(names.size() == 20 && sorted.size() == 20 && queue.front() == me);
  std::function<int(int)> twice = [me](int value) { return 2 * value + me; };
  std::lock_guard guard(mutex);
  shared["thread " + std::to_string(me)].push_back(twice(me));
  shared["all"].push_back(me);
}

int main() {
  std::thread a(work, 1), b(work, 2);
  a.join();
  b.join();
  assert(shared.size() == 3 && shared["all"].size() == 2 && shared["thread 2"].front() == 6);
}
