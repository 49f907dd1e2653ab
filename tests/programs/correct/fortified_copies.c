// The checked functions of _FORTIFY_SOURCE do what the ordinary ones do.
// heddle: clean
// heddle-flags: -O2 -D_FORTIFY_SOURCE=2
// heddle-runs: 100
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static volatile size_t five = 5;

static int print(char* to, size_t room, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(to, room, format, arguments);
  va_end(arguments);
  return size;
}

static void* copies(void* unused) {
  char text[16] = "", source[16] = "abcdefghij";
  assert(memcpy(text, source, five) == text && strcmp(text, "abcde") == 0);
  assert(mempcpy(text, source + 1, five) == text + 5 && strcmp(text, "bcdef") == 0);
  assert(memset(text, 'x', five) == text && strcmp(text, "xxxxx") == 0);
  assert(strcpy(text, source) == text && strcmp(text, source) == 0);
  assert(stpcpy(text, source + five) == text + 5 && strcmp(text, "fghij") == 0);
  assert(strncpy(text, source, five) == text && strcmp(text, "abcde") == 0);
  assert(stpncpy(text, "ab", five) == text + 2 && text[4] == '\0');
  assert(strcat(text, source + five) == text && strcmp(text, "abfghij") == 0);
  assert(strncat(text, source, five) == text && strcmp(text, "abfghijabcde") == 0);
  assert(snprintf(text, five, "%s", source) == 10 && strcmp(text, "abcd") == 0);
  assert(sprintf(text, "%d-%s", 12, "ab") == 5 && strcmp(text, "12-ab") == 0);
  assert(print(text, sizeof text, "%zu", five) == 1 && strcmp(text, "5") == 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, copies, NULL);
  copies(NULL);
  pthread_join(thread, NULL);
  return 0;
}
