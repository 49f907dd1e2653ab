// pthread_join orders everything a thread did, and its return value, before what follows.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int squares[4];

static void* square(void* argument) {
  int* slot = argument;
  *slot = (int)(slot - squares) * (int)(slot - squares);
  return slot;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) assert(pthread_create(&threads[i], NULL, square, &squares[i]) == 0);
  for (int i = 0; i < 4; i++) {
    void* result = NULL;
    assert(pthread_join(threads[i], &result) == 0);
    assert(result == &squares[i]);
    assert(squares[i] == i * i);
  }
  return 0;
}
