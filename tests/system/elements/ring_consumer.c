// A ring of structs for one producer and one consumer. The consumer gives a slot back without a release.
#include "threads.h"

enum { size = 3, messages = 5 };
static struct message { long number, text[2]; } ring[size];
static atomic_uint head, tail;
static long sum;

static void* produce(void* unused) {
  for (unsigned i = 0; i < messages; i++) {
    while (i - atomic_load_explicit(&head, memory_order_acquire) == size) {
    }
    ring[i % size].number = i;
    ring[i % size].text[1] = i + 1;
    atomic_store_explicit(&tail, i + 1, memory_order_release);
  }
  return unused;
}
static void* consume(void* unused) {
  for (unsigned i = 0; i < messages; i++) {
    while (atomic_load_explicit(&tail, memory_order_acquire) == i) {
    }
    sum += ring[i % size].number + ring[i % size].text[1];
    atomic_store_explicit(&head, i + 1, memory_order_relaxed);  // needs release
  }
  return unused;
}
int main(void) { RUN(produce, consume); }
