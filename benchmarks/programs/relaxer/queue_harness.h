// The paper's harness for queues: a thread enqueues twice, dequeues twice and enqueues; another one dequeues twice,
// enqueues twice and dequeues. The program defines the queue.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { nothing = -1 };  // the result of dequeue() if the queue is empty
static void initialise(void);
static void enqueue(int value);
static int dequeue(void);

typedef struct {
  int values[8];
  int first, end;
} Content;

#include "operations.h"

enum { enqueues, dequeues };

static bool agrees(Content* content, const Operation* operation) {
  if (operation->kind == enqueues) {
    content->values[content->end++] = operation->argument;
    return true;
  }
  const int expected = content->first == content->end ? nothing : content->values[content->first++];
  return operation->result == expected;
}

static void do_enqueue(Record* record, int value) {
  enqueue(value);
  note(record, enqueues, value, 0);
}
static void do_dequeue(Record* record) { note(record, dequeues, 0, dequeue()); }

static void* first_thread(void* unused) {
  own_pool = 1;
  do_enqueue(&records[0], 1);
  do_enqueue(&records[0], 2);
  do_dequeue(&records[0]);
  do_dequeue(&records[0]);
  do_enqueue(&records[0], 3);
  return unused;
}

static void* second_thread(void* unused) {
  own_pool = 2;
  do_dequeue(&records[1]);
  do_dequeue(&records[1]);
  do_enqueue(&records[1], 4);
  do_enqueue(&records[1], 5);
  do_dequeue(&records[1]);
  return unused;
}

int main(void) {
  initialise();
  pthread_t first, second;
  pthread_create(&first, NULL, first_thread, NULL);
  pthread_create(&second, NULL, second_thread, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  for (int left = 0; left < 6; ++left) do_dequeue(&final_record);
  const Content empty = {{0}, 0, 0};
  assert(is_explained(empty));
  return 0;
}
