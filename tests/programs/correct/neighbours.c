// Threads write to neighbouring bytes, halves and struct members at the same time: that is no race.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static struct {
  char a, b;
  short c;
  char text[8];
} shared;

static void* first(void* unused) {
  shared.a = 1;
  memset(shared.text, 'x', 3);
  return unused;
}

static void* second(void* unused) {
  shared.b = 2;
  memcpy(shared.text + 3, "yyyy", 5);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  shared.c = 3;
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(shared.a + shared.b + shared.c == 6 && strcmp(shared.text, "xxxyyyy") == 0);
  return 0;
}
