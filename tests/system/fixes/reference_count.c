// The last user of an object clears it, but the users count down with relaxed orders.
#include <pthread.h>
#include <stdatomic.h>

struct object {
  atomic_int users;
  int fields[2];
};
static struct object object = {2, {0, 0}};

static void* use(void* field) {
  *(int*)field = 1;
  int users = atomic_fetch_sub_explicit(&object.users, 1, memory_order_relaxed);  // wrong
  if (users == 1) object.fields[0] = object.fields[1] = 0;
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, use, &object.fields[0]);
  pthread_create(&two, 0, use, &object.fields[1]);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
