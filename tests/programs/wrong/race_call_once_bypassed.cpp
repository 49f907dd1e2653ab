// One of the users of a call_once object relies on another one having called it.
// heddle: finds race
// heddle-mentions: table
#include <mutex>
#include <thread>

static std::once_flag once;
static int table;

int main() {
  std::thread maker([] { std::call_once(once, [] { table = 5; }); });
  std::thread user([] {
    if (table == 5) std::this_thread::yield();
  });
  maker.join();
  user.join();
}
