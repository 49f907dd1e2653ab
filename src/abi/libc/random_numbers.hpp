// Random numbers of the program. The seed and the number of the execution determine them, so that an execution can be
// repeated.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "abi/start/runtime.hpp"

namespace heddle::abi {

/// getrandom, called from `site`.
ssize_t get_random_bytes(void* buffer, std::size_t size, std::uint64_t site);
void fill_randomly(engine::Engine& engine, void* buffer, std::size_t size);

/// Whether the path is that of a device of the kernel that gives random bytes.
bool is_random_device(const char* path);
/// Opens a file with random bytes in place of such a device. -1: the system has no file for it, and errno says why.
int open_random_bytes(engine::Engine& engine, int flags);

}  // namespace heddle::abi
