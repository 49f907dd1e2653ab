// The lazy list-based set of Heller, Herlihy, Luchangco, Moir, Scherer and Shavit (2005): a sorted list in which insert
// and erase lock two nodes, and contains locks none. If the link to a new node reaches memory before its content, other
// threads read a key or a link that is not there yet.
// heddle: finds assert|crash
// heddle-also: assert, crash
// heddle-options: -m pso -s pos --seed 1
#include "set_harness.h"
#include "shared.h"

typedef struct Node {
  int key;
  int marked;  // erased; the node may still be in the list
  struct Node* next;
  SpinLock lock;
} Node;

static Node* head;
static Node nodes[pools][most_nodes] = POOLS_OF({LEFTOVER, LEFTOVER, (Node*)LEFTOVER, LEFTOVER});

static Node* make_node(int key, Node* next) {
  Node* node = TAKE_NODE(nodes);
  STORE(node->key, key);
  STORE(node->marked, 0);
  STORE(node->next, next);
  STORE(node->lock, 0);
  return node;
}

static void initialise(void) { STORE(head, make_node(INT_MIN, make_node(INT_MAX, NULL))); }

typedef struct {
  Node* before;
  Node* at;  // the first node whose key is not less
} Place;

static Place find(int key) {
  Place place;
  place.before = LOAD(head);
  LOAD_LOAD_FENCE();
  place.at = LOAD(place.before->next);
  LOAD_LOAD_FENCE();
  while (LOAD(place.at->key) < key) {
    place.before = place.at;
    place.at = LOAD(place.at->next);
    LOAD_LOAD_FENCE();
  }
  return place;
}

// Finds the place and locks both nodes, which are then neighbours in the list.
static Place find_and_lock(int key) {
  for (;;) {
    const Place place = find(key);
    spin_lock(&place.before->lock);
    spin_lock(&place.at->lock);
    if (!LOAD(place.before->marked) && !LOAD(place.at->marked) && LOAD(place.before->next) == place.at) return place;
    spin_unlock(&place.at->lock);
    spin_unlock(&place.before->lock);
  }
}

static void unlock(Place place) {
  spin_unlock(&place.at->lock);
  spin_unlock(&place.before->lock);
}

static bool insert(int key) {
  const Place place = find_and_lock(key);
  const bool is_new = LOAD(place.at->key) != key;
  if (is_new) {
    Node* node = make_node(key, place.at);
    STORE_STORE_FENCE();
    STORE(place.before->next, node);
  }
  unlock(place);
  return is_new;
}

static bool erase(int key) {
  const Place place = find_and_lock(key);
  const bool is_there = LOAD(place.at->key) == key;
  if (is_there) {
    STORE(place.at->marked, 1);
    STORE_STORE_FENCE();
    STORE(place.before->next, LOAD(place.at->next));
  }
  unlock(place);
  return is_there;
}

static bool contains(int key) {
  Node* node = find(key).at;
  return LOAD(node->key) == key && !LOAD(node->marked);
}
