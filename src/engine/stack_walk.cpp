// Walks the stacks of threads for reports. The instrumentation's own record of calls misses code that it does not
// instrument (the C++ library's std::thread::join, say); the frames themselves do not. A thread that is switched out
// walks its own stack: it is woken for a moment, inside switch_to, and goes back to sleep.
#include <unwind.h>

#include "engine/engine.hpp"

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

/// Runs as if outside the program: what the unwinder does to find its way is not the program's doing.
std::size_t walk_own_stack(std::span<std::uint64_t> out) {
  Frames frames{out};
  _Unwind_Backtrace(note_frame, &frames);
  return frames.count;
}

}  // namespace

std::size_t Engine::walk_stack(ProgramThread& thread, std::span<std::uint64_t> out) {
  if (&thread == current_) return walk_own_stack(out);
  if (!thread.started || thread.state != ProgramThread::State::alive) return 0;
  stack_walk_ = {current_, out, 0};
  Fiber::switch_between(current_->fiber, thread.fiber);
  return stack_walk_.count;
}

void Engine::answer_stack_walk(ProgramThread& self) {
  ProgramThread& asked_by = *stack_walk_.asked_by;
  stack_walk_.asked_by = nullptr;
  stack_walk_.count = walk_own_stack(stack_walk_.out);
  Fiber::switch_between(self.fiber, asked_by.fiber);
}

bool Engine::is_foreign_code(std::uint64_t pc) const {
  const Module* module = modules_.find(pc);
  return module != nullptr && module->role != ModuleRole::heddle;
}

}  // namespace heddle::engine
