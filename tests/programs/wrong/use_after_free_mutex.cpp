// A thread deletes an object while another one is about to lock the mutex in it.
// heddle: finds use-after-free|race
// heddle-also: race, use-after-free
// heddle-levels: -O0 -O2
// heddle-mentions: use as a synchronisation object
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 0;
};

int main() {
  auto* account = new Account;
  std::thread teller([account] { const std::lock_guard lock(account->mutex); });
  delete account;
  teller.join();
}
