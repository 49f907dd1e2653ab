// A reference count done right: the last owner sees everything the others did before it deletes the object.
// Heddle says: nothing, in any execution.
// heddle: clean
#include <atomic>
#include <thread>

struct Message {
  std::atomic<int> owners{2};
  int reads = 0;

  void release() {
    if (owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
};

int main() {
  auto* message = new Message;
  std::thread other([message] { message->release(); });
  message->reads++;
  message->release();
  other.join();
}
