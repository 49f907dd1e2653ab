// pthread_attr_setstack has no effect: every thread runs on a stack of heddle's. pthread_getattr_np tells which.
// heddle: finds assert
// heddle-mentions: is_inside(&local, given, given_size)
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static void* given;
static const size_t given_size = 256 * 1024;

static int is_inside(const void* address, const void* begin, size_t size) {
  return (const char*)address >= (const char*)begin && (const char*)address < (const char*)begin + size;
}

static void* work(void* unused) {
  char local = 1;
  pthread_attr_t attributes;
  void* stack;
  size_t size;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack, &size);
  pthread_attr_destroy(&attributes);
  assert(is_inside(&local, stack, size));
  assert(is_inside(&local, given, given_size));
  return unused;
}

int main(void) {
  given = mmap(NULL, given_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstack(&attributes, given, given_size) == 0);
  pthread_t thread;
  assert(pthread_create(&thread, &attributes, work, NULL) == 0);
  pthread_join(thread, NULL);
  munmap(given, given_size);
  return 0;
}
