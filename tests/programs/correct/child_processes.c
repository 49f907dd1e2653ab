// heddle: clean
// heddle-runs: 30
// Other programs: fork and exec, vfork, system, popen, posix_spawn. While one thread waits for a child, others run.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static atomic_int worked;

static void* work(void* unused) {
  atomic_fetch_add(&worked, 1);
  return unused;
}

static void run_with_pipe(void) {
  int ends[2];
  assert(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    close(ends[0]);
    close(ends[1]);
    execl("/bin/echo", "echo", "hello", (char*)0);
    _exit(127);
  }
  assert(child > 0);
  close(ends[1]);
  char text[16] = "";
  size_t size = 0;
  ssize_t got;
  while ((got = read(ends[0], text + size, sizeof text - 1 - size)) > 0) size += (size_t)got;
  assert(got == 0 && strcmp(text, "hello\n") == 0);
  close(ends[0]);
  int status;
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert(waitpid(child, &status, 0) == -1 && errno == ECHILD);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  run_with_pipe();
  assert(WEXITSTATUS(system("exit 3")) == 3);

  FILE* stream = popen("echo 17", "r");
  int number = 0;
  assert(fscanf(stream, "%d", &number) == 1 && number == 17);
  assert(pclose(stream) == 0);

  pid_t child;
  char* const arguments[] = {"sh", "-c", "exit 5", 0};
  assert(posix_spawnp(&child, "sh", 0, 0, arguments, environ) == 0);
  int status;
  assert(wait(&status) == child && WEXITSTATUS(status) == 5);

  child = vfork();
  if (child == 0) {
    execve("/bin/true", (char*[]){"true", 0}, environ);
    _exit(127);
  }
  assert(waitpid(-1, &status, 0) == child && status == 0);
  child = fork();
  if (child == 0) {
    execlp("there-is-no-such-program", "x", (char*)0);
    _exit(9);
  }
  while (waitpid(child, &status, WNOHANG) == 0) usleep(1000);
  assert(WEXITSTATUS(status) == 9);
  pthread_join(thread, 0);
  assert(worked == 1);
  return 0;
}
