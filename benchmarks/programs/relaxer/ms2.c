// The queue with two locks of Michael and Scott (1996), as in figure 10 of the paper. A thread that enqueues fills a
// node and then links it. A thread that dequeues holds another lock, so it may find the link in memory before the
// content of the node. Under pslo it may also read the link and then an older value of the content.
// heddle: finds assert|crash
// heddle-also: assert, crash
// heddle-options: -m pso -s pos --seed 1
#include "queue_harness.h"
#include "shared.h"

typedef struct Node {
  struct Node* next;
  int value;
} Node;

static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;
static Node* head;
static Node* tail;

static Node nodes[pools][most_nodes] = POOLS_OF({(Node*)LEFTOVER, LEFTOVER});

static void initialise(void) {
  Node* dummy = TAKE_NODE(nodes);
  STORE(dummy->next, NULL);
  STORE(head, dummy);
  STORE(tail, dummy);
}

static void enqueue(int value) {
  Node* node = TAKE_NODE(nodes);
  STORE(node->value, value);
  STORE(node->next, NULL);
  pthread_mutex_lock(&tail_lock);
  Node* last = LOAD(tail);
  STORE_STORE_FENCE();
  STORE(last->next, node);
  STORE(tail, node);
  pthread_mutex_unlock(&tail_lock);
}

static int dequeue(void) {
  pthread_mutex_lock(&head_lock);
  Node* first = LOAD(head);
  Node* next = LOAD(first->next);
  LOAD_LOAD_FENCE();
  if (next != NULL) {
    STORE(head, next);
    pthread_mutex_unlock(&head_lock);
    return LOAD(next->value);
  }
  pthread_mutex_unlock(&head_lock);
  return nothing;
}
