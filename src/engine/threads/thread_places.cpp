#include "engine/threads/thread_places.hpp"

#include <sys/mman.h>

#include <cstring>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/isolation/kernel_threads.hpp"

namespace heddle::engine {

namespace {

// Beside the program's thread-local variables, a parked thread needs the C library's and a small stack.
constexpr std::size_t least_storage = std::size_t{256} << 10;
// The first children of main have places of their own. All other threads share the upper half.
constexpr std::uint32_t first_shared = ThreadPlaces::count / 2;
constexpr std::uint32_t shared = ThreadPlaces::count - first_shared;

std::uint32_t preferred_place(const ProgramThread& thread) {
  if (thread.parent == nullptr) return 0;
  if (thread.depth == 1 && thread.spawn_index < first_shared) return thread.spawn_index;
  return first_shared + static_cast<std::uint32_t>(base::hash_words(thread.name) % shared);
}

/// Memory at a fixed address, or anywhere if the address is in use.
std::byte* reserve_at(std::uintptr_t address, std::size_t size, int protection) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* memory = map_memory(reinterpret_cast<void*>(address), size, protection, flags);
  HEDDLE_CHECK(memory != MAP_FAILED, "no address space for threads (ulimit -v?)");
  return static_cast<std::byte*>(memory);
}

}  // namespace

bool ThreadPlaces::try_take(std::uint32_t place) {
  if (taken_in_[place] == execution_) return false;
  taken_in_[place] = execution_;
  return true;
}

std::uint32_t ThreadPlaces::take(const ProgramThread& thread) {
  const std::uint32_t preferred = preferred_place(thread);
  if (try_take(preferred)) return preferred;
  for (std::uint32_t i = 0; i < shared; ++i)
    if (const std::uint32_t place = first_shared + (preferred + i) % shared; try_take(place)) return place;
  for (std::uint32_t place = 1; place < first_shared; ++place)
    if (try_take(place)) return place;
  return none;
}

void ThreadPlaces::reserve() {
  if (stacks_ != nullptr) return;
  stacks_ = reserve_at(layout::stacks, count * stack_size, PROT_NONE);
  std::size_t variables = 0;
  for (const Module& module : modules_.all())
    if (module.has_tls) variables += module.tls.size;
  storage_size_ = least_storage;
  while (storage_size_ < least_storage / 2 + variables) storage_size_ *= 2;
  storages_ = reserve_at(layout::thread_storage, count * storage_size_, PROT_READ | PROT_WRITE);
}

bool ThreadPlaces::park(std::uint32_t place) {
  // The C library blocks all signals while it creates a thread, and writes to its variables.
  if (snapshot_ != nullptr) snapshot_->begin_lasting_writes();
  const KernelThread kernel = park_new_kernel_thread({storages_ + place * storage_size_, storage_size_});
  if (snapshot_ != nullptr) snapshot_->end_lasting_writes();
  if (kernel.handle == 0) return false;
  ++parked_;
  // What the loader and the C library have filled in.
  const auto initial = forever_.create_array<std::byte>(modules_.static_tls().size());
  if (!initial.empty()) std::memcpy(initial.data(), static_tls_of(kernel.thread_pointer), initial.size());
  storage_[place] = {kernel.handle, kernel.thread_pointer, initial.data()};
  return true;
}

void* ThreadPlaces::static_tls_of(std::uintptr_t thread_pointer) const {
  return reinterpret_cast<void*>(thread_pointer + static_cast<std::uintptr_t>(modules_.static_tls().begin));
}

void ThreadPlaces::renew_storage(const ProgramThread& thread) const {
  const std::size_t size = modules_.static_tls().size();
  if (thread.initial_tls == nullptr || size == 0) return;
  std::memcpy(static_tls_of(thread.fiber.thread_pointer()), thread.initial_tls, size);
}

bool ThreadPlaces::furnish(ProgramThread& thread, std::uint32_t place, std::uintptr_t main_pointer) {
  if (thread.place == place && thread.fiber.is_prepared()) {
    thread.fiber.set_thread_pointer(storage_[place].thread_pointer);  // a fiber of the program may have had another's
    return true;
  }
  reserve();
  Storage& storage = storage_[place];
  if (thread.parent == nullptr)
    storage = {::pthread_self(), main_pointer, nullptr};
  else if (storage.handle == 0 && !park(place))
    return false;
  thread.place = place;
  thread.handle = storage.handle;
  thread.initial_tls = storage.initial_tls;
  thread.fiber.prepare(stacks_ + place * stack_size, stack_size, storage.thread_pointer,
                       modules_.need_executable_stacks());
  return true;
}

}  // namespace heddle::engine
