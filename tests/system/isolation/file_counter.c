// A counter in a file beside the program's output: neither reset nor fork isolation brings it back.
#include <stdio.h>

int main(int argc, char** argv) {
  int count = 0;
  if (argc < 2) return 0;
  FILE* file = fopen(argv[1], "r");
  if (file != NULL && fscanf(file, "%d", &count) != 1) count = 0;
  if (file != NULL) fclose(file);
  file = fopen(argv[1], "w");
  fprintf(file, "%d\n", count + 1);
  printf("count %d\n", count);
  return 0;
}
