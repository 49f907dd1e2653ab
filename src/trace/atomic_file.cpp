#include "trace/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace heddle {

namespace {

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Problem cannot_write(const std::string& path, int error) {
  return test_problem(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

/// Devices, pipes and the like (--json /dev/stdout) cannot be replaced by a rename.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

Outcome write_in_place(const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return cannot_write(path, errno);
  const bool written = write_all(fd, content);
  const int error = errno;
  ::close(fd);
  if (!written) return cannot_write(path, error);
  return {};
}

}  // namespace

Outcome write_file_atomically(const std::string& path, std::string_view content) {
  if (is_special(path)) return write_in_place(path, content);
  // The process id distinguishes the temporary files of two heddle processes that write the same file.
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return cannot_write(path, errno);
  const bool written = write_all(fd, content);
  int error = errno;
  const bool closed = ::close(fd) == 0;
  if (written && !closed) error = errno;
  if (written && closed && ::rename(temporary.c_str(), path.c_str()) == 0) return {};
  if (written && closed) error = errno;
  ::unlink(temporary.c_str());
  return cannot_write(path, error);
}

Result<std::string> read_whole_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return test_problem(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::string content;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      ::close(fd);
      return test_problem(fmt::format("cannot read {}: {}", path, std::strerror(error)));
    }
    content.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(fd);
  return content;
}

}  // namespace heddle
