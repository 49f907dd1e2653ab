// A node that a failed compare-exchange found is read without acquire.
#include <pthread.h>
#include <stdatomic.h>

struct node {
  struct node* next;
  int value;
};
static struct node nodes[2];
static _Atomic(struct node*) top;

static void* fill(void* unused) {
  nodes[0].value = 7;
  atomic_store_explicit(&top, &nodes[0], memory_order_release);
  return unused;
}
static void* replace(void* unused) {
  struct node* seen = 0;
  struct node* mine = &nodes[1];
  // clang-format off
  if (atomic_compare_exchange_strong_explicit(&top, &seen, mine, memory_order_acq_rel, memory_order_relaxed)) return unused;  // wrong
  // clang-format on
  return seen->value == 7 ? unused : nodes;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, fill, 0);
  pthread_create(&two, 0, replace, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
