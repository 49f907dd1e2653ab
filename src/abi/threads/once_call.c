#include "abi/threads/once_call.h"

struct Cleanup {
  void (*on_unwind)(void*);
  void* data;
  int finished;
};

static void clean_up(struct Cleanup* cleanup) {
  if (!cleanup->finished) cleanup->on_unwind(cleanup->data);
}

void heddle_call_with_cleanup(void (*routine)(void*), void* argument, void (*on_unwind)(void*), void* data) {
  struct Cleanup cleanup __attribute__((cleanup(clean_up))) = {on_unwind, data, 0};
  routine(argument);
  cleanup.finished = 1;
}
