// Accesses that the instrumentation does not announce: CASE says which. The assertion fails in one of the orders, or
// two threads race, and heddle sees nothing of it.
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int shared, calls;
static char text[8];
struct pair {
  long a, b;
} both;

struct large {
  long numbers[9];
} large;
static long sum_of(struct large copy) { return copy.numbers[0] + copy.numbers[1] + calls; }
long (*sum)(struct large) = sum_of;  // which the compiler does not know

static void count_call(void) { __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); }

#if defined(CASE_assembly)
static int add(void) {
  int old = 1;
  __asm__ volatile("lock xaddl %0, %1" : "+r"(old), "+m"(shared)::"memory");
  return old;
}
static void first(void) { assert(add() == 0); }
static void second(void) { add(); }
#elif defined(CASE_exchange)
static int exchange(int who) {
  int old = 1;
  text[who] = 1;
  __asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(shared)::"memory");
  return old;
}
static void first(void) { assert(exchange(0) == 0); }
static void second(void) { exchange(1); }
#elif defined(CASE_library_call)
static void first(void) { ioctl(0, FIONREAD, &shared); }
static void second(void) { shared = 1; }
#elif defined(CASE_system_call)
static void first(void) { syscall(SYS_getcpu, &shared, NULL, NULL); }
static void second(void) { shared = 1; }
#elif defined(CASE_read_by_system_call)
static void first(void) { syscall(SYS_read, open("/dev/zero", O_RDONLY), text, 1); }
static void second(void) { text[0] = 1; }
#elif defined(CASE_returned_struct)
__attribute__((noinline)) static struct pair make(long number) { return (struct pair){number, calls}; }
static void first(void) { both = make(1); }
static void second(void) { both = make(2); }
#elif defined(CASE_moved)  // a plain move of inline assembly
__attribute__((noinline)) static void move(int* seen) {
  *seen += 1;
  __asm__ volatile("movl $1, %0" : "=m"(shared)::"memory");
}
static void first(void) { move(calloc(1, sizeof(int))); }
static void second(void) { move(calloc(1, sizeof(int))); }
#elif defined(CASE_passed_variable)
static void first(void) { both.a = sum(large); }
static void second(void) { large.numbers[1] = 2; }
#elif defined(CASE_passed_memory)
__attribute__((noinline)) static long sum_at(struct large* place) { return sum(*place); }
static void first(void) { both.a = sum_at(&large); }
static void second(void) { large.numbers[1] = 2; }
#elif defined(CASE_seen)  // a fence on the own stack, functions that use no memory, a result that is no struct
__attribute__((noinline)) static long number(long n) { return n + calls; }
static void first(void) {
  __asm__ volatile("lock orl $0, (%%rsp)" ::: "memory", "cc");
  if (isdigit(text[0]) && getuid() == 0 && syscall(SYS_gettid) != 0) count_call();
  both.a = number(1);
  struct large own = {{1, 2}};
  own.numbers[2] = calls;
  both.a += sum(own);
}
static void second(void) {
  strerror(1);
  both.b = number(2);
}
#endif

static void* call_first(void* unused) {
  first();
  return unused;
}
static void* call_second(void* unused) {
  second();
  return unused;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, call_first, NULL);
  pthread_create(&threads[1], NULL, call_second, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return (int)(both.a == 77) + shared / 100;
}
