// A thread polls memory in inline assembly: no access of the loop is announced.
#include <pthread.h>

static int flag;
static double sums[4];

static int load(const int* from) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*from));
  return value;
}
static void* set(void* unused) {
  for (int i = 0; i < 4; i++) sums[i] += 0.5;
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  double before = 0.25;
  pthread_create(&thread, 0, set, 0);
  __asm__ volatile("" : "+x"(before));  // in a vector register while other threads run
  while (!load(&flag)) {
  }
  __asm__ volatile("" : "+x"(before));
  pthread_join(thread, 0);
  return sums[3] + before != 0.75;
}
