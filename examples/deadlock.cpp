// Two accounts, two transfers, two mutexes taken in opposite orders.
// Heddle says: deadlock, with the cycle: each thread waits for the mutex that the other holds.
// heddle: finds deadlock
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
};

static void transfer(Account& from, Account& to, int amount) {
  std::lock_guard first(from.mutex);
  std::lock_guard second(to.mutex);  // std::scoped_lock of both at once would be right
  from.balance -= amount;
  to.balance += amount;
}

static Account alice, bob;

int main() {
  std::thread there([] { transfer(alice, bob, 10); });
  std::thread back([] { transfer(bob, alice, 5); });
  there.join();
  back.join();
}
