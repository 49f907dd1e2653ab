// Waits for ever in a system call that heddle does not control. The first argument says in which. The second one is the
// message queue or the set of semaphores of System V, which outlives the program.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

static void wait_for_message(int queue) {
  struct {
    long type;
    char text[8];
  } message;
  msgrcv(queue, &message, sizeof message.text, 0, 0);
}

static void wait_for_semaphore(int set) {
  struct sembuf take = {.sem_num = 0, .sem_op = -1};
  semop(set, &take, 1);
}

static void lock_file_twice(int by_flock) {
  char path[] = "/tmp/heddle-XXXXXX";
  const int files[] = {mkstemp(path), open(path, O_RDWR)};
  unlink(path);
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  for (int i = 0; i < 2; i++)
    if (by_flock)
      flock(files[i], LOCK_EX);
    else
      fcntl(files[i], F_OFD_SETLKW, &lock);
}

int main(int count, char** arguments) {
  assert(count == 3);
  const char* const call = arguments[1];
  if (strcmp(call, "msgrcv") == 0) wait_for_message(atoi(arguments[2]));
  if (strcmp(call, "semtimedop") == 0) wait_for_semaphore(atoi(arguments[2]));
  if (strcmp(call, "flock") == 0) lock_file_twice(1);
  if (strcmp(call, "fcntl") == 0) lock_file_twice(0);
  return 0;
}
