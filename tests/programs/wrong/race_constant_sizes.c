// Copies and comparisons of constant sizes, which compilers expand in place. Each one races with the main thread.
// heddle: finds race
// heddle-levels: -O0 -O2 -O3 -Os
// heddle-mentions: by_memcpy
// heddle-mentions: by_builtin_memcpy
// heddle-mentions: by_memmove
// heddle-mentions: by_memset
// heddle-mentions: by_builtin_memset
// heddle-mentions: by_mempcpy
// heddle-mentions: by_memcmp
// heddle-mentions: by_strcpy
// heddle-mentions: by_stpcpy
// heddle-mentions: by_strncpy
// heddle-mentions: by_strcat
// heddle-mentions: by_strcmp
// heddle-mentions: by_sprintf
// heddle-mentions: by_snprintf
// heddle-mentions: by_assignment
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct Text {
  char bytes[40];
};

struct Text by_memcpy, by_builtin_memcpy, by_memmove, by_memset, by_builtin_memset, by_mempcpy, by_memcmp, by_strcpy,
    by_stpcpy, by_strncpy, by_strcat, by_strcmp, by_sprintf, by_snprintf, by_assignment;
const struct Text source = {"twenty-four characters.."};
static int differences;

static void* copies(void* unused) {
  memcpy(&by_memcpy, &source, 25);
  __builtin_memcpy(&by_builtin_memcpy, &source, 38);
  memmove(&by_memmove, &source, 33);
  memset(&by_memset, 1, 3);
  __builtin_memset(&by_builtin_memset, 1, 40);
  mempcpy(&by_mempcpy, &source, 17);
  differences += memcmp(&by_memcmp, &source, 8) == 0;
  strcpy(by_strcpy.bytes, "some text");
  stpcpy(by_stpcpy.bytes, "some text");
  strncpy(by_strncpy.bytes, "some text", 6);
  strcat(by_strcat.bytes, "some text");
  differences += strcmp(by_strcmp.bytes, "a") == 0;
  sprintf(by_sprintf.bytes, "some text");
  snprintf(by_snprintf.bytes, sizeof by_snprintf, "%d", 5);
  by_assignment = source;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, copies, NULL);
  by_memcpy.bytes[0] = by_builtin_memcpy.bytes[0] = by_memmove.bytes[0] = by_memset.bytes[0] = 'a';
  by_builtin_memset.bytes[0] = by_mempcpy.bytes[0] = by_memcmp.bytes[0] = by_strcpy.bytes[0] = 'a';
  by_stpcpy.bytes[0] = by_strncpy.bytes[0] = by_strcat.bytes[0] = by_strcmp.bytes[0] = 'a';
  by_sprintf.bytes[0] = by_snprintf.bytes[0] = by_assignment.bytes[0] = 'a';
  pthread_join(thread, NULL);
  return 0;
}
