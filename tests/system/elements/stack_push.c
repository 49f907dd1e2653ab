// Nodes of an array are pushed on a stack without a release; another thread walks along the links.
#include "threads.h"

static struct node {
  int value;
  struct node* next;
} nodes[3];
static _Atomic(struct node*) top;
static int sum;

static void* push(void* unused) {
  for (int i = 0; i < 3; i++) {
    struct node* old = atomic_load_explicit(&top, memory_order_relaxed);
    nodes[i].value = i;
    do nodes[i].next = old;
    while (!atomic_compare_exchange_weak_explicit(&top, &old, &nodes[i], memory_order_relaxed,  // needs release
                                                  memory_order_relaxed));
  }
  return unused;
}
static void* walk(void* unused) {
  for (struct node* n = atomic_load_explicit(&top, memory_order_acquire); n != NULL; n = n->next) sum += n->value;
  return unused;
}
int main(void) { RUN(push, walk); }
