// heddle: clean
// heddle-runs: 100
// heddle-options: --isolation reset
// inotify: a thread waits until another one creates a file.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

static int watcher;
static char folder[] = "/tmp/heddle_watched_XXXXXX";

static void* wait_for_file(void* unused) {
  (void)unused;
  _Alignas(struct inotify_event) char buffer[512];
  assert(read(watcher, buffer, sizeof buffer) > 0);
  return 0;
}

int main(void) {
  assert(mkdtemp(folder) != 0);
  watcher = inotify_init1(IN_CLOEXEC);
  assert(inotify_add_watch(watcher, folder, IN_CREATE) >= 0);
  pthread_t thread;
  pthread_create(&thread, 0, wait_for_file, 0);
  char path[64];
  snprintf(path, sizeof path, "%s/file", folder);
  const int file = open(path, O_CREAT | O_WRONLY, 0600);
  assert(file >= 0);
  pthread_join(thread, 0);
  close(file);
  unlink(path);
  rmdir(folder);
  return 0;
}
