// Checks what concurrent operations on a data structure returned. The results are right if some order of the
// operations, each executed at once, gives them all. A harness defines a Content, which a model of the structure keeps,
// and
//   static bool agrees(Content* content, const Operation* operation)
// which executes the operation on the model and says whether it gives the recorded result.
#ifndef RELAXER_OPERATIONS_H
#define RELAXER_OPERATIONS_H

#include <stdbool.h>

enum { most_threads = 3, most_operations = 16 };

typedef struct {
  int kind, argument, result;
} Operation;

typedef struct {
  Operation operations[most_operations];
  int count;
} Record;

// Threads take nodes from pools of their own, so that addresses do not depend on the order of execution. Nodes do not
// come from malloc: for C++, it would be a race that a thread allocates a node and another one reads it without
// synchronisation.
enum { pools = most_threads + 1, most_nodes = 8 };
static __thread int own_pool, nodes_taken;
#define TAKE_NODE(pool) (&(pool)[own_pool][nodes_taken++])
// What the memory of a new node holds: a pointer to nowhere, and a number that no operation uses.
#define LEFTOVER 0x10
#define POOLS_OF(...)                                            \
  {                                                              \
    [0 ... pools - 1] = { [0 ... most_nodes - 1] = __VA_ARGS__ } \
  }

static Record records[most_threads];  // of the threads that run at the same time
static Record final_record;           // of main, when they have ended

static void note(Record* record, int kind, int argument, int result) {
  const Operation operation = {kind, argument, result};
  record->operations[record->count++] = operation;
}

static bool agrees(Content* content, const Operation* operation);

static bool is_explained_after(Content content, const int done[most_threads]) {
  bool all_done = true;
  for (int t = 0; t < most_threads; ++t) {
    if (done[t] == records[t].count) continue;
    all_done = false;
    Content next = content;
    if (!agrees(&next, &records[t].operations[done[t]])) continue;
    int now_done[most_threads];
    for (int i = 0; i < most_threads; ++i) now_done[i] = done[i] + (i == t);
    if (is_explained_after(next, now_done)) return true;
  }
  for (int i = 0; all_done && i < final_record.count; ++i) all_done = agrees(&content, &final_record.operations[i]);
  return all_done;
}

static bool is_explained(Content start) {
  const int none[most_threads] = {0};
  return is_explained_after(start, none);
}

#endif
