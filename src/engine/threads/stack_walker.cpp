#include "engine/threads/stack_walker.hpp"

#include <unwind.h>

namespace heddle::engine {

namespace {

struct Frames {
  std::span<std::uint64_t> out;
  std::size_t count = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* data) {
  auto& frames = *static_cast<Frames*>(data);
  if (frames.count == frames.out.size()) return _URC_END_OF_STACK;
  frames.out[frames.count++] = static_cast<std::uint64_t>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

std::size_t walk_own_stack(std::span<std::uint64_t> out) {
  Frames frames{out};
  _Unwind_Backtrace(add_frame, &frames);
  return frames.count;
}

}  // namespace

/// Lets another thread answer what `wants_stack_pointer_` and `out_` ask for. Returns false if it has no frames.
bool StackWalker::resume(ProgramThread& thread) {
  if (!thread.started || thread.dormant || thread.state != ProgramThread::State::alive) return false;
  ProgramThread& self = threads_.current();
  asked_by_ = &self;
  Fiber::switch_between(self.fiber, thread.fiber);
  return true;
}

std::size_t StackWalker::walk(ProgramThread& thread, std::span<std::uint64_t> out) {
  if (&thread == &threads_.current()) return walk_own_stack(out);
  out_ = out;
  wants_stack_pointer_ = false;
  return resume(thread) ? count_ : 0;
}

std::uintptr_t StackWalker::program_stack_pointer(ProgramThread& thread) {
  wants_stack_pointer_ = true;
  return resume(thread) ? stack_pointer_ : 0;
}

std::uintptr_t StackWalker::find_own_stack_pointer() const {
  struct Visit {
    const Modules& modules;
    std::uintptr_t stack_pointer = 0;
  } visit{modules_};
  const auto look = [](_Unwind_Context* context, void* data) {
    auto& found = *static_cast<Visit*>(data);
    if (!found.modules.is_foreign_code(static_cast<std::uint64_t>(_Unwind_GetIP(context)))) return _URC_NO_REASON;
    found.stack_pointer = static_cast<std::uintptr_t>(_Unwind_GetCFA(context));
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(look, &visit);
  return visit.stack_pointer;
}

void StackWalker::answer(ProgramThread& self) {
  ProgramThread& asked_by = *asked_by_;
  asked_by_ = nullptr;
  if (wants_stack_pointer_)
    stack_pointer_ = find_own_stack_pointer();
  else
    count_ = walk_own_stack(out_);
  Fiber::switch_between(self.fiber, asked_by.fiber);
}

}  // namespace heddle::engine
