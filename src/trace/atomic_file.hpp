// Writes files completely or not at all: into a temporary file beside the target, which is then renamed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace heddle {

Outcome write_file_atomically(const std::string& path, std::string_view content);
Result<std::string> read_whole_file(const std::string& path);

/// A file that is open for reading.
class InputFile {
 public:
  /// A problem says that `path` cannot be read, or that it is no regular file: devices and pipes may have no end, or
  /// may never begin.
  static Result<InputFile> open(const std::string& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  std::uint64_t size() const { return size_; }
  /// Up to `most` bytes from the beginning.
  Result<std::string> read(std::uint64_t most) const;

 private:
  InputFile(std::string path, int fd, std::uint64_t size) : path_(std::move(path)), fd_(fd), size_(size) {}

  std::string path_;
  int fd_;
  std::uint64_t size_;
};

}  // namespace heddle
