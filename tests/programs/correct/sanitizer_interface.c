// Functions of ThreadSanitizer's runtime that programs call: unaligned accesses, the invisible barrier of its tests,
// and what other functions of the interface say.
// heddle: clean
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint16_t __sanitizer_unaligned_load16(const void* at);
uint32_t __sanitizer_unaligned_load32(const void* at);
uint64_t __sanitizer_unaligned_load64(const void* at);
void __sanitizer_unaligned_store16(void* at, uint16_t value);
void __sanitizer_unaligned_store32(void* at, uint32_t value);
void __sanitizer_unaligned_store64(void* at, uint64_t value);
void __tsan_testonly_barrier_init(unsigned long long* barrier, unsigned count);
void __tsan_testonly_barrier_wait(unsigned long long* barrier);
void __tsan_check_no_mutexes_held(void);
void __sanitizer_set_death_callback(void (*callback)(void));
int __sanitizer_get_ownership(const volatile void* at);
size_t __sanitizer_get_allocated_size(const volatile void* at);
void __sanitizer_symbolize_pc(void* pc, const char* format, char* out, size_t size);
double ValgrindSlowdown(void);
const char* ThreadSanitizerQuery(const char* query);
void AnnotateNoOp(const char* file, int line, const volatile void* at);

static unsigned long long barrier;
static int arrived;

static void* work(void* unused) {
  __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
  __tsan_testonly_barrier_wait(&barrier);
  assert(__atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED) >= 2);  // both threads have come before
  __tsan_testonly_barrier_wait(&barrier);
  __tsan_testonly_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  char bytes[32] = {0};
  __sanitizer_unaligned_store16(bytes + 1, 0x1234);
  __sanitizer_unaligned_store32(bytes + 5, 0x12345678);
  __sanitizer_unaligned_store64(bytes + 11, 0x123456789abcdef0);
  assert(__sanitizer_unaligned_load16(bytes + 1) == 0x1234);
  assert(__sanitizer_unaligned_load32(bytes + 5) == 0x12345678);
  assert(__sanitizer_unaligned_load64(bytes + 11) == 0x123456789abcdef0);

  __tsan_testonly_barrier_init(&barrier, 2);
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  assert(__atomic_load_n(&arrived, __ATOMIC_RELAXED) == 4);

  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  __tsan_check_no_mutexes_held();
  __sanitizer_set_death_callback(NULL);
  char* block = malloc(10);
  assert(__sanitizer_get_ownership(block) == 1 && __sanitizer_get_allocated_size(block) == 10);
  assert(__sanitizer_get_ownership(bytes) == 0);
  free(block);
  char place[64] = "";
  __sanitizer_symbolize_pc((void*)&main, "%p", place, sizeof place);
  assert(place[0] != 0);
  assert(ValgrindSlowdown() > 0 && strlen(ThreadSanitizerQuery("pure_happens_before")) == 1);
  AnnotateNoOp(__FILE__, __LINE__, bytes);
  return 0;
}
