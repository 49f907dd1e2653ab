// The non-blocking set of Harris (A pragmatic implementation of non-blocking linked-lists, 2001): a sorted list in
// which a set lowest bit in a node's link says that the node is erased. If the link to a new node reaches memory before
// its content, other threads read a key or a link that is not there yet.
// heddle: finds assert|crash
// heddle-also: assert, crash
// heddle-options: -m pso -s pos --seed 1
#include <stdint.h>

#include "set_harness.h"
#include "shared.h"

typedef uintptr_t Link;  // a node, and whether the node that holds the link is erased
enum { erased = 1 };

typedef struct {
  int key;
  Link next;
} Node;

static Link head;
static Node nodes[pools][most_nodes] = POOLS_OF({LEFTOVER, LEFTOVER});

static Node* node_of(Link link) { return (Node*)(link & ~(Link)erased); }

static Link make_node(int key, Link next) {
  Node* node = TAKE_NODE(nodes);
  STORE(node->key, key);
  STORE(node->next, next);
  return (Link)node;
}

static void initialise(void) { STORE(head, make_node(INT_MIN, make_node(INT_MAX, 0))); }

typedef struct {
  Link before;
  Link at;  // the first node that is not erased and whose key is not less
} Place;

// Unlinks the erased nodes between the two.
static Place find(int key) {
  for (;;) {
    Place place;
    place.before = LOAD(head);
    LOAD_LOAD_FENCE();
    Link after_before = LOAD(node_of(place.before)->next);
    LOAD_LOAD_FENCE();
    place.at = after_before;
    for (;;) {
      const Link next = LOAD(node_of(place.at)->next);
      LOAD_LOAD_FENCE();
      if ((next & erased) == 0) {
        if (LOAD(node_of(place.at)->key) >= key) break;
        place.before = place.at;
        after_before = next;
      }
      place.at = next & ~(Link)erased;
    }
    STORE_STORE_FENCE();
    if (after_before != place.at && !CAS(node_of(place.before)->next, after_before, place.at)) continue;
    if ((LOAD(node_of(place.at)->next) & erased) == 0) return place;
  }
}

static bool insert(int key) {
  const Link node = make_node(key, 0);
  for (;;) {
    const Place place = find(key);
    if (LOAD(node_of(place.at)->key) == key) return false;
    STORE(node_of(node)->next, place.at);
    STORE_STORE_FENCE();
    if (CAS(node_of(place.before)->next, place.at, node)) return true;
  }
}

static bool erase(int key) {
  for (;;) {
    const Place place = find(key);
    if (LOAD(node_of(place.at)->key) != key) return false;
    const Link next = LOAD(node_of(place.at)->next);
    LOAD_LOAD_FENCE();
    if ((next & erased) != 0) continue;
    STORE_STORE_FENCE();
    if (!CAS(node_of(place.at)->next, next, next | erased)) continue;
    if (!CAS(node_of(place.before)->next, place.at, next)) find(key);
    return true;
  }
}

static bool contains(int key) { return LOAD(node_of(find(key).at)->key) == key; }
