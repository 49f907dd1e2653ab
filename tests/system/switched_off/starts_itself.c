// Starts itself in all ways, as a program that prints what it reads and has a thread.
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void* none(void* argument) { return argument; }

static int child(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, none, 0) != 0 || pthread_join(thread, 0) != 0) return 3;
  char line[64];
  if (fgets(line, sizeof line, stdin) == 0) return 4;
  fputs(line, stdout);
  return 7;
}

static int ended(pid_t id) {
  int status = 0;
  assert(waitpid(id, &status, 0) == id && WIFEXITED(status));
  return WEXITSTATUS(status);
}

int main(int argc, char** argv) {
  if (argc > 1) return child();
  char command[4096];
  char line[64] = "";
  snprintf(command, sizeof command, "echo hello | %s child", argv[0]);
  FILE* output = popen(command, "r");
  assert(fgets(line, sizeof line, output) != 0 && strcmp(line, "hello\n") == 0);
  assert(WEXITSTATUS(pclose(output)) == 7);

  snprintf(command, sizeof command, "echo hello | %s child > /dev/null", argv[0]);
  assert(WEXITSTATUS(system(command)) == 7);

  // Without standard input, the child ends with 4.
  char* const arguments[] = {argv[0], "child", 0};
  char* const no_environment[] = {0};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
  pid_t id;
  assert(posix_spawn(&id, argv[0], &actions, 0, arguments, environ) == 0 && ended(id) == 4);
  if (getenv("HEDDLE_OFF") == 0)  // heddle adds the variable for the child
    assert(posix_spawn(&id, argv[0], &actions, 0, arguments, no_environment) == 0 && ended(id) == 4);
  posix_spawn_file_actions_destroy(&actions);
  id = fork();
  if (id == 0) {
    close(0);
    execv(argv[0], arguments);
    _exit(127);
  }
  assert(ended(id) == 4);
  return 0;
}
