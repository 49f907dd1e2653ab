// Figure 10 of Burnim, Sen and Stergiou (ISSTA 2011): a queue with two locks. With SS_FENCE, it has the fence between
// stores that the paper asks for, and PSLO still reads the data of a node as it was before the enqueue.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { NOT_FOUND = -1, GARBAGE = -2 };
struct node {
  _Atomic(struct node*) next;
  atomic_int data;
};
static struct queue {
  pthread_mutex_t H, T;
  struct node *hd, *tl;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, NULL, NULL};

// What memory holds before it is initialised.
static struct node garbage = {NULL, GARBAGE};
static struct node memory[3] = {{NULL, GARBAGE}, {&garbage, GARBAGE}, {&garbage, GARBAGE}};

static void enqueue(struct queue* Q, struct node* n, int data) {
  atomic_store_explicit(&n->data, data, memory_order_relaxed);
  atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
  pthread_mutex_lock(&Q->T);
#ifdef SS_FENCE
  atomic_thread_fence(memory_order_release);
#endif
  atomic_store_explicit(&Q->tl->next, n, memory_order_relaxed);
  Q->tl = n;
  pthread_mutex_unlock(&Q->T);
}

static int dequeue(struct queue* Q) {
  pthread_mutex_lock(&Q->H);
  struct node* n = Q->hd;
  struct node* nhd = atomic_load_explicit(&n->next, memory_order_relaxed);
  if (nhd) {
    Q->hd = nhd;
    pthread_mutex_unlock(&Q->H);
    return atomic_load_explicit(&nhd->data, memory_order_relaxed);
  }
  pthread_mutex_unlock(&Q->H);
  return NOT_FOUND;
}

static void* producer(void* unused) {
  enqueue(&queue, &memory[1], 10);
  enqueue(&queue, &memory[2], 11);
  return unused;
}

static void* consumer(void* unused) {
  for (int expected = 10; expected < 12;) {
    const int data = dequeue(&queue);
    if (data == NOT_FOUND) break;
    assert(data == expected++);
  }
  return unused;
}

int main(void) {
  queue.hd = queue.tl = &memory[0];
  pthread_t a, b;
  pthread_create(&a, 0, producer, 0);
  pthread_create(&b, 0, consumer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
