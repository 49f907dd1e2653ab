// A parallel download that reports its end without a lock, in place of the paper's aget: two threads write a range of
// the file each, count what they have written, and set a flag at the end. The main thread looks at the flags only, as
// programs do that draw a progress bar, and uses what it finds. Under pso a flag reaches memory before the counter and
// the last bytes.
// heddle: finds assert
// heddle-options: -m pso -s pos --seed 1
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "shared.h"

enum { connections = 2, range_size = 4, attempts = 12, unwritten = -1 };
static const char file[connections * range_size + 1] = "shuttles";

typedef struct {
  int bytes[range_size];  // what has arrived
  int bytes_written;
  int is_finished;
} Range;
static Range ranges[connections] = {{{unwritten, unwritten, unwritten, unwritten}, 0, false},
                                    {{unwritten, unwritten, unwritten, unwritten}, 0, false}};

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int started;  // protected by log_lock

static void* download(void* argument) {
  const ptrdiff_t number = (Range*)argument - ranges;
  Range* range = argument;
  pthread_mutex_lock(&log_lock);
  ++started;
  pthread_mutex_unlock(&log_lock);
  for (int at = 0; at < range_size; ++at) STORE(range->bytes[at], file[number * range_size + at]);
  STORE(range->bytes_written, range_size);
  STORE_STORE_FENCE();
  STORE(range->is_finished, true);
  return NULL;
}

static void use(Range* range, const char* expected) {
  assert(LOAD(range->bytes_written) == range_size);
  for (int at = 0; at < range_size; ++at) assert(LOAD(range->bytes[at]) == expected[at]);
}

int main(void) {
  pthread_t threads[connections];
  bool is_used[connections] = {false, false};
  for (int i = 0; i < connections; ++i) pthread_create(&threads[i], NULL, download, &ranges[i]);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const int i = attempt % connections;
    const bool is_finished = LOAD(ranges[i].is_finished);
    LOAD_LOAD_FENCE();
    if (!is_finished || is_used[i]) continue;
    use(&ranges[i], file + i * range_size);
    is_used[i] = true;
  }
  for (int i = 0; i < connections; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < connections; ++i) use(&ranges[i], file + i * range_size);
  return 0;
}
