// Sleeps in the kernel, where heddle does not see it, for half a second.
#include <assert.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  const struct timespec time = {0, 500000000};
  syscall(SYS_nanosleep, &time, NULL);
  assert(!"slow");
}
