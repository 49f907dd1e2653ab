// The flag tells that the teller has left the mutex, but as it is relaxed, the delete is not ordered after that.
// heddle: finds race
// heddle-levels: -O0 -O2
// heddle-mentions: use as a synchronisation object
#include <atomic>
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  std::atomic<bool> done = false;
};

int main() {
  auto* account = new Account;
  std::atomic<bool> done = false;
  std::thread teller([&, account] {
    account->mutex.lock();
    account->mutex.unlock();
    done.store(true, std::memory_order_relaxed);
  });
  while (!done.load(std::memory_order_relaxed)) std::this_thread::yield();
  delete account;
  teller.join();
}
