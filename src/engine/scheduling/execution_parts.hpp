// What most parts of the engine work on. A constructor takes these together, so that its other parameters name what is
// special to the part. The parts keep references of their own: an access costs no second step.
#pragma once

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::races {
class Detector;
}

namespace heddle::engine {

class AddressNames;
class CallStackTree;
class Decider;
class ExecutionEnd;
class ExecutionObserver;
class FindingSink;
class Heap;
class Modules;
class StackWalker;
class ThreadTable;

/// The execution that is being made.
struct ExecutionParts {
  base::Arena& arena;  ///< emptied when the next one begins
  graph::ExecutionGraph& graph;
  ThreadTable& threads;
  Decider& decider;
  races::Detector& races;
  FindingSink& findings;
  ExecutionObserver& observer;
  ExecutionEnd& end;
};

/// The program under test: its memory, code and stacks.
struct ProgramParts {
  Heap& heap;
  const Modules& modules;
  CallStackTree& stacks;
  const AddressNames& names;
  StackWalker& stack_walker;
};

}  // namespace heddle::engine
