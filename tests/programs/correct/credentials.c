// A program with threads sets its user and group to what they are. The C library would send a signal to each of its
// threads for that.
// heddle: clean
#define _GNU_SOURCE
#include <assert.h>
#include <grp.h>
#include <pthread.h>
#include <unistd.h>

static void* set_user(void* nothing) {
  assert(setuid(getuid()) == 0 && seteuid(getuid()) == 0 && setreuid(getuid(), getuid()) == 0);
  return nothing;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set_user, NULL);
  assert(setgid(getgid()) == 0 && setegid(getgid()) == 0 && setregid(getgid(), getgid()) == 0);
  assert(setresuid(getuid(), geteuid(), geteuid()) == 0 && setresgid(getgid(), getegid(), getegid()) == 0);
  gid_t groups[64];
  const int count = getgroups(64, groups);
  if (geteuid() == 0 && count >= 0) assert(setgroups((size_t)count, groups) == 0);
  pthread_join(thread, NULL);
  return 0;
}
