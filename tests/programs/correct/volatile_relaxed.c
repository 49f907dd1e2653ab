// Volatile accesses of every size as relaxed atomics: a thread sees its own stores, values are coherent, and a store
// that reaches memory shows all earlier ones under tso. A function that is not instrumented reads what was stored last.
// heddle: clean
// heddle-options: -m tso --volatile=relaxed
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static volatile unsigned char byte;
static volatile short half;
static volatile int word;
static volatile long number;
static volatile double real;
static const char* volatile text = "";
static volatile int turns;

static void* write_all(void* unused) {
  byte = 1;
  half = -2;
  word = 3;
  number = -4;
  number--;
  real = 0.5;
  assert(byte == 1 && half == -2 && word == 3 && number == -5 && real == 0.5);
  text = "five";
  return unused;
}

static void* read_all(void* unused) {
  const char* seen = text;
  if (*seen == '\0') return unused;
  assert(real == 0.5 && number == -5 && word == 3 && half == -2 && byte == 1);
  char copy[8];
  snprintf(copy, sizeof copy, "%s", text);
  assert(strcmp(copy, "five") == 0);
  return unused;
}

static void* take_turns(void* argument) {
  const int own = *(const int*)argument;
  for (int round = 0; round < 2; round++) {
    while (turns % 2 != own) {
    }
    turns++;
  }
  return NULL;
}

int main(void) {
  static const int names[2] = {0, 1};
  pthread_t threads[4];
  pthread_create(&threads[0], NULL, write_all, NULL);
  pthread_create(&threads[1], NULL, read_all, NULL);
  for (int i = 0; i < 2; i++) pthread_create(&threads[2 + i], NULL, take_turns, (void*)&names[i]);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  assert(turns == 4 && real == 0.5);
  return 0;
}
