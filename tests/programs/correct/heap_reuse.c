// Blocks are freed by one thread and allocated again by another; what was in them before does not matter.
// heddle: clean
// heddle-options: --leaks
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void* churn(void* unused) {
  (void)unused;
  for (int i = 1; i <= 4; i++) {
    char* block = malloc(32);
    memset(block, i, 32);
    char* other = calloc(4, 8);
    for (int k = 0; k < 32; k++) assert(block[k] == i && other[k] == 0);
    free(block);
    block = realloc(other, 64);
    assert(block[0] == 0 && block[31] == 0);
    block[63] = 1;
    free(block);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, churn, NULL);
  churn(NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
