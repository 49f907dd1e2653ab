/* The library of host.c. */
static int calls_of_library;
static __thread int calls_of_thread;

__attribute__((constructor)) static void begin(void) { calls_of_library = 100; }

int count_calls(void) {
  ++calls_of_thread;
  return ++calls_of_library;
}
