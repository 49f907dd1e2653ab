// The paper's harness for sets: after 3 and 7 have been inserted, a thread inserts -1 and removes 2; another one
// removes 3, inserts 1 and looks for 7; a third one looks for 3 and inserts -5. The program defines the set.
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static void initialise(void);
static bool insert(int key);  // false: the key is there already
static bool erase(int key);   // false: the key is not there
static bool contains(int key);

enum { lowest_key = -5, highest_key = 7 };
typedef struct {
  bool has[highest_key - lowest_key + 1];
} Content;

#include "operations.h"

enum { inserts, erases, looks };

static bool agrees(Content* content, const Operation* operation) {
  bool* has = &content->has[operation->argument - lowest_key];
  const bool had = *has;
  if (operation->kind != looks) *has = operation->kind == inserts;
  return (bool)operation->result == (operation->kind == inserts ? !had : had);
}

static void do_insert(Record* record, int key) { note(record, inserts, key, insert(key)); }
static void do_erase(Record* record, int key) { note(record, erases, key, erase(key)); }
static void look(Record* record, int key) { note(record, looks, key, contains(key)); }

static void* first_thread(void* unused) {
  own_pool = 1;
  do_insert(&records[0], -1);
  do_erase(&records[0], 2);
  return unused;
}

static void* second_thread(void* unused) {
  own_pool = 2;
  do_erase(&records[1], 3);
  do_insert(&records[1], 1);
  look(&records[1], 7);
  return unused;
}

static void* third_thread(void* unused) {
  own_pool = 3;
  look(&records[2], 3);
  do_insert(&records[2], -5);
  return unused;
}

int main(void) {
  initialise();
  insert(3);
  insert(7);
  Content start = {{false}};
  start.has[3 - lowest_key] = start.has[7 - lowest_key] = true;
  void* (*const bodies[])(void*) = {first_thread, second_thread, third_thread};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, bodies[i], NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  for (int key = lowest_key; key <= highest_key; ++key) look(&final_record, key);
  assert(is_explained(start));
  return 0;
}
