// heddle: clean
// heddle-runs: 300
// heddle-levels: -O0 -O2
// A logger thread that a static constructor starts and a static destructor stops: constructors run in every execution,
// so the thread belongs to it. The constructor waits until the thread has begun.
#include <unistd.h>

#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace {

class Logger {
 public:
  Logger() : thread_([this] { run(); }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return running_; });
    assert(pipe(ends_) == 0);
  }
  ~Logger() {
    log("the end");
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
    assert(lines_ == logged_ && logged_ == 3);
  }
  void log(const std::string& line) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(line);
    ++logged_;
    changed_.notify_all();
  }
  int* ends() { return ends_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    running_ = true;
    changed_.notify_all();
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      queue_.pop_front();
      ++lines_;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  bool running_ = false, stopping_ = false;
  int lines_ = 0, logged_ = 0;
  int ends_[2] = {};
  std::thread thread_;
};

Logger logger;
int constructed = 41;
struct Count {
  Count() { ++constructed; }
} count;

}  // namespace

int main() {
  assert(constructed == 42);
  constructed = 0;
  std::thread other([] { logger.log("from a thread"); });
  logger.log("from main");
  other.join();
  assert(write(logger.ends()[1], "x", 1) == 1);  // left in the pipe: the next execution has a pipe of its own
}
