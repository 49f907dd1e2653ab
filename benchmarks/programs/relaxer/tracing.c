// A library that traces threads, in place of the paper's ctrace: each thread has an entry with its depth of calls in a
// hash table; lines go into a buffer that is written out when it is full; a level decides what is traced. Locks protect
// everything that threads share, so there is no cycle to predict.
// heddle: clean
// heddle-runs: 300
// heddle-options: -m pso
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ---- the library -----------------------------------------------------------------------------------------------

enum { buckets = 4, most_threads = 4, most_lines = 6, line_size = 48, output_size = 2048 };
typedef enum { trace_off, trace_calls, trace_all } Level;

typedef struct Traced {
  pthread_t thread;
  const char* name;
  int depth;  // of calls that are traced
  struct Traced* next;
} Traced;

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static Traced entries[most_threads];
static int entry_count;
static Traced* table[buckets];

static pthread_rwlock_t level_lock = PTHREAD_RWLOCK_INITIALIZER;
static Level level = trace_off;

static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[most_lines][line_size];
static int line_count, lines_written;
static char output[output_size];

static unsigned bucket_of(pthread_t thread) { return (unsigned)((unsigned long)thread >> 4) % buckets; }

static void trace_register(const char* name) {
  pthread_mutex_lock(&table_lock);
  assert(entry_count < most_threads);
  Traced* own = &entries[entry_count++];
  own->thread = pthread_self();
  own->name = name;
  own->depth = 0;
  Traced** bucket = &table[bucket_of(own->thread)];
  own->next = *bucket;
  *bucket = own;
  pthread_mutex_unlock(&table_lock);
}

static Traced* find_own(void) {
  Traced* own = table[bucket_of(pthread_self())];
  while (own != NULL && !pthread_equal(own->thread, pthread_self())) own = own->next;
  assert(own != NULL);
  return own;
}

static void trace_unregister(void) {
  pthread_mutex_lock(&table_lock);
  Traced* own = find_own();
  assert(own->depth == 0);
  Traced** place = &table[bucket_of(own->thread)];
  while (*place != own) place = &(*place)->next;
  *place = own->next;
  pthread_mutex_unlock(&table_lock);
}

static void trace_set_level(Level wanted) {
  pthread_rwlock_wrlock(&level_lock);
  level = wanted;
  pthread_rwlock_unlock(&level_lock);
}

static bool is_traced(Level wanted) {
  pthread_rwlock_rdlock(&level_lock);
  const bool result = level >= wanted;
  pthread_rwlock_unlock(&level_lock);
  return result;
}

// The caller holds output_lock.
static void flush_lines(void) {
  for (int i = 0; i < line_count; ++i) {
    strncat(output, lines[i], output_size - strlen(output) - 1);
    ++lines_written;
  }
  line_count = 0;
}

static void trace_flush(void) {
  pthread_mutex_lock(&output_lock);
  flush_lines();
  pthread_mutex_unlock(&output_lock);
}

static void trace_line(const char* name, int depth, const char* what, const char* function) {
  pthread_mutex_lock(&output_lock);
  if (line_count == most_lines) flush_lines();
  snprintf(lines[line_count++], line_size, "%s %d %s %s\n", name, depth, what, function);
  pthread_mutex_unlock(&output_lock);
}

static void trace_enter(const char* function) {
  pthread_mutex_lock(&table_lock);
  Traced* own = find_own();
  const char* name = own->name;
  const int depth = own->depth++;
  pthread_mutex_unlock(&table_lock);
  if (is_traced(trace_calls)) trace_line(name, depth, "enters", function);
}

static void trace_leave(const char* function) {
  pthread_mutex_lock(&table_lock);
  Traced* own = find_own();
  const char* name = own->name;
  const int depth = --own->depth;
  pthread_mutex_unlock(&table_lock);
  if (is_traced(trace_all)) trace_line(name, depth, "leaves", function);
}

// ---- a program that uses it ------------------------------------------------------------------------------------

static int fibonacci(int n) {
  trace_enter("fibonacci");
  const int result = n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
  trace_leave("fibonacci");
  return result;
}

static void* compute(void* name) {
  trace_register(name);
  assert(fibonacci(2) == 1);
  trace_unregister();
  return NULL;
}

static int count_lines(const char* prefix) {
  int count = 0;
  for (const char* line = output; *line != '\0'; line = strchr(line, '\n') + 1)
    count += strncmp(line, prefix, strlen(prefix)) == 0;
  return count;
}

int main(void) {
  trace_set_level(trace_calls);
  pthread_t warp, weft;
  pthread_create(&warp, NULL, compute, "warp");
  pthread_create(&weft, NULL, compute, "weft");
  trace_set_level(trace_all);
  pthread_join(warp, NULL);
  pthread_join(weft, NULL);
  trace_flush();
  assert(count_lines("warp 0 enters") == 1 && count_lines("warp 1 enters") == 2);
  assert(count_lines("weft 0 enters") == 1 && count_lines("weft 1 enters") == 2);
  assert(lines_written >= 6 && lines_written <= 12);
  assert(count_lines("") == lines_written);
  return 0;
}
