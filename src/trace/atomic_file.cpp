#include "trace/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

/// Creates a new file beside `path`. It follows no link and opens no file that is there already: in a folder that
/// others can write to, those may lead elsewhere. Returns -1 and sets errno if that fails.
int create_temporary(const std::string& path, std::string& temporary) {
  // The process id distinguishes heddle processes that write the same file. A killed process may have left its file.
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), i);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

Problem cannot_read(const std::string& path, int error) {
  return test_problem(fmt::format("cannot read {}: {}", path, std::strerror(error)));
}

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer does not block
  if (fd < 0) return cannot_read(path, errno);
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  InputFile file(path, fd, static_cast<std::uint64_t>(status.st_size));
  if (known && S_ISDIR(status.st_mode)) return cannot_read(path, EISDIR);
  if (!known || !S_ISREG(status.st_mode)) return test_problem(fmt::format("{} is not a regular file", path));
  return file;
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}

Result<std::string> InputFile::read(std::uint64_t most) const {
  std::string content(static_cast<std::size_t>(std::min(most, size_)), '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const ssize_t count = ::pread(fd_, content.data() + got, content.size() - got, static_cast<off_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_read(path_, errno);
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  content.resize(got);
  return content;
}

Outcome write_file_atomically(const std::string& path, std::string_view content) {
  if (is_special(path)) return write_in_place(path, content);
  std::string temporary;
  const int fd = create_temporary(path, temporary);
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
  if (fd < 0) return cannot_read(path, errno);
  std::string content;
  char buffer[64 * 1024];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      ::close(fd);
      return cannot_read(path, error);
    }
    content.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(fd);
  return content;
}

}  // namespace heddle
