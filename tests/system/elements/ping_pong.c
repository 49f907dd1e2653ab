// Two threads pass a struct to and fro. The answer is stored without a release.
#include "threads.h"

enum { rounds = 3 };
static struct ball {
  int hits;
  long where[3];
} ball;
static atomic_int turn;

static void* ping(void* unused) {
  for (int i = 0; i < rounds; i++) {
    while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i) {
    }
    ball.where[i % 3] = i;
    atomic_store_explicit(&turn, 2 * i + 1, memory_order_release);
  }
  return unused;
}
static void* pong(void* unused) {
  for (int i = 0; i < rounds; i++) {
    while (atomic_load_explicit(&turn, memory_order_acquire) != 2 * i + 1) {
    }
    for (int j = 0; j < 3; j++) ball.hits += (int)ball.where[j];
    atomic_store_explicit(&turn, 2 * i + 2, memory_order_relaxed);  // needs release
  }
  return unused;
}
int main(void) { RUN(ping, pong); }
