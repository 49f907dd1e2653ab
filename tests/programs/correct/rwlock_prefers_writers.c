// A lock of the kind PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP is not shared while a writer waits; readers that came
// before go on, and a writer that gives up lets readers in. Locks of the other kinds may be shared twice by a thread.
// heddle: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t lock, other = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void* writer(void* unused) {
  pthread_rwlock_wrlock(&lock);
  ++value;
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_wrlock(&other);
  pthread_rwlock_unlock(&other);
  return unused;
}

static void* reader(void* unused) {
  pthread_rwlock_rdlock(&lock);
  const int seen = value;
  usleep(10);
  assert(value == seen);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_rdlock(&other);
  usleep(10);
  pthread_rwlock_rdlock(&other);
  pthread_rwlock_unlock(&other);
  pthread_rwlock_unlock(&other);
  return unused;
}

static void* impatient(void* unused) {
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec += 1;
  assert(pthread_rwlock_timedwrlock(&lock, &soon) == ETIMEDOUT);
  assert(pthread_rwlock_tryrdlock(&lock) == 0);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &attributes);
  pthread_rwlockattr_destroy(&attributes);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, writer, NULL);
  pthread_create(&threads[1], NULL, reader, NULL);
  pthread_create(&threads[2], NULL, reader, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(value == 1);

  pthread_rwlock_rdlock(&lock);
  pthread_create(&threads[0], NULL, impatient, NULL);
  pthread_join(threads[0], NULL);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_destroy(&lock);
  return 0;
}
