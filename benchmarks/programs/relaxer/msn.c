// The non-blocking queue of Michael and Scott (Simple, fast, and practical non-blocking and blocking concurrent queue
// algorithms, 1996). A thread that enqueues fills a node and then links it. If the link reaches memory first, another
// thread dequeues from a node that is not filled.
// heddle: finds assert|crash
// heddle-also: assert, crash
// heddle-options: -m pso -s pos --seed 1
#include "queue_harness.h"
#include "shared.h"

typedef struct Node {
  struct Node* next;
  int value;
} Node;

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
  STORE_STORE_FENCE();
  for (;;) {
    Node* last = LOAD(tail);
    LOAD_LOAD_FENCE();
    Node* next = LOAD(last->next);
    LOAD_LOAD_FENCE();
    if (last != LOAD(tail)) continue;
    if (next != NULL) {
      STORE_STORE_FENCE();
      CAS(tail, last, next);
      continue;
    }
    if (CAS(last->next, NULL, node)) {
      STORE_STORE_FENCE();
      CAS(tail, last, node);
      return;
    }
  }
}

static int dequeue(void) {
  for (;;) {
    Node* first = LOAD(head);
    LOAD_LOAD_FENCE();
    Node* last = LOAD(tail);
    LOAD_LOAD_FENCE();
    Node* next = LOAD(first->next);
    LOAD_LOAD_FENCE();
    if (first != LOAD(head)) continue;
    if (next == NULL && first == last) return nothing;
    if (first == last) {
      STORE_STORE_FENCE();
      CAS(tail, last, next);
      continue;
    }
    const int value = LOAD(next->value);
    STORE_STORE_FENCE();
    if (CAS(head, first, next)) return value;
  }
}
