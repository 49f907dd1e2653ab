// A relaxed reference count: nothing tells the last owner that the others have finished with the object.
// Heddle says: a data race between a use of the object and its deletion.
// heddle: finds race
#include <atomic>
#include <thread>

struct Message {
  std::atomic<int> owners{2};
  int reads = 0;

  void release() {
    if (owners.fetch_sub(1, std::memory_order_relaxed) == 1) delete this;  // should be acq_rel
  }
};

int main() {
  auto* message = new Message;
  std::thread other([message] { message->release(); });
  message->reads++;
  message->release();
  other.join();
}
