// heddle: clean
// heddle-only: gcc (nested functions)
// A nested function that uses variables of the function around it: gcc puts code on the stack, which is executable
// then.
#include <assert.h>
#include <pthread.h>

int main(void) {
  int value = 5;
  void* add(void* argument) {
    int inner = 0;
    void count(int* by) { inner += *by + value; }
    void (*volatile call)(int*) = count;
    call(argument);
    value += inner;
    return 0;
  }
  int one = 1;
  pthread_t thread;
  pthread_create(&thread, 0, add, &one);
  pthread_join(thread, 0);
  assert(value == 11);
  return 0;
}
