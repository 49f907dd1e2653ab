// Kernel threads that never run: each lends its thread-local storage, and its pthread_t, to a fiber.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle::engine {

struct KernelThread {
  pthread_t handle = 0;
  std::uintptr_t thread_pointer = 0;
};

/// Starts one and waits until it is parked. Its stack, its thread-local storage and its descriptor, which the handle
/// points to, lie in `memory`. Handle 0 if the system refuses.
KernelThread park_new_kernel_thread(std::span<std::byte> memory);

}  // namespace heddle::engine
