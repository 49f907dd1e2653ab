// A stack whose reader does not acquire the node.
#include <pthread.h>
#include <stdatomic.h>

struct node {
  struct node* next;
  int value;
};
static struct node nodes[3];
static _Atomic(struct node*) top;

static void push(struct node* node) {
  struct node* seen = atomic_load_explicit(&top, memory_order_relaxed);
  do {
    node->next = seen;
  } while (!atomic_compare_exchange_weak_explicit(&top, &seen, node, memory_order_release, memory_order_relaxed));
}
static void* fill(void* unused) {
  for (int i = 0; i < 3; ++i) {
    nodes[i].value = i + 1;
    push(&nodes[i]);
  }
  return unused;
}
static void* look(void* unused) {
  int sum = 0;
  for (struct node* node = atomic_load_explicit(&top, memory_order_relaxed); node; node = node->next)  // wrong
    sum += node->value;
  return sum > 6 ? nodes : unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, fill, 0);
  pthread_create(&two, 0, look, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
