// The register that locates thread-local storage. Setting it gives the running fiber another thread's thread_local
// variables, errno and pthread_self().
#pragma once

#include <cstdint>

namespace heddle::engine {

std::uintptr_t thread_pointer();
void set_thread_pointer(std::uintptr_t value);

}  // namespace heddle::engine
