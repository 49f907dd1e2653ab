// The letter is announced without the mutex under which the reader tests for it. The list of letters has another mutex.
// heddle: finds deadlock
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class Mailbox {
 public:
  void put(int letter) {
    {
      std::lock_guard lock(letters_mutex_);
      letters_.push_back(letter);
    }
    full_.store(true);  // should be stored with mutex_ held
    filled_.notify_one();
  }

  int take() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return full_.load(); });
    full_.store(false);
    std::lock_guard letters_lock(letters_mutex_);
    const int letter = letters_.back();
    letters_.pop_back();
    return letter;
  }

 private:
  std::mutex mutex_;
  std::mutex letters_mutex_;
  std::condition_variable filled_;
  std::atomic<bool> full_{false};
  std::vector<int> letters_;
};

int main() {
  Mailbox mailbox;
  std::thread reader([&] { return mailbox.take() == 1 ? 0 : 1; });
  mailbox.put(1);
  reader.join();
}
