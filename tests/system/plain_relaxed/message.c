// A writer fills `data` and then sets `flag`, both without atomics. The macro TYPE is the type of `data`, and VOLATILE
// may be `volatile`. Stores that become relaxed atomics reach memory in any order under pso.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

typedef struct {
  int a, b, c;
} Structure;
typedef struct {
  char pad;
  int value;
} __attribute__((packed)) Packed;
typedef struct {
  unsigned low : 3, high : 5;
} BitField;
typedef int Vector __attribute__((vector_size(16)));

static VOLATILE TYPE data;
static VOLATILE int flag;

static void* write_all(void* unused) {
  data = (TYPE)WRITTEN;
  flag = 1;
  return unused;
}

static void* read_all(void* unused) {
  if (flag != 0) {
    TYPE copy = data;
    assert(READ(copy));
  }
  return unused;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, write_all, NULL);
  pthread_create(&reader, NULL, read_all, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  return 0;
}
