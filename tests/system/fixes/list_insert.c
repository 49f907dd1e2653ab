// A node is linked into a list by a relaxed store.
#include <pthread.h>
#include <stdatomic.h>

struct node {
  _Atomic(struct node*) next;
  int value;
};
static struct node first, second;

static void* insert(void* unused) {
  second.value = 9;
  atomic_store_explicit(&first.next, &second, memory_order_relaxed);  // wrong
  return unused;
}
static void* search(void* unused) {
  for (struct node* at = &first; at; at = atomic_load_explicit(&at->next, memory_order_acquire))
    if (at->value == 8) return at;
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, insert, 0);
  pthread_create(&two, 0, search, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
