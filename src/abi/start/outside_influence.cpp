#include "abi/start/outside_influence.hpp"

#include <cstdio>
#include <cstring>

namespace heddle::abi {

namespace {

constexpr std::size_t most_files = 16;
constexpr std::size_t longest_path = 256;

struct UsedFile {
  char path[longest_path];
  bool is_read;
  bool is_written;
};
UsedFile files[most_files];
std::size_t file_count = 0;
bool reads_clock = false;

bool begins_with(const char* path, const char* folder) { return std::strncmp(path, folder, std::strlen(folder)) == 0; }

template <typename Predicate>
const UsedFile* find_file(Predicate matches) {
  for (std::size_t i = 0; i < file_count; ++i)
    if (matches(files[i])) return &files[i];
  return nullptr;
}

}  // namespace

void forget_influences() {
  file_count = 0;
  reads_clock = false;
}

void record_file_use(const char* path, bool reads, bool writes) {
  if (path == nullptr || begins_with(path, "/dev/")) return;
  auto* used = const_cast<UsedFile*>(
      find_file([&](const UsedFile& file) { return std::strncmp(file.path, path, longest_path - 1) == 0; }));
  if (used == nullptr) {
    if (file_count == most_files) return;
    used = &files[file_count++];
    std::snprintf(used->path, sizeof used->path, "%s", path);
    used->is_read = used->is_written = false;
  }
  used->is_read |= reads;
  used->is_written |= writes;
}

void record_real_clock() { reads_clock = true; }

const char* written_file() {
  const UsedFile* file = find_file([](const UsedFile& used) { return used.is_written; });
  return file == nullptr ? nullptr : file->path;
}

void describe_influence(char* text, std::size_t size, bool has_random_addresses) {
  const auto is_of_kernel = [](const UsedFile& file) {
    return begins_with(file.path, "/proc/") || begins_with(file.path, "/sys/");
  };
  if (const auto* file = find_file([](const UsedFile& used) { return used.is_read && used.is_written; }))
    std::snprintf(text, size, "it depends on the file %s, which it reads and writes", file->path);
  else if (reads_clock)
    std::snprintf(text, size, "it depends on the real time, which it reads with syscall()");
  else if (const auto* state = find_file(is_of_kernel))
    std::snprintf(text, size, "it may depend on %s, which the kernel changes", state->path);
  else if (has_random_addresses)
    std::snprintf(text, size, "it may depend on an address: --aslr makes them differ between processes");
  else if (const char* written = written_file())
    std::snprintf(text, size, "it may depend on the file %s, to which it writes", written);
  else if (file_count != 0)
    std::snprintf(text, size, "it may depend on the file %s, which it reads", files[0].path);
  else
    std::snprintf(text, size,
                  "something that heddle does not control influences it: the processor's clock (rdtsc), another "
                  "process, or an address from outside");
}

}  // namespace heddle::abi
