// A reader-writer semaphore that hands itself over: the writer that leaves clears a field of each reader that waits. A
// reader that sees its field cleared enters, without having acquired what the writer did.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifdef MENDED
constexpr auto looked = std::memory_order_acquire;
#else
constexpr auto looked = std::memory_order_relaxed;
#endif

struct Waiter {
  std::atomic<bool> waits{true};
  Waiter* next = nullptr;
};

class Semaphore {
 public:
  void enter_to_read() {
    Waiter self;
    {
      const std::lock_guard<std::mutex> guard(wait_lock_);
      if (!is_written_) {
        ++readers_;
        return;
      }
      self.next = waiting_;
      waiting_ = &self;
    }
    while (self.waits.load(looked)) std::this_thread::yield();  // upstream fix: acquire
  }

  void leave_after_reading() {
    const std::lock_guard<std::mutex> guard(wait_lock_);
    --readers_;
  }

  /// The semaphore begins as a writer's.
  void leave_after_writing() {
    const std::lock_guard<std::mutex> guard(wait_lock_);
    is_written_ = false;
    while (waiting_ != nullptr) {
      Waiter* waiter = waiting_;
      waiting_ = waiter->next;
      ++readers_;
      waiter->waits.store(false, std::memory_order_release);
    }
  }

 private:
  std::mutex wait_lock_;
  Waiter* waiting_ = nullptr;
  int readers_ = 0;
  bool is_written_ = true;
};

static Semaphore semaphore;
static int line = 0;

static void read_line() {
  semaphore.enter_to_read();
  assert(line == 7);
  semaphore.leave_after_reading();
}

int main() {
  std::thread first(read_line), second(read_line);
  line = 7;
  semaphore.leave_after_writing();
  first.join();
  second.join();
}
