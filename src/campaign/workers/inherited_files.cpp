#include "campaign/workers/inherited_files.hpp"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include "campaign/workers/launcher_variables.hpp"

namespace heddle::campaign {

namespace {

constexpr int standard_files = 3;

/// All open files of this process but the standard ones, sorted.
std::vector<int> open_files() {
  std::vector<int> listed;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd >= standard_files) listed.push_back(fd);
  }
  std::erase_if(listed, [](int fd) { return ::fcntl(fd, F_GETFD) < 0; });  // the one that listed them
  std::sort(listed.begin(), listed.end());
  return listed;
}

// Initialised before main(), when the driver has not opened any file yet.
const std::vector<DescriptorRange> opened_by_driver =
    ranges_without(has_launcher() ? std::vector<int>() : open_files());

}  // namespace

std::vector<DescriptorRange> ranges_without(std::span<const int> kept) {
  std::vector<DescriptorRange> ranges;
  unsigned first = standard_files;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (first < number) ranges.push_back({first, number - 1});
    first = number + 1;
  }
  ranges.push_back({first, std::numeric_limits<unsigned>::max()});
  return ranges;
}

std::span<const DescriptorRange> files_of_driver() { return opened_by_driver; }

}  // namespace heddle::campaign
