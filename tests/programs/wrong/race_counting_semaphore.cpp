// A counting semaphore with two permits guards one object.
// heddle: finds race
// heddle-mentions: object
#include <cstdio>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> permits{2};
static int object;

static void work() {
  permits.acquire();
  ++object;
  permits.release();
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
  std::printf("%d\n", object);
}
