// Makes a child process.
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status;
  waitpid(child, &status, 0);
  return 0;
}
