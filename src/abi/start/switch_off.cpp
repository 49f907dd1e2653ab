#include "abi/start/switch_off.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

constexpr const char* variable = "HEDDLE_OFF";
char set_variable[] = "HEDDLE_OFF=1";
constexpr const char* search_path = "LD_LIBRARY_PATH";

bool is_wanted() {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0' && std::strcmp(value, "0") != 0;
}

[[noreturn]] void complain(const char* text, const char* folder) {
  std::fprintf(stderr, "heddle: HEDDLE_OFF is set, but %s %s\n", text, folder);
  engine::exit_process(3);
}

}  // namespace

void switch_off_if_wanted(char** arguments) {
  if (!is_wanted()) return;
  Dl_info self{};
  ::dladdr(reinterpret_cast<void*>(&switch_off_if_wanted), &self);
  char folder[4096];
  std::snprintf(folder, sizeof folder, "%s", self.dli_fname);
  char* slash = std::strrchr(folder, '/');
  char* const end = slash == nullptr ? folder : slash + 1;
  std::snprintf(end, static_cast<std::size_t>(folder + sizeof folder - end), "heddle/passive");
  char library[sizeof folder + 16];
  std::snprintf(library, sizeof library, "%s/libheddle.so", folder);
  if (::access(library, R_OK) != 0) complain("this installation of heddle has no", library);

  const char* before = std::getenv(search_path);
  const std::size_t length = std::strlen(folder);
  if (before != nullptr && std::strncmp(before, folder, length) == 0)
    complain("the loader does not look there for libheddle.so, because the program names its folder (rpath):", folder);
  char path[2 * sizeof folder];
  std::snprintf(path, sizeof path, before == nullptr ? "%s" : "%s:%s", folder, before);
  ::setenv(search_path, path, 1);
  engine::real().syscall(SYS_execve, "/proc/self/exe", arguments, environ);
  complain("the program cannot be started again with", library);
}

ChildEnvironment::ChildEnvironment(char* const environment[]) {
  std::size_t size = 0;
  for (; environment != nullptr && environment[size] != nullptr && size < most; ++size)
    entries_[size] = environment[size];
  entries_[size] = set_variable;
  entries_[size + 1] = nullptr;
}

}  // namespace heddle::abi
