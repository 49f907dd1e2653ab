// A thread takes all nodes of a stack by an exchange that is no acquire.
#include "threads.h"

static struct node {
  int value;
  struct node* next;
} nodes[2][2];
static _Atomic(struct node*) top;
static int sum;

static void* push(void* argument) {
  for (int i = 0; i < 2; i++) {
    struct node *node = &nodes[(long)argument][i], *old = atomic_load_explicit(&top, memory_order_relaxed);
    node->value = i;
    do node->next = old;
    while (!atomic_compare_exchange_strong_explicit(&top, &old, node, memory_order_release, memory_order_relaxed));
  }
  return argument;
}
static void* take(void* argument) {
  struct node* n = atomic_exchange_explicit(&top, NULL, memory_order_relaxed);  // needs acquire
  for (; n != NULL; n = n->next) sum += n->value;
  return argument;
}
int main(void) { RUN(push, push, take); }
