// Two buffers take turns. Which one is in front is stored without a release.
#include "threads.h"

static struct frame { int pixels[3]; } frames[3];
static atomic_int front;
static int sum;

static void* draw(void* unused) {
  for (int i = 1; i < 3; i++) {
    for (int j = 0; j < 3; j++) frames[i].pixels[j] = i * j;
    atomic_store_explicit(&front, i, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* show(void* unused) {
  for (int i = 0; i < 2; i++) sum += frames[atomic_load_explicit(&front, memory_order_acquire)].pixels[2];
  return unused;
}
int main(void) { RUN(draw, show); }
