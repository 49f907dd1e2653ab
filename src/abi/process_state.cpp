#include "abi/process_state.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include "abi/forever.hpp"

namespace heddle::abi {

namespace {

constexpr int known_files = 256;

bool was_open[known_files];
int first_free = 0;

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

char** environment = nullptr;
SavedBytes environment_pointers;
SavedBytes argument_pointers;
SavedBytes argument_texts;

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace

void save_process_state(int argc, char** argv) {
  for (int fd = 0; fd < known_files; ++fd) was_open[fd] = is_open(fd);
  while (first_free < known_files && was_open[first_free]) ++first_free;

  environment = environ;
  std::size_t count = 0;
  while (environment[count] != nullptr) ++count;
  environment_pointers.save(static_cast<void*>(environment), (count + 1) * sizeof(char*));
  argument_pointers.save(static_cast<void*>(argv), (static_cast<std::size_t>(argc) + 1) * sizeof(char*));
  // The kernel stores the texts of all arguments contiguously.
  if (argc > 0)
    argument_texts.save(argv[0], static_cast<std::size_t>(argv[argc - 1] - argv[0]) + std::strlen(argv[argc - 1]) + 1);
}

void restore_process_state(bool made_system_calls) {
  environ = environment;
  environment_pointers.restore();
  argument_pointers.restore();
  argument_texts.restore();
  // A new file gets the lowest free number, so one call tells whether the program left a file open.
  if (!made_system_calls || !is_open(first_free)) return;
  for (int fd = first_free; fd < known_files; ++fd)
    if (!was_open[fd]) ::close(fd);
  ::close_range(known_files, ~0U, 0);
}

}  // namespace heddle::abi
