/* Loads the library that its first argument names, and calls it from two threads. With "locked" as second argument, a
   mutex orders the calls; with "stays" as third, the library is not unloaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int (*count)(void);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_locked;

static void* call(void* unused) {
  if (is_locked) pthread_mutex_lock(&mutex);
  count();
  if (is_locked) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == 0) {
    puts(dlerror());
    return 1;
  }
  count = (int (*)(void))dlsym(library, "count_calls");
  is_locked = argc > 2 && strcmp(argv[2], "locked") == 0;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, call, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  const int calls = count();
  if (argc <= 3) dlclose(library);
  return is_locked && calls != 103 ? 1 : 0; /* its variables begin anew in every execution */
}
