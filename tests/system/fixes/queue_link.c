// Many producers, one consumer: a node is linked behind its predecessor by a relaxed store.
#include <pthread.h>
#include <stdatomic.h>

struct node {
  _Atomic(struct node*) next;
  int value;
};
static struct node first, nodes[2];
static _Atomic(struct node*) last = &first;

static void* append(void* at) {
  struct node* node = at;
  node->value = 4;
  struct node* before = atomic_exchange_explicit(&last, node, memory_order_acq_rel);
  atomic_store_explicit(&before->next, node, memory_order_relaxed);  // wrong
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, append, &nodes[0]);
  pthread_create(&two, 0, append, &nodes[1]);
  int sum = 0;
  struct node* node = &first;
  while ((node = atomic_load_explicit(&node->next, memory_order_acquire))) sum += node->value;
  pthread_join(one, 0);
  pthread_join(two, 0);
  return sum > 8;
}
