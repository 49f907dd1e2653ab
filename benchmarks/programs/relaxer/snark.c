// Snark, the non-blocking double-ended queue of Detlefs, Flood, Garthwaite, Martin, Shavit and Steele (Even better
// DCAS-based concurrent deques, 2000). If the link to a new node reaches memory before its content, other threads read
// a value or a link that is not there yet.
//
// The algorithm needs a compare-and-swap of two words, of which the first is always a hat: the pointer to one end of
// the queue. DCAS() below marks the hat, swaps the other word, and swaps the hat. A thread that loads a marked hat
// waits, so no thread sees one word changed and the other one not. DCAS() may fail without a reason; its callers then
// try again.
//
// heddle: finds assert|crash
// heddle-also: assert, crash
// heddle-options: -m pso -s pos --seed 1
#include <stdint.h>

#include "deque_harness.h"
#include "shared.h"

typedef uintptr_t Hat;  // a node, and a mark
enum { marked = 1 };

typedef struct Node {
  Hat left, right;  // nodes, without mark
  int value;
} Node;

static Hat left_hat, right_hat;
static Hat dummy;
static Node nodes[pools][most_nodes] = POOLS_OF({LEFTOVER, LEFTOVER, LEFTOVER});

static Node* node_of(Hat hat) { return (Node*)hat; }

#define LOAD_HAT(hat)               \
  __extension__({                   \
    Hat loaded;                     \
    do loaded = LOAD(hat);          \
    while ((loaded & marked) != 0); \
    loaded;                         \
  })

#define DCAS(hat, other, old_hat, old_other, new_hat, new_other) \
  __extension__({                                                \
    bool is_swapped = CAS(hat, (old_hat), (old_hat) | marked);   \
    if (is_swapped) {                                            \
      is_swapped = CAS(other, (old_other), (new_other));         \
      SWAP(hat, is_swapped ? (new_hat) : (old_hat));             \
    }                                                            \
    is_swapped;                                                  \
  })

static void initialise(void) {
  Node* node = TAKE_NODE(nodes);
  const Hat self = (Hat)node;
  STORE(node->left, self);
  STORE(node->right, self);
  STORE(node->value, nothing);
  dummy = self;
  STORE(left_hat, self);
  STORE(right_hat, self);
}

static void push_right(int value) {
  Node* node = TAKE_NODE(nodes);
  const Hat self = (Hat)node;
  STORE(node->right, dummy);
  STORE(node->value, value);
  for (;;) {
    const Hat right = LOAD_HAT(right_hat);
    LOAD_LOAD_FENCE();
    const Hat beyond = LOAD(node_of(right)->right);
    LOAD_LOAD_FENCE();
    if (beyond == right) {
      STORE(node->left, dummy);
      const Hat left = LOAD_HAT(left_hat);
      STORE_STORE_FENCE();
      if (DCAS(right_hat, left_hat, right, left, self, self)) return;
    } else {
      STORE(node->left, right);
      STORE_STORE_FENCE();
      if (DCAS(right_hat, node_of(right)->right, right, beyond, self, self)) return;
    }
  }
}

static void push_left(int value) {
  Node* node = TAKE_NODE(nodes);
  const Hat self = (Hat)node;
  STORE(node->left, dummy);
  STORE(node->value, value);
  for (;;) {
    const Hat left = LOAD_HAT(left_hat);
    LOAD_LOAD_FENCE();
    const Hat beyond = LOAD(node_of(left)->left);
    LOAD_LOAD_FENCE();
    if (beyond == left) {
      STORE(node->right, dummy);
      const Hat right = LOAD_HAT(right_hat);
      STORE_STORE_FENCE();
      if (DCAS(left_hat, right_hat, left, right, self, self)) return;
    } else {
      STORE(node->right, left);
      STORE_STORE_FENCE();
      if (DCAS(left_hat, node_of(left)->left, left, beyond, self, self)) return;
    }
  }
}

static int pop_right(void) {
  for (;;) {
    const Hat right = LOAD_HAT(right_hat);
    LOAD_LOAD_FENCE();
    const Hat left = LOAD_HAT(left_hat);
    LOAD_LOAD_FENCE();
    if (LOAD(node_of(right)->right) == right) return nothing;
    LOAD_LOAD_FENCE();
    STORE_STORE_FENCE();
    if (right == left) {
      if (DCAS(right_hat, left_hat, right, left, dummy, dummy)) return LOAD(node_of(right)->value);
    } else {
      const Hat next = LOAD(node_of(right)->left);
      LOAD_LOAD_FENCE();
      if (DCAS(right_hat, node_of(right)->left, right, next, next, right)) {
        const int value = LOAD(node_of(right)->value);
        STORE(node_of(right)->right, dummy);
        return value;
      }
    }
  }
}

static int pop_left(void) {
  for (;;) {
    const Hat left = LOAD_HAT(left_hat);
    LOAD_LOAD_FENCE();
    const Hat right = LOAD_HAT(right_hat);
    LOAD_LOAD_FENCE();
    if (LOAD(node_of(left)->left) == left) return nothing;
    LOAD_LOAD_FENCE();
    STORE_STORE_FENCE();
    if (left == right) {
      if (DCAS(left_hat, right_hat, left, right, dummy, dummy)) return LOAD(node_of(left)->value);
    } else {
      const Hat next = LOAD(node_of(left)->right);
      LOAD_LOAD_FENCE();
      if (DCAS(left_hat, node_of(left)->right, left, next, next, left)) {
        const int value = LOAD(node_of(left)->value);
        STORE(node_of(left)->left, dummy);
        return value;
      }
    }
  }
}
