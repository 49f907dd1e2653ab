// The __atomic builtins of gcc and clang.
#include <pthread.h>

static int value, flag, count;

static void* give(void* unused) {
  value = 1;
  __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void) {
  pthread_t giver;
  int zero = 0;
  pthread_create(&giver, 0, give, 0);
  const int is_wrong = __atomic_load_n(&flag, __ATOMIC_SEQ_CST) == 1 && value != 1;
  __atomic_compare_exchange_n(&count, &zero, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  pthread_join(giver, 0);
  return is_wrong;
}
