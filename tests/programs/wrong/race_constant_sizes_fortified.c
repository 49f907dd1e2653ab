// With _FORTIFY_SOURCE, copies are calls of checked functions, which gcc expands in place if it knows the sizes.
// heddle: finds race
// heddle-levels: -O2
// heddle-flags: -D_FORTIFY_SOURCE=2
// heddle-mentions: by_memcpy
// heddle-mentions: by_memset
// heddle-mentions: by_strcpy
// heddle-mentions: by_strcat
// heddle-mentions: by_snprintf
#include <pthread.h>
#include <stdio.h>
#include <string.h>

char by_memcpy[40], by_memset[40], by_strcpy[40], by_strcat[40], by_snprintf[40];
const char source[40] = "twenty-four characters..";

static void* copies(void* unused) {
  memcpy(by_memcpy, source, 25);
  memset(by_memset, 1, 24);
  strcpy(by_strcpy, "some text");
  strcat(by_strcat, "some text");
  snprintf(by_snprintf, sizeof by_snprintf, "some text");
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, copies, NULL);
  by_memcpy[0] = by_memset[0] = by_strcpy[0] = by_strcat[0] = by_snprintf[0] = 'a';
  pthread_join(thread, NULL);
  return 0;
}
