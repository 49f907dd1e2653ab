// std::weak_ptr: a thread locks it while others give up their references. The last owner destroys the object, after all
// uses of it; the last of all references frees the counts.
// heddle: clean
// heddle-runs: 500
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Object {
  int used[2] = {0, 0};
  ~Object() { destroyed.fetch_add(1, std::memory_order_relaxed); }
  static inline std::atomic<int> destroyed{0};
};

int main() {
  auto object = std::make_shared<Object>();
  std::weak_ptr<Object> weak = object;
  std::thread owner([mine = object] { mine->used[0] = 1; });
  std::thread other([weak] {
    if (const std::shared_ptr<Object> locked = weak.lock()) locked->used[1] = 1;
  });
  object.reset();
  weak.reset();
  owner.join();
  other.join();
  assert(Object::destroyed.load() == 1);
}
