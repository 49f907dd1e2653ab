#include <pthread.h>
#include <string.h>

static int plain;

static void* bump(void* unused) {
  plain++;
  return unused;
}

int main(int argc, char** argv) {
  pthread_t other;
  if (argc == 3 && strcmp(argv[2], "two words") != 0) return 1;
  if (strcmp(argv[1], "racy") != 0) return argc == 3 ? 0 : 2;
  pthread_create(&other, 0, bump, 0);
  plain++;
  pthread_join(other, 0);
  return 0;
}
