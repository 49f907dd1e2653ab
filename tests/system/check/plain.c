// heddle_check in C.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "heddle/heddle.h"

struct Shared {
  atomic_int turn;
  int plain;
};

static void* add(void* data) {
  struct Shared* shared = data;
  ++shared->plain;
  atomic_store_explicit(&shared->turn, 1, memory_order_relaxed);
  return NULL;
}

static void hand_over(void* data) {
  struct Shared* shared = data;
  pthread_t thread;
  pthread_create(&thread, NULL, add, shared);
  if (atomic_load_explicit(&shared->turn, memory_order_acquire) == 1) ++shared->plain;
  pthread_join(thread, NULL);
}

static void nothing(void* unused) { (void)unused; }

int main(void) {
  struct Shared shared = {0};
  heddle_result fine = heddle_check(NULL, nothing, NULL);
  assert(fine.status == heddle_passed && fine.executions >= 17 && fine.search_finished && fine.finding_count == 0);
  heddle_free_result(&fine);

  heddle_options options = {.name = "hand over", .strategy = "pctwm", .seed = 5, .executions = 2000};
  heddle_result result = heddle_check(&options, hand_over, &shared);
  assert(result.status == heddle_bug_found && result.finding_count >= 1);
  assert(strcmp(result.findings[0].kind, "race") == 0);
  assert(strncmp(result.findings[0].strategy, "pctwm:d=", 8) == 0);
  assert(shared.plain == 0 && shared.turn == 0);
  printf("%s", result.report);
  heddle_free_result(&result);
  puts("done");
  return 0;
}
