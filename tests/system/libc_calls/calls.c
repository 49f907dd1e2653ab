// Calls functions of the C library, each while another thread writes one byte of the memory that the function reads or
// writes: `calls race` has a data race for every CASE of cases.inc, and none for a CLEAR, whose byte the function does
// not touch. In a PAIR, both threads call the function, which writes static memory. `calls before` and `calls after`
// have none: the thread that writes is joined before the call, or created after it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <err.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <getopt.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <libintl.h>
#include <locale.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wordexp.h>

enum { room = 1024 };
static char o[4096];  // another buffer
static wchar_t wide_o[1024];
static FILE *null, *text, *digits;
static int zero, none, sockets[2], pipes[2];
static volatile long sink;
static iconv_t converter;
static regex_t expression;
static timer_t timer;

static int compare(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }
static int compare_with(const void* a, const void* b, void* c) { return c == NULL ? compare(a, b) : 0; }
static int visit(const char* path, const struct stat* status, int flag) {
  return path == NULL || status == NULL || flag < -1;
}

// Functions with a va_list.
#define WITH_LIST(name, call)                                 \
  static void name##_with(FILE* f, const void* format, ...) { \
    va_list list;                                             \
    va_start(list, format);                                   \
    (void)f;                                                  \
    sink = (call, 0);                                         \
    va_end(list);                                             \
  }
static FILE* stream(FILE* file) {
  rewind(file);
  return file;
}

// Names that headers hide.
#define NAMED(type, alias, arguments, symbol) extern type alias arguments __asm__(#symbol)
NAMED(int, old_sscanf, (const char*, const char*, ...), sscanf);
NAMED(int, old_fscanf, (FILE*, const char*, ...), fscanf);
NAMED(int, old_scanf, (const char*, ...), scanf);
NAMED(int, old_vsscanf, (const char*, const char*, va_list), vsscanf);
NAMED(int, old_vfscanf, (FILE*, const char*, va_list), vfscanf);
NAMED(int, old_vscanf, (const char*, va_list), vscanf);
NAMED(int, new_sscanf, (const char*, const char*, ...), __isoc99_sscanf);
NAMED(int, new_fscanf, (FILE*, const char*, ...), __isoc99_fscanf);
NAMED(int, new_scanf, (const char*, ...), __isoc99_scanf);
NAMED(int, new_vsscanf, (const char*, const char*, va_list), __isoc99_vsscanf);
NAMED(int, new_vfscanf, (FILE*, const char*, va_list), __isoc99_vfscanf);
NAMED(int, new_vscanf, (const char*, va_list), __isoc99_vscanf);
NAMED(int, old_swscanf, (const wchar_t*, const wchar_t*, ...), swscanf);
NAMED(int, new_swscanf, (const wchar_t*, const wchar_t*, ...), __isoc99_swscanf);
NAMED(int, posix_strerror_r, (int, char*, size_t), __xpg_strerror_r);
extern int __printf_chk(int, const char*, ...);
extern int __fprintf_chk(FILE*, int, const char*, ...);
extern int __dprintf_chk(int, int, const char*, ...);
extern int __sprintf_chk(char*, int, size_t, const char*, ...);
extern int __snprintf_chk(char*, size_t, int, size_t, const char*, ...);
extern int __asprintf_chk(char**, int, const char*, ...);
extern void __syslog_chk(int, int, const char*, ...);
extern int __vprintf_chk(int, const char*, va_list);
extern int __vfprintf_chk(FILE*, int, const char*, va_list);
extern int __vdprintf_chk(int, int, const char*, va_list);
extern int __vsprintf_chk(char*, int, size_t, const char*, va_list);
extern int __vsnprintf_chk(char*, size_t, int, size_t, const char*, va_list);
extern int __vasprintf_chk(char**, int, const char*, va_list);
extern void __vsyslog_chk(int, int, const char*, va_list);
extern int __wprintf_chk(int, const wchar_t*, ...);
extern int __fwprintf_chk(FILE*, int, const wchar_t*, ...);
extern int __swprintf_chk(wchar_t*, size_t, int, size_t, const wchar_t*, ...);
extern int __vwprintf_chk(int, const wchar_t*, va_list);
extern int __vfwprintf_chk(FILE*, int, const wchar_t*, va_list);
extern int __vswprintf_chk(wchar_t*, size_t, int, size_t, const wchar_t*, va_list);
extern void __explicit_bzero_chk(void*, size_t, size_t);
extern wchar_t* __wmemcpy_chk(wchar_t*, const wchar_t*, size_t, size_t);
extern wchar_t* __wmempcpy_chk(wchar_t*, const wchar_t*, size_t, size_t);
extern wchar_t* __wmemmove_chk(wchar_t*, const wchar_t*, size_t, size_t);
extern wchar_t* __wmemset_chk(wchar_t*, wchar_t, size_t, size_t);
extern wchar_t* __wcscpy_chk(wchar_t*, const wchar_t*, size_t);
extern wchar_t* __wcpcpy_chk(wchar_t*, const wchar_t*, size_t);
extern wchar_t* __wcsncpy_chk(wchar_t*, const wchar_t*, size_t, size_t);
extern wchar_t* __wcscat_chk(wchar_t*, const wchar_t*, size_t);
extern wchar_t* __wcsncat_chk(wchar_t*, const wchar_t*, size_t, size_t);
extern size_t __mbstowcs_chk(wchar_t*, const char*, size_t, size_t);
extern size_t __wcstombs_chk(char*, const wchar_t*, size_t, size_t);
extern size_t __mbsrtowcs_chk(wchar_t*, const char**, size_t, mbstate_t*, size_t);
extern size_t __mbsnrtowcs_chk(wchar_t*, const char**, size_t, size_t, mbstate_t*, size_t);
extern size_t __wcsrtombs_chk(char*, const wchar_t**, size_t, mbstate_t*, size_t);
extern size_t __wcsnrtombs_chk(char*, const wchar_t**, size_t, size_t, mbstate_t*, size_t);
extern int __wctomb_chk(char*, wchar_t, size_t);
extern size_t __wcrtomb_chk(char*, wchar_t, mbstate_t*, size_t);
extern size_t __fread_chk(void*, size_t, size_t, size_t, FILE*);
extern size_t __fread_unlocked_chk(void*, size_t, size_t, size_t, FILE*);
extern char* __fgets_chk(char*, size_t, int, FILE*);
extern char* __fgets_unlocked_chk(char*, size_t, int, FILE*);
extern wchar_t* __fgetws_chk(wchar_t*, size_t, int, FILE*);
extern ssize_t __getdelim(char**, size_t*, int, FILE*);
extern ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
extern ssize_t __pread64_chk(int, void*, size_t, off64_t, size_t);
extern ssize_t __readlink_chk(const char*, char*, size_t, size_t);
extern ssize_t __readlinkat_chk(int, const char*, char*, size_t, size_t);
extern char* __realpath_chk(const char*, char*, size_t);
extern char* __getcwd_chk(char*, size_t, size_t);
extern int __ttyname_r_chk(int, char*, size_t, size_t);
extern int __ptsname_r_chk(int, char*, size_t, size_t);
extern int __gethostname_chk(char*, size_t, size_t);
extern int __getgroups_chk(int, gid_t*, size_t);
extern int __getlogin_r_chk(char*, size_t, size_t);
extern char* __strtok_r(char*, const char*, char**);

WITH_LIST(vprintf, vprintf(format, list))
WITH_LIST(vfprintf, vfprintf(f, format, list))
WITH_LIST(vdprintf, vdprintf(none, format, list))
WITH_LIST(vsprintf, vsprintf(o, format, list))
WITH_LIST(vsnprintf, vsnprintf(o, 64, format, list))
WITH_LIST(vasprintf, vasprintf(&(char*){NULL}, format, list))
WITH_LIST(vsyslog, vsyslog(LOG_DEBUG, format, list))
WITH_LIST(vwarn, vwarn(format, list))
WITH_LIST(vwarnx, vwarnx(format, list))
WITH_LIST(vprintf_chk, __vprintf_chk(0, format, list))
WITH_LIST(vfprintf_chk, __vfprintf_chk(f, 0, format, list))
WITH_LIST(vdprintf_chk, __vdprintf_chk(none, 0, format, list))
WITH_LIST(vsprintf_chk, __vsprintf_chk(o, 0, sizeof o, format, list))
WITH_LIST(vsnprintf_chk, __vsnprintf_chk(o, 64, 0, sizeof o, format, list))
WITH_LIST(vasprintf_chk, __vasprintf_chk(&(char*){NULL}, 0, format, list))
WITH_LIST(vsyslog_chk, __vsyslog_chk(LOG_DEBUG, 0, format, list))
WITH_LIST(vwprintf, vwprintf(format, list))
WITH_LIST(vfwprintf, vfwprintf(f, format, list))
WITH_LIST(vswprintf, vswprintf(wide_o, 64, format, list))
WITH_LIST(vwprintf_chk, __vwprintf_chk(0, format, list))
WITH_LIST(vfwprintf_chk, __vfwprintf_chk(f, 0, format, list))
WITH_LIST(vswprintf_chk, __vswprintf_chk(wide_o, 64, 0, 64, format, list))
WITH_LIST(old_vsscanf, old_vsscanf("12", format, list))
WITH_LIST(new_vsscanf, new_vsscanf("12", format, list))
WITH_LIST(old_vfscanf, old_vfscanf(f, format, list))
WITH_LIST(new_vfscanf, new_vfscanf(f, format, list))
WITH_LIST(old_vscanf, old_vscanf(format, list))
WITH_LIST(new_vscanf, new_vscanf(format, list))

#define CASE(name, content, ...) \
  static void call_##name(char* b) { __VA_ARGS__; }
#define CLEAR(name, content, offset, ...) CASE(name, content, __VA_ARGS__)
#define PAIR(name, ...) \
  static void call_##name(char* b) { (void)b, (void)(__VA_ARGS__); }
#include "cases.inc"
#undef CASE
#undef CLEAR
#undef PAIR

static const struct Case {
  const char* name;
  const void* content;
  size_t size;
  size_t offset;  // of the byte that the other thread writes
  int is_pair;    // the other thread calls the function, too
  void (*call)(char*);
} cases[] = {
#define CASE(name, content, ...) {#name, content, sizeof(content), 2, 0, call_##name},
#define CLEAR(name, content, offset, ...) {#name, content, sizeof(content), offset, 0, call_##name},
#define PAIR(name, ...) {#name, "", 1, 0, 1, call_##name},
#include "cases.inc"
};

enum { count = sizeof cases / sizeof *cases };
static _Alignas(64) char buffers[count][room];

static void* work(void* which) {
  const struct Case* c = which;
  char* b = buffers[c - cases];
  if (c->is_pair) {
    c->call(b);
  } else {
    volatile char same = b[c->offset];
    b[c->offset] = same;
  }
  return NULL;
}

int main(int argc, char** argv) {
  (void)argc;
  const char* when = argv[1];
  null = fopen("/dev/null", "w");
  text = fopen("/proc/version", "r");
  digits = tmpfile();
  fputs("123 456 789\n", digits);
  zero = open("/dev/zero", O_RDWR);
  none = open("/dev/null", O_RDWR);
  socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
  pipe(pipes);
  converter = iconv_open("UTF-16", "UTF-8");
  regcomp(&expression, "l+", REG_EXTENDED);
  timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_NONE}, &timer);
  for (size_t i = 0; i < count; ++i) {
    const struct Case* c = &cases[i];
    char* b = buffers[i];
    memcpy(b, c->content, c->size);
    pthread_t writer;
    if (strcmp(when, "after") == 0) c->call(b);
    pthread_create(&writer, NULL, work, (void*)c);
    if (strcmp(when, "race") == 0) c->call(b);
    pthread_join(writer, NULL);
    if (strcmp(when, "before") == 0) c->call(b);
  }
  return 0;
}
