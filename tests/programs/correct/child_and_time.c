// Virtual time does not run ahead of a child process that a thread waits for: a time limit of some seconds is not over
// before the child, which takes a fraction of one, has ended. Each execution takes as long as the child.
// heddle: clean
// heddle-runs: 8
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int has_ended;
static atomic_int flag;

static pid_t start(const char* command) {
  char* const arguments[] = {"sh", "-c", (char*)command, NULL};
  pid_t child;
  assert(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
  return child;
}

static void* await_child(void* child) {
  int status;
  assert(waitpid(*(pid_t*)child, &status, 0) == *(pid_t*)child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  pthread_mutex_lock(&mutex);
  has_ended = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  atomic_store(&flag, 1);
  return NULL;
}

static void wait_with_time_limit(void) {
  pid_t child = start("sleep 0.1");
  pthread_t waiter;
  pthread_create(&waiter, NULL, await_child, &child);
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 3;
  pthread_mutex_lock(&mutex);
  while (!has_ended) assert(pthread_cond_timedwait(&changed, &mutex, &limit) == 0);
  pthread_mutex_unlock(&mutex);
  pthread_join(waiter, NULL);
}

static void look_from_time_to_time(void) {
  atomic_store(&flag, 0);
  pid_t child = start("sleep 0.1");
  pthread_t waiter;
  pthread_create(&waiter, NULL, await_child, &child);
  int rounds = 0;
  // The thread may be slow to start, or to say that the child has ended.
  while (atomic_load(&flag) == 0 && rounds < 2000) {
    usleep(10000);
    ++rounds;
  }
  assert(rounds < 2000);
  pthread_join(waiter, NULL);
}

static void read_with_time_limit(void) {
  int ends[2];
  assert(pipe(ends) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  char* const arguments[] = {"sh", "-c", "sleep 0.1; echo done", NULL};
  pid_t child;
  assert(posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  struct pollfd asked = {.fd = ends[0], .events = POLLIN};
  assert(poll(&asked, 1, 3000) == 1);
  char text[8];
  assert(read(ends[0], text, sizeof text) == 5);
  close(ends[0]);
  assert(waitpid(child, NULL, 0) == child);
}

int main(void) {
  wait_with_time_limit();
  look_from_time_to_time();
  read_with_time_limit();
  return 0;
}
