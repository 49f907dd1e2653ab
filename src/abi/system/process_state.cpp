#include "abi/system/process_state.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstring>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/libc/handler_safety.hpp"
#include "abi/libc/random_numbers.hpp"
#include "abi/start/forever.hpp"
#include "abi/start/outside_influence.hpp"
#include "abi/start/runtime.hpp"
#include "engine/isolation/real.hpp"

// The C library's open streams.
extern "C" FILE* _IO_list_all;  // NOLINT(readability-identifier-naming): not our name

namespace heddle::abi {

namespace {

constexpr int known_files = 256;
constexpr int standard_files = 3;

bool was_open[known_files];
int copies[standard_files];  // of the standard files, as the program found them
off_t stdin_offset = 0;

// What the execution has changed.
bool changed_standard_files = false;
bool changed_folder = false;
bool changed_mode_mask = false;

int first_folder = -1;
mode_t first_mode_mask = 0;

void begin_close(int fd, std::uint64_t site) {
  if (engine::Engine* engine = running()) engine->descriptor_uses().close(fd, site);
  if (engine::Engine* engine = running(); engine != nullptr && engine->descriptors().find(fd) != nullptr)
    engine->descriptors().close(fd, site);
  else if (engine != nullptr)
    engine->descriptors().change_table(site);
}
void end_close(int fd) {
  engine::Engine* engine = running();
  if (engine != nullptr) engine->descriptor_uses().end_close(fd);
  if (engine != nullptr && engine->descriptors().find(fd) != nullptr) engine->descriptors().end_close(fd);
}

void remember_changed_file(int fd) {
  if (fd >= 0 && fd < standard_files && running() != nullptr) changed_standard_files = true;
}

struct SavedBytes {
  std::byte* at = nullptr;
  std::byte* copy = nullptr;
  std::size_t size = 0;

  void save(void* from, std::size_t bytes) {
    at = static_cast<std::byte*>(from);
    size = bytes;
    copy = forever().create_array<std::byte>(bytes).data();
    std::memcpy(copy, at, bytes);
  }
  void restore() const {
    if (size != 0 && std::memcmp(at, copy, size) != 0) std::memcpy(at, copy, size);
  }
};

SavedBytes argument_pointers;
SavedBytes environment_pointers;
SavedBytes argument_texts;

void record_opened_file(const char* path, bool reads, bool writes) {
  if (running() != nullptr) record_file_use(path, reads, writes);
}
bool writes(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0; }

/// Opening may create the file, and may make it empty.
void record_use_of_name(const char* path, bool creates, bool empties, std::uint64_t site) {
  engine::Engine* const engine = running();
  if (engine == nullptr) return;
  creates ? engine->file_uses().change_name(path, site) : engine->file_uses().look_up(path, site);
  if (empties) engine->file_uses().change_size(path, site);
}

int open_file(int folder, const char* path, int flags, mode_t mode, std::uint64_t site) {
  record_opened_file(path, (flags & O_ACCMODE) != O_WRONLY, writes(flags));
  record_use_of_name(path, (flags & O_CREAT) != 0, (flags & O_TRUNC) != 0, site);
  if (engine::Engine* engine = running(); engine != nullptr && is_random_device(path))
    return open_random_bytes(*engine, flags);
  const int fd = static_cast<int>(engine::real().syscall(SYS_openat, folder, path, flags, mode));
  if (engine::Engine* engine = running()) engine->descriptor_uses().open(fd);
  return fd;
}

FILE* open_stream(const char* function, const char* path, const char* mode, std::uint64_t site) {
  check_in_handler("fopen", site);
  reads_text(path, site);
  reads_text(mode, site);
  if (mode != nullptr) {
    record_opened_file(path, std::strpbrk(mode, "r+") != nullptr, std::strpbrk(mode, "wa+") != nullptr);
    record_use_of_name(path, std::strpbrk(mode, "wa") != nullptr, std::strchr(mode, 'w') != nullptr, site);
  }
  if (engine::Engine* engine = running(); engine != nullptr && is_random_device(path)) {
    const int fd = open_random_bytes(*engine, 0);
    return fd < 0 ? nullptr : ::fdopen(fd, mode);
  }
  return engine::next_function<FILE* (*)(const char*, const char*)>(function)(path, mode);
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

int system_call(long number, long a, long b = 0, long c = 0) {
  return static_cast<int>(engine::real().syscall(number, a, b, c));
}

/// The program keeps the low numbers for its own files.
int out_of_the_way(int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, known_files - 2 * standard_files); }

int copy_to(int from, int to, int flags, std::uint64_t site) {
  remember_changed_file(to);
  begin_close(to, site);
  const int result = system_call(SYS_dup3, from, to, flags);
  if (result < 0) return result;
  end_close(to);
  if (engine::Engine* engine = running()) {
    engine->descriptor_uses().open(to);
    engine->descriptors().copy(from, to);
  }
  return result;
}

void save_files() {
  for (int fd = 0; fd < standard_files; ++fd) copies[fd] = out_of_the_way(fd);
  if (const int folder = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    first_folder = out_of_the_way(folder);
    system_call(SYS_close, folder);
  }
  first_mode_mask = static_cast<mode_t>(system_call(SYS_umask, 0));
  system_call(SYS_umask, first_mode_mask);
  stdin_offset = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  for (int fd = 0; fd < known_files; ++fd) was_open[fd] = is_open(fd);
}

void restore_files(bool made_system_calls) {
  if (changed_standard_files)
    for (int fd = 0; fd < standard_files; ++fd)
      if (copies[fd] >= 0) system_call(SYS_dup3, copies[fd], fd);
  if (changed_folder && first_folder >= 0) system_call(SYS_fchdir, first_folder);
  if (changed_mode_mask) system_call(SYS_umask, first_mode_mask);
  changed_standard_files = changed_folder = changed_mode_mask = false;
  if (!made_system_calls) return;
  if (stdin_offset >= 0) ::lseek(STDIN_FILENO, stdin_offset, SEEK_SET);
  // Closes what the execution left open: everything between the descriptors that were open before it.
  for (int first = 0; first <= known_files;) {
    int end = first;
    while (end < known_files && !was_open[end]) ++end;
    if (end == known_files)
      system_call(SYS_close_range, first, ~0U);
    else if (end != first)
      system_call(SYS_close_range, first, end - 1);
    first = end + 1;
  }
}

}  // namespace

void save_process_state(int argc, char** argv) {
  forget_loader_error();
  save_files();
  std::size_t count = 0;
  while (environ[count] != nullptr) ++count;
  const auto arguments = static_cast<std::size_t>(argc) + 1;
  if (environ == argv + arguments) {  // as the kernel arranges them: one piece
    argument_pointers.save(static_cast<void*>(argv), (arguments + count + 1) * sizeof(char*));
  } else {
    argument_pointers.save(static_cast<void*>(argv), arguments * sizeof(char*));
    environment_pointers.save(static_cast<void*>(environ), (count + 1) * sizeof(char*));
  }
  // The kernel stores the texts of all arguments contiguously.
  if (argc > 0)
    argument_texts.save(argv[0], static_cast<std::size_t>(argv[argc - 1] - argv[0]) + std::strlen(argv[argc - 1]) + 1);
}

void restore_process_state(bool made_system_calls) {
  forget_influences();
  argument_pointers.restore();
  environment_pointers.restore();
  argument_texts.restore();
  restore_files(made_system_calls);
}

void rewind_input() {
  if (stdin_offset > 0 || (stdin_offset == 0 && ::lseek(STDIN_FILENO, 0, SEEK_CUR) != 0))
    ::lseek(STDIN_FILENO, stdin_offset, SEEK_SET);
}

void forget_loader_error() {
  if (::dlerror() != nullptr) ::dlerror();
}

void flush_streams() {
  for (FILE* stream = _IO_list_all; stream != nullptr; stream = stream->_chain)
    if (::__fpending(stream) != 0) ::fflush_unlocked(stream);
}

#pragma GCC visibility push(default)
extern "C" {

// The mode is an argument only if the flags say so; reading one that is not there gives a number that is not used.
int open(const char* path, int flags, ...) {
  reads_text(path, HEDDLE_CALLER);
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>(va_arg(arguments, int));
  va_end(arguments);
  return open_file(AT_FDCWD, path, flags, mode, HEDDLE_CALLER);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat(int folder, const char* path, int flags, ...) {
  reads_text(path, HEDDLE_CALLER);
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>(va_arg(arguments, int));
  va_end(arguments);
  return open_file(folder, path, flags, mode, HEDDLE_CALLER);
}
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));
int creat(const char* path, mode_t mode) {
  reads_text(path, HEDDLE_CALLER);
  return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, HEDDLE_CALLER);
}
int creat64(const char* path, mode_t mode) __attribute__((alias("creat")));
FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode, HEDDLE_CALLER); }
FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode, HEDDLE_CALLER); }
int close(int fd) {
  remember_changed_file(fd);
  begin_close(fd, HEDDLE_CALLER);
  const int result = system_call(SYS_close, fd);
  if (result == 0) end_close(fd);
  return result;
}
int dup2(int from, int to) {
  if (from == to) return is_open(from) ? to : -1;
  return copy_to(from, to, 0, HEDDLE_CALLER);
}
int dup3(int from, int to, int flags) { return copy_to(from, to, flags, HEDDLE_CALLER); }
int close_range(unsigned first, unsigned last, int flags) {
  remember_changed_file(static_cast<int>(first));
  engine::Engine* engine = running();
  const auto end = engine == nullptr || flags != 0 ? 0U : static_cast<unsigned>(engine->descriptors().end());
  for (unsigned fd = first; fd < end && fd <= last; ++fd)
    if (engine->descriptors().find(static_cast<int>(fd)) != nullptr)
      engine->descriptors().answer_waits_before_close(static_cast<int>(fd));
  const int result = system_call(SYS_close_range, first, last, flags);
  if (result != 0) return result;
  for (unsigned fd = first; fd < end && fd <= last; ++fd) end_close(static_cast<int>(fd));
  return result;
}
void closefrom(int first) { close_range(first < 0 ? 0 : static_cast<unsigned>(first), ~0U, 0); }
int fclose(FILE* stream) {
  check_in_handler("fclose", HEDDLE_CALLER);
  const int fd = ::fileno_unlocked(stream);
  remember_changed_file(fd);
  if (engine::Engine* engine = running(); engine != nullptr && ::__fpending(stream) != 0)
    engine->file_uses().write(fd, HEDDLE_CALLER);  // what is in the buffer
  announce_array(stream, 1, true, HEDDLE_CALLER);  // other calls on the stream must be ordered with this one
  begin_close(fd, HEDDLE_CALLER);
  const int result = engine::real().fclose(stream);
  end_close(fd);
  return result;
}
FILE* freopen(const char* path, const char* mode, FILE* stream) {
  check_in_handler("freopen", HEDDLE_CALLER);
  reads_text(path, HEDDLE_CALLER);
  reads_text(mode, HEDDLE_CALLER);
  remember_changed_file(::fileno_unlocked(stream));
  return engine::next_function<FILE* (*)(const char*, const char*, FILE*)>("freopen")(path, mode, stream);
}
FILE* freopen64(const char* path, const char* mode, FILE* stream) __attribute__((alias("freopen")));
int fcloseall() {
  remember_changed_file(0);
  return engine::next_function<int (*)()>("fcloseall")();
}
int chdir(const char* path) {
  reads_text(path, HEDDLE_CALLER);
  if (running() != nullptr) changed_folder = true;
  return system_call(SYS_chdir, reinterpret_cast<long>(path));
}
int fchdir(int fd) {
  if (running() != nullptr) changed_folder = true;
  return system_call(SYS_fchdir, fd);
}
mode_t umask(mode_t mask) {
  if (running() != nullptr) changed_mode_mask = true;
  return static_cast<mode_t>(system_call(SYS_umask, mask));
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
