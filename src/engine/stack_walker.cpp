#include "engine/stack_walker.hpp"

#include <unwind.h>

namespace heddle::engine {

namespace {

struct Frames {
  std::span<std::uint64_t> out;
  std::size_t count = 0;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* data) {
  auto& frames = *static_cast<Frames*>(data);
  if (frames.count == frames.out.size()) return _URC_END_OF_STACK;
  frames.out[frames.count++] = static_cast<std::uint64_t>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

std::size_t walk_own_stack(std::span<std::uint64_t> out) {
  Frames frames{out};
  _Unwind_Backtrace(note_frame, &frames);
  return frames.count;
}

}  // namespace

std::size_t StackWalker::walk(ProgramThread& thread, std::span<std::uint64_t> out) {
  ProgramThread& self = threads_.current();
  if (&thread == &self) return walk_own_stack(out);
  if (!thread.started || thread.state != ProgramThread::State::alive) return 0;
  asked_by_ = &self;
  out_ = out;
  count_ = 0;
  Fiber::switch_between(self.fiber, thread.fiber);
  return count_;
}

void StackWalker::answer(ProgramThread& self) {
  ProgramThread& asked_by = *asked_by_;
  asked_by_ = nullptr;
  count_ = walk_own_stack(out_);
  Fiber::switch_between(self.fiber, asked_by.fiber);
}

}  // namespace heddle::engine
