#include "engine/isolation/fiber.hpp"

#include <sys/mman.h>

#include "base/check.hpp"

namespace heddle::engine {

namespace {
constexpr std::size_t guard_size = 64 * 1024;  // larger than any one frame that skips ahead without touching it
}

void Fiber::enter(Arrival arrival) {
  Fiber& self = *static_cast<Passage*>(arrival.data)->to;
  arrive(arrival);
  self.entry_(self.argument_);
  base::check_failed(__FILE__, __LINE__, "entry", "a fiber's entry returned");
}

namespace {
// An unwinder that walks down a fiber's stack must find its end here: an exception that is not caught then
// becomes std::terminate, as the language says, instead of a walk into the void.
void fiber_bottom(Arrival arrival) {
#if defined(__x86_64__)
  asm volatile(".cfi_undefined rip");
#else
  asm volatile(".cfi_undefined x30");
#endif
  Fiber::enter(arrival);
  __builtin_trap();
}
}  // namespace

void Fiber::prepare(std::byte* stack, std::size_t stack_size, std::uintptr_t thread_pointer, bool is_executable) {
  const int protection = PROT_READ | PROT_WRITE | (is_executable ? PROT_EXEC : 0);
  HEDDLE_CHECK(::mprotect(stack + guard_size, stack_size - guard_size, protection) == 0, "no memory for a stack");
  HEDDLE_CHECK(::mprotect(stack, guard_size, PROT_NONE) == 0, "no guard for a stack");
  stack_ = stack;
  stack_size_ = stack_size;
  thread_pointer_ = thread_pointer;
}

void Fiber::start(Entry entry, void* argument) {
  entry_ = entry;
  argument_ = argument;
  context_ = make_context(stack_ + stack_size_, stack_size_ - guard_size, fiber_bottom);
}

Range Fiber::guard() const {
  const auto begin = reinterpret_cast<std::uintptr_t>(stack_);
  return {begin, begin + guard_size};
}

Range Fiber::stack() const {
  const auto begin = reinterpret_cast<std::uintptr_t>(stack_);
  return {begin, begin + stack_size_};
}

}  // namespace heddle::engine
