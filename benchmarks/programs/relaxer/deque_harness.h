// The paper's harness for double-ended queues: two threads, each of which pushes right, pushes left, pops right and
// pops left. The program defines the queue.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { nothing = -1 };  // the result of pop if the queue is empty
static void initialise(void);
static void push_right(int value);
static void push_left(int value);
static int pop_right(void);
static int pop_left(void);

enum { middle = 4 };
typedef struct {
  int values[2 * middle];
  int first, end;
} Content;

#include "operations.h"

enum { pushes_right, pushes_left, pops_right, pops_left };

static bool agrees(Content* content, const Operation* operation) {
  const bool is_empty = content->first == content->end;
  switch (operation->kind) {
    case pushes_right: content->values[content->end++] = operation->argument; return true;
    case pushes_left: content->values[--content->first] = operation->argument; return true;
    case pops_right: return operation->result == (is_empty ? nothing : content->values[--content->end]);
    default: return operation->result == (is_empty ? nothing : content->values[content->first++]);
  }
}

static void* push_and_pop(void* argument) {
  Record* record = argument;
  own_pool = 1 + (int)(record - records);
  const int value = 2 * own_pool;
  push_right(value);
  note(record, pushes_right, value, 0);
  push_left(value + 1);
  note(record, pushes_left, value + 1, 0);
  note(record, pops_right, 0, pop_right());
  note(record, pops_left, 0, pop_left());
  return NULL;
}

int main(void) {
  initialise();
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, push_and_pop, &records[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  note(&final_record, pops_right, 0, pop_right());
  const Content empty = {{0}, middle, middle};
  assert(is_explained(empty));
  return 0;
}
