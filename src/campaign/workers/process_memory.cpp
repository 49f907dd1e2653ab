#include "campaign/workers/process_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace heddle::campaign {

namespace {

std::uint64_t page_size() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

/// The beginning of a small file, without the buffers of a stream: it is read many times a second.
class SmallFile {
 public:
  explicit SmallFile(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t size = ::read(fd, text_, sizeof text_ - 1);
    ::close(fd);
    text_[size > 0 ? size : 0] = '\0';
  }
  /// Returns false behind the last number.
  bool read(std::uint64_t& number) {
    char* end = nullptr;
    number = std::strtoull(next_, &end, 10);
    return std::exchange(next_, end) != end;
  }

 private:
  char text_[4096] = {};
  const char* next_ = text_;
};

std::uint64_t resident_memory(std::uint64_t process) {
  SmallFile file(fmt::format("/proc/{}/statm", process));
  std::uint64_t size = 0, resident = 0;
  return file.read(size) && file.read(resident) ? resident * page_size() : 0;
}

}  // namespace

std::uint64_t memory_in_use(pid_t process) {
  std::uint64_t most = resident_memory(static_cast<std::uint64_t>(process));
  SmallFile children(fmt::format("/proc/{0}/task/{0}/children", process));
  for (std::uint64_t child = 0; children.read(child);) most = std::max(most, resident_memory(child));
  return most;
}

std::uint64_t memory_limit(std::uint64_t max_memory) {
  // Records of accesses take another eight bytes for each byte of the heap, up to 1 GiB, and fewer beyond that.
  constexpr std::uint64_t runtime = std::uint64_t{2} << 30;
  const std::uint64_t wanted = max_memory > UINT64_MAX / 4 ? UINT64_MAX : 3 * max_memory + runtime;
  const std::uint64_t machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page_size();
  return std::min(wanted, machine / 4 * 3);
}

}  // namespace heddle::campaign
