#include "campaign/process_memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace heddle::campaign {

namespace {

std::uint64_t page_size() { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

std::uint64_t resident_memory(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  std::uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * page_size();
}

}  // namespace

std::uint64_t memory_in_use(pid_t process) {
  std::uint64_t most = resident_memory(process);
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", process));
  for (pid_t child = 0; children >> child;) most = std::max(most, resident_memory(child));
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
