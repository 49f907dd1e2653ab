#include "engine/threads/address_names.hpp"

#include "base/hash.hpp"
#include "engine/isolation/mappings.hpp"

namespace heddle::engine {

namespace {
// Thread-local variables lie below the thread pointer, at most this far.
constexpr std::uintptr_t largest_static_tls = 64 * 1024;
}  // namespace

std::uint64_t AddressNames::owner_of(std::uint32_t place) const {
  const ProgramThread* thread = place < by_place_.size() ? by_place_[place] : nullptr;
  return thread == nullptr ? place : thread->name;
}

std::uint64_t AddressNames::name_of(std::uintptr_t address) const {
  const auto as_pointer = reinterpret_cast<const void*>(address);
  if (heap_.contains(as_pointer)) {
    return base::hash_words(1, owner_of(heap_.slot_of(address)), heap_.offset_in_slot(address));
  }
  if (Mappings::region.contains(address))
    return base::hash_words(6, owner_of(Mappings::place_of(address)), Mappings::offset_in_window(address));
  if (modules_.program_holds(address)) return base::hash_words(3, modules_.canonical(address));
  for (const ProgramThread* thread : threads_)
    if (thread->fiber.stack().contains(address))
      return base::hash_words(2, thread->name, thread->fiber.stack().end - address);
  // Libraries may lie right below a thread's storage, or somewhere else the next time.
  if (modules_.find(address) != nullptr) return base::hash_words(3, modules_.canonical(address));
  for (const ProgramThread* thread : threads_) {
    const std::uintptr_t below = thread->fiber.thread_pointer() - address;
    if (below < largest_static_tls) return base::hash_words(4, thread->name, below);
  }
  // Counted from the call of the check: the distance to the stack's end depends on the environment.
  if (callers_stack_.contains(address)) return base::hash_words(5, address - callers_stack_.begin);
  return base::hash_words(3, modules_.canonical(address));
}

bool AddressNames::is_on_a_stack(std::uintptr_t address) const {
  for (const ProgramThread* thread : threads_)
    if (thread->fiber.stack().contains(address)) return true;
  return callers_stack_.contains(address);
}

}  // namespace heddle::engine
