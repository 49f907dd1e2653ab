#include "abi/libc/handler_safety.hpp"

#include <cstdio>
#include <string_view>

namespace heddle::abi {

namespace {

using std::string_view_literals::operator""sv;

// Streams, the heap, locks, exit handlers, time zones, locales, the environment, and databases of users and hosts. A
// space is before and after each name. The rows of checked calls that are not here are safe, or depend on their
// arguments only.
constexpr std::string_view unsafe =
    " asctime asprintf atexit backtrace canonicalize_file_name clearenv ctime ctime_r dcgettext dgettext dprintf err "
    "error errx exit fclose fcloseall fdopen fflush fgetc fgetpos fgets fgets_unlocked fgetws fopen fprintf fputc "
    "fputs fputs_unlocked fputws fread fread_unlocked freeaddrinfo freopen fscanf fseek fsetpos ftell ftw fwprintf "
    "fwrite fwrite_unlocked getaddrinfo getc getchar getdelim getgrent getgrgid getgrgid_r getgrnam getgrnam_r "
    "gethostbyaddr gethostbyname gethostbyname_r getifaddrs getline getlogin_r getnameinfo getprotobyname "
    "getprotobynumber getpwent getpwnam getpwnam_r getpwuid getpwuid_r getservbyname getservbyport gettext glob "
    "globfree gmtime gmtime_r localtime localtime_r mktime opendir perror popen printf pthread_create pthread_join "
    "pthread_once putc putchar putenv puts readdir readdir_r realpath regcomp regexec regfree rewind scandir scanf "
    "setenv setlocale snprintf sprintf sscanf strftime strptime swprintf swscanf syslog system tempnam textdomain "
    "timegm timelocal tsearch ungetc unsetenv vasprintf vdprintf verr verrx vfprintf vfscanf vfwprintf vprintf "
    "vscanf vsnprintf vsprintf vsscanf vswprintf vsyslog vwarn vwarnx vwprintf warn warnx wcsdup wcsftime wordexp "
    "wordfree wprintf ";

/// The name that the program's source has: printf for __printf_chk, sscanf for __isoc99_sscanf, glob for glob64.
std::string_view source_name(std::string_view name) {
  for (const std::string_view prefix : {"__isoc99_"sv, "__isoc23_"sv, "__"sv})
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  for (const std::string_view suffix : {"_chk"sv, "64"sv})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

}  // namespace

void report_if_unsafe(engine::Engine& engine, const char* function, std::uint64_t site) {
  const std::string_view name = source_name(function);
  char text[64];
  std::snprintf(text, sizeof text, " %.*s ", static_cast<int>(name.size()), name.data());
  if (unsafe.find(text) == unsafe.npos) return;
  text[name.size() + 1] = '\0';
  engine.signals().check_call(text + 1, site);
}

}  // namespace heddle::abi
