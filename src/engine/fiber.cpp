#include "engine/fiber.hpp"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>

#include "base/check.hpp"
#include "engine/thread_pointer.hpp"

namespace heddle::engine {

namespace context = boost::context::detail;

namespace {

constexpr std::size_t guard_size = 64 * 1024;  // larger than any one frame that skips ahead without touching it

// What a switch carries over: where to remember the place it came from, and the fiber that goes on.
struct Passage {
  void** left;
  Fiber* to;
};

}  // namespace

void enter_fiber(void* transfer_from, void* data) {
  auto* passage = static_cast<Passage*>(data);
  if (passage->left != nullptr) *passage->left = transfer_from;
  Fiber& self = *passage->to;
  self.entry_(self.argument_);
  base::check_failed(__FILE__, __LINE__, "entry", "a fiber's entry returned");
}

namespace {
// An unwinder that walks down a fiber's stack must find its end here: an exception that nobody catches then
// becomes std::terminate, as the language says, instead of a walk into the void.
void fiber_bottom(context::transfer_t transfer) {
#if defined(__x86_64__)
  asm volatile(".cfi_undefined rip");
#else
  asm volatile(".cfi_undefined x30");
#endif
  enter_fiber(transfer.fctx, transfer.data);
  __builtin_trap();
}
}  // namespace

void Fiber::prepare(std::byte* stack, std::size_t stack_size, std::uintptr_t thread_pointer) {
  HEDDLE_CHECK(::mprotect(stack + guard_size, stack_size - guard_size, PROT_READ | PROT_WRITE) == 0,
               "no memory for a stack");
  HEDDLE_CHECK(::mprotect(stack, guard_size, PROT_NONE) == 0, "no guard for a stack");
  stack_ = stack;
  stack_size_ = stack_size;
  thread_pointer_ = thread_pointer;
}

void Fiber::start(Entry entry, void* argument) {
  entry_ = entry;
  argument_ = argument;
  context_ = context::make_fcontext(stack_ + stack_size_, stack_size_ - guard_size, fiber_bottom);
}

void Fiber::switch_between(Fiber& from, Fiber& to) {
  Passage passage{&from.context_, &to};
  if (from.thread_pointer_ != to.thread_pointer_) engine::set_thread_pointer(to.thread_pointer_);
  const context::transfer_t back = context::jump_fcontext(to.context_, &passage);
  auto* arrival = static_cast<Passage*>(back.data);
  if (arrival->left != nullptr) *arrival->left = back.fctx;
}

void Fiber::abandon_for(Fiber& to) {
  Passage passage{nullptr, &to};
  engine::set_thread_pointer(to.thread_pointer_);
  context::jump_fcontext(to.context_, &passage);
  __builtin_unreachable();
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
