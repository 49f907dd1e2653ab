// Plain memory: race checks, and the life of heap blocks.
#include "engine/engine.hpp"

namespace heddle::engine {

namespace {
constexpr std::uintptr_t cell_bytes = races::ShadowMemory::cell_bytes;
// Larger blocks are not marked byte for byte: a race between the allocation itself and a first access to such a block
// goes unseen, and so does a use after free of bytes that nobody accessed before.
constexpr std::size_t largest_marked_block = 16 * 1024;
}  // namespace

races::Access Engine::plain_access_now(std::uintptr_t address, std::size_t size, races::AccessType type,
                                       races::AccessCause cause, std::uint64_t site) {
  const graph::Thread& thread = graph_.thread(current_->id);
  races::Access access;
  access.address = address;
  access.size = size;
  access.type = type;
  access.cause = cause;
  access.thread = current_->id;
  access.index = thread.plain_index();
  access.clock = thread.clock;
  access.site = site;
  access.stack = current_->calls.intern(stacks_);
  return access;
}

/// Whether a loop waits (WaitingLoop) is judged by the thread's stack as it is, and by nothing else having changed.
void Engine::wrote_for_program(std::uintptr_t address) {
  if (limits_.exhaustive && !current_->fiber.stack().contains(address)) had_effect();
}

bool Engine::access_in_peace(races::Cell* cell, std::uint64_t first_word, std::uint32_t size, std::uint64_t site) {
  if (current_->ignore_depth != 0) return false;
  if (!current_->calls.is_interned()) return intern_and_access(cell, first_word, size, site);
  const auto record = races::RecordStamp::of_plain(first_word, size, site, current_->calls.intern(stacks_));
  return races_.access_in_peace(cell, record, *graph_.thread(current_->id).clock);
}

/// Apart, so that who has nothing to intern need not save any registers.
[[gnu::noinline]] bool Engine::intern_and_access(races::Cell* cell, std::uint64_t first_word, std::uint32_t size,
                                                 std::uint64_t site) {
  current_->calls.intern(stacks_);
  return access_in_peace(cell, first_word, size, site);
}

void Engine::plain_access(std::uintptr_t address, std::size_t size, bool write, std::uint64_t site) {
  if (write) wrote_for_program(address);
  if (current_->ignore_depth != 0 || size == 0) return;
  const races::AccessType type = write ? races::AccessType::plain_write : races::AccessType::plain_read;
  const races::Access access = plain_access_now(address, size, type, races::AccessCause::access, site);
  if (const auto conflict = races_.access(access)) findings_.report_race(access, *conflict);
}

void* Engine::allocate(std::size_t size, std::size_t alignment, std::uint64_t site) {
  beat();
  if (limits_.exhaustive) had_effect();
  const std::uint32_t stack = stacks_.child(current_->calls.intern(stacks_), site);
  void* pointer = heap_.allocate(number(current_->id), size, alignment, stack);
  if (pointer == nullptr) {
    if (size >= std::size_t{1} << 40) return nullptr;  // no machine has that: the program must cope
    char message[160];
    std::snprintf(message, sizeof message,
                  "the program wants more heap than --max-memory allows (%zu more bytes when %zu were in use)", size,
                  heap_.allocated());
    findings_.report_limit(LimitKind::memory, message, site);
    end_execution(strategies::Outcome::cut_off);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  // The memory may have had a life before: forget its atomics, objects and accesses.
  const auto forget = [this](races::Cell& cell, std::uintptr_t at) {
    for (std::uintptr_t byte = at; byte < at + cell_bytes && (cell.has_location || cell.has_object); ++byte) {
      forget_location(byte);
      forget_object(byte);
    }
    cell.has_location = cell.has_object = false;
    cell.count = 0;
    cell.more.clear();
  };
  if (size > largest_marked_block || !modules_.is_instrumented_code(site))
    races_.for_each_known_cell(address, size, forget);
  else
    races_.begin_block(
        plain_access_now(address, size, races::AccessType::plain_write, races::AccessCause::allocation, site), forget);
  return pointer;
}

void Engine::deallocate(void* pointer, std::uint64_t site) {
  const auto check = [&](std::size_t size) {
    if (size == 0 || !modules_.is_instrumented_code(site)) return;
    const races::Access access =
        plain_access_now(reinterpret_cast<std::uintptr_t>(pointer), size, races::AccessType::plain_write,
                         races::AccessCause::deallocation, site);
    const auto conflict = size > largest_marked_block ? races_.access_where_known(access) : races_.access(access);
    if (conflict) findings_.report_race(access, *conflict);
  };
  switch (heap_.release(number(current_->id), pointer, reuse_, check)) {
    case FreeResult::freed: return;
    case FreeResult::already_free: findings_.report_double_free(pointer, site); break;
    case FreeResult::not_a_block: findings_.report_invalid_free(pointer, site); break;
  }
  end_execution(strategies::Outcome::completed);  // a real allocator would be corrupt from here on
}

}  // namespace heddle::engine
