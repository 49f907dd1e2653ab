// The loop makes progress inside the C library only: getopt() keeps its place there. It ends, so it is no livelock.
#include <getopt.h>
#include <stdatomic.h>

static atomic_int stop;

int main(int count, char** arguments) {
  while (!atomic_load(&stop) && getopt(count, arguments, "x") != -1) {
  }
  return 0;
}
