// A thread waits for a plain flag, which an optimiser may not turn into an endless loop. Locals whose address stays in
// the function are no events: the loops would make thousands.
#include <assert.h>
#include <pthread.h>

static int flag, result;

static int sum_of(const int* numbers, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += numbers[i];
  return sum;
}

static void* add(void* unused) {
  int squares[4] = {0, 0, 0, 0};
  for (int round = 0; round < 1000; ++round)
    for (int i = 0; i < 4; ++i) squares[i] += i * i;
  int few[2] = {squares[1], squares[2]};
  result = sum_of(few, 2);
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t adder;
  pthread_create(&adder, NULL, add, NULL);
  while (flag == 0) {
  }
  pthread_join(adder, NULL);
  assert(result == 5000);
  return 0;
}
