// Two threads race on a flag. How many increments come before it depends on how often the program has been started,
// which it keeps in a file. It grows with each of the first starts, so these executions cannot be repeated.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int increments;
int flag;  // not static: the compiler would leave out a variable that is never read

static void* work(void* unused) {
  for (int i = 0; i < 20; i++) increments++;
  flag = 1;
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  int starts = 0;
  FILE* file = fopen(argv[1], "r");
  if (file != NULL && fscanf(file, "%d", &starts) != 1) starts = 0;
  if (file != NULL) fclose(file);
  file = fopen(argv[1], "w");
  if (file == NULL) return 2;
  fprintf(file, "%d\n", starts + 1);
  fclose(file);
  pthread_t threads[2];
  for (int t = 0; t < 2; t++) {
    pthread_create(&threads[t], NULL, work, NULL);
    for (int i = 0; i < starts && i < 50; i++) increments++;
  }
  while (atomic_load(&increments) < 1000) increments++;
  for (int t = 0; t < 2; t++) pthread_join(threads[t], NULL);
  return 0;
}
