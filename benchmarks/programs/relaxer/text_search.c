// A parallel text search, in place of the paper's pfscan: main walks a tree of folders and puts the files into a
// bounded queue; workers take files, search them, and add what they find to a list. Locks protect everything that
// threads share, so there is no cycle to predict.
// heddle: clean
// heddle-runs: 300
// heddle-options: -m pso
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// ---- the files -------------------------------------------------------------------------------------------------

typedef struct Entry {
  const char* name;
  const char* text;              // NULL: a folder
  const struct Entry* children;  // ends with an entry without name
} Entry;

static const Entry letters[] = {
    {"monday", "the weaver lifts the heddle and throws the shuttle", NULL},
    {"tuesday", "nothing", NULL},
    {NULL, NULL, NULL},
};
static const Entry root_entries[] = {
    {"index", "heddle, shuttle, loom", NULL},
    {"letters", NULL, letters},
    {"notes", "a heddle has an eye; heddles hang in a frame", NULL},
    {NULL, NULL, NULL},
};

// ---- the queue -------------------------------------------------------------------------------------------------

enum { queue_size = 2, workers = 2 };
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t is_not_empty, is_not_full;
  const Entry* entries[queue_size];
  int first, count;
  bool is_closed;  // nothing will be added
} Queue;

static Queue queue = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL}, 0, 0, false};

static void put(const Entry* entry) {
  pthread_mutex_lock(&queue.lock);
  while (queue.count == queue_size) pthread_cond_wait(&queue.is_not_full, &queue.lock);
  queue.entries[(queue.first + queue.count) % queue_size] = entry;
  ++queue.count;
  pthread_cond_signal(&queue.is_not_empty);
  pthread_mutex_unlock(&queue.lock);
}

static void close_queue(void) {
  pthread_mutex_lock(&queue.lock);
  queue.is_closed = true;
  pthread_cond_broadcast(&queue.is_not_empty);
  pthread_mutex_unlock(&queue.lock);
}

// NULL: there are no more files.
static const Entry* take(void) {
  const Entry* entry = NULL;
  pthread_mutex_lock(&queue.lock);
  while (queue.count == 0 && !queue.is_closed) pthread_cond_wait(&queue.is_not_empty, &queue.lock);
  if (queue.count != 0) {
    entry = queue.entries[queue.first];
    queue.first = (queue.first + 1) % queue_size;
    --queue.count;
    pthread_cond_signal(&queue.is_not_full);
  }
  pthread_mutex_unlock(&queue.lock);
  return entry;
}

static void walk(const Entry* entries) {
  for (const Entry* entry = entries; entry->name != NULL; ++entry) {
    if (entry->text != NULL)
      put(entry);
    else
      walk(entry->children);
  }
}

// ---- the search ------------------------------------------------------------------------------------------------

enum { alphabet = 256, most_matches = 16 };
typedef struct {
  const char* pattern;
  size_t length;
  size_t skip[alphabet];  // how far the pattern may move if a character stands below its end
} Pattern;

typedef struct {
  const Entry* file;
  size_t offset;
} Match;

static Pattern pattern;  // main makes it before the workers start
static pthread_mutex_t matches_lock = PTHREAD_MUTEX_INITIALIZER;
static Match matches[most_matches];
static int match_count, files_searched;

static void prepare(Pattern* prepared, const char* text) {
  prepared->pattern = text;
  prepared->length = strlen(text);
  for (int i = 0; i < alphabet; ++i) prepared->skip[i] = prepared->length;
  for (size_t i = 0; i + 1 < prepared->length; ++i) prepared->skip[(unsigned char)text[i]] = prepared->length - 1 - i;
}

// Horspool's search. Returns the offset of the first match from `start` on, or the length of the text.
static size_t find_from(const Pattern* wanted, const char* text, size_t start) {
  const size_t end = strlen(text);
  while (start + wanted->length <= end) {
    if (strncmp(text + start, wanted->pattern, wanted->length) == 0) return start;
    start += wanted->skip[(unsigned char)text[start + wanted->length - 1]];
  }
  return end;
}

static void search(const Entry* file) {
  Match found[most_matches];
  int count = 0;
  const size_t end = strlen(file->text);
  for (size_t at = find_from(&pattern, file->text, 0); at != end; at = find_from(&pattern, file->text, at + 1)) {
    found[count].file = file;
    found[count++].offset = at;
  }
  pthread_mutex_lock(&matches_lock);
  for (int i = 0; i < count; ++i) matches[match_count++] = found[i];
  ++files_searched;
  pthread_mutex_unlock(&matches_lock);
}

static void* work(void* unused) {
  for (const Entry* file = take(); file != NULL; file = take()) search(file);
  return unused;
}

int main(void) {
  prepare(&pattern, "heddle");
  pthread_t threads[workers];
  for (int i = 0; i < workers; ++i) pthread_create(&threads[i], NULL, work, NULL);
  walk(root_entries);
  close_queue();
  for (int i = 0; i < workers; ++i) pthread_join(threads[i], NULL);
  assert(files_searched == 4);
  assert(match_count == 4);
  for (int i = 0; i < match_count; ++i) assert(strncmp(matches[i].file->text + matches[i].offset, "heddle", 6) == 0);
  return 0;
}
