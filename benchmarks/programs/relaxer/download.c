// A parallel download whose threads share nothing without a lock, which transfer.c does: each connection is a pair of
// pipes to a thread of the server. Threads of the client ask for a range of the file each, write what arrives into the
// result, and report their progress. Locks protect what threads share, and pipes order the rest.
// heddle: clean
// heddle-runs: 300
// heddle-options: -m pso
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { connections = 2, chunk_size = 8 };
static const char file[] = "When the heddle lifts every second thread, the shuttle passes.";
enum { file_size = sizeof file - 1 };

typedef struct {
  size_t begin, end;
} Range;

typedef struct {
  int request[2], reply[2];  // pipes: to read from, to write to
  Range range;               // that the client asks for
} Connection;

static Connection connection[connections];

// ---- whole messages over a pipe --------------------------------------------------------------------------------

static void send_all(int to, const void* data, size_t size) {
  const char* bytes = data;
  while (size != 0) {
    const ssize_t sent = write(to, bytes, size);
    assert(sent > 0);
    bytes += sent;
    size -= (size_t)sent;
  }
}

// False: the other side has closed the pipe.
static bool receive_all(int from, void* data, size_t size) {
  char* bytes = data;
  while (size != 0) {
    const ssize_t received = read(from, bytes, size);
    assert(received >= 0);
    if (received == 0) return false;
    bytes += received;
    size -= (size_t)received;
  }
  return true;
}

// ---- the server ------------------------------------------------------------------------------------------------

static void* serve(void* argument) {
  const Connection* own = argument;
  Range range;
  if (receive_all(own->request[0], &range, sizeof range)) {
    for (size_t at = range.begin; at < range.end; at += chunk_size) {
      const size_t left = range.end - at;
      send_all(own->reply[1], file + at, left < chunk_size ? left : chunk_size);
    }
  }
  close(own->reply[1]);
  return NULL;
}

// ---- the client ------------------------------------------------------------------------------------------------

static pthread_mutex_t progress_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_progressed = PTHREAD_COND_INITIALIZER;
static size_t bytes_written;
static char result[file_size];

static void note_progress(size_t size) {
  pthread_mutex_lock(&progress_lock);
  bytes_written += size;
  pthread_cond_signal(&has_progressed);
  pthread_mutex_unlock(&progress_lock);
}

static void* download(void* argument) {
  const Connection* own = argument;
  send_all(own->request[1], &own->range, sizeof own->range);
  char chunk[chunk_size];
  size_t at = own->range.begin;
  for (;;) {
    const ssize_t size = read(own->reply[0], chunk, sizeof chunk);
    assert(size >= 0);
    if (size == 0) break;
    memcpy(result + at, chunk, (size_t)size);
    at += (size_t)size;
    note_progress((size_t)size);
  }
  assert(at == own->range.end);
  return NULL;
}

// Returns how often the progress bar was drawn.
static int watch_progress(void) {
  int drawn = 0;
  pthread_mutex_lock(&progress_lock);
  while (bytes_written != file_size) {
    pthread_cond_wait(&has_progressed, &progress_lock);
    ++drawn;
  }
  pthread_mutex_unlock(&progress_lock);
  return drawn;
}

int main(void) {
  pthread_t servers[connections], clients[connections];
  for (size_t i = 0; i < connections; ++i) {
    assert(pipe(connection[i].request) == 0 && pipe(connection[i].reply) == 0);
    connection[i].range.begin = file_size * i / connections;
    connection[i].range.end = file_size * (i + 1) / connections;
  }
  for (int i = 0; i < connections; ++i) pthread_create(&servers[i], NULL, serve, &connection[i]);
  for (int i = 0; i < connections; ++i) pthread_create(&clients[i], NULL, download, &connection[i]);
  assert(watch_progress() <= file_size);
  for (int i = 0; i < connections; ++i) {
    pthread_join(clients[i], NULL);
    pthread_join(servers[i], NULL);
    close(connection[i].request[0]);
    close(connection[i].request[1]);
    close(connection[i].reply[0]);
  }
  assert(memcmp(result, file, file_size) == 0);
  return 0;
}
