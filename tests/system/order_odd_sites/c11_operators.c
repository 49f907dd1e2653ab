// C11: operators on _Atomic variables have no argument for an order, and functions may leave it out.
#include <pthread.h>
#include <stdatomic.h>

static int value;
static _Atomic int flag, count;

static void* give(void* unused) {
  count++;
  value = 1;
  flag = 1;
  atomic_fetch_add(&count, 2);
  return unused;
}

int main(void) {
  pthread_t giver;
  pthread_create(&giver, 0, give, 0);
  const int is_wrong = flag == 1 && value != 1;
  atomic_store_explicit(&count, 7, memory_order_seq_cst);
  pthread_join(giver, 0);
  return is_wrong;
}
