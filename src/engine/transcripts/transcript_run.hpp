// Makes executions of a search from a transcript (transcript/transcript.hpp), without running the program: no fibers,
// no memory of the program, nothing to reset. The search decides as it does for the program, the graph and the memory
// model are those of the engine, and the decisions are recorded. So an execution of either kind may follow one of the
// other, with common steps.
//
// The execution ends early, and the program has to run, if the transcript does not tell what a thread does next, or if
// something is about to happen that has to be reported: a race, a use of memory that is gone, a livelock. The program
// then repeats the steps that were made, and continues from there; what it does is written down (Transcriber). So an
// execution with a finding is always one of the program.
#pragma once

#include <optional>

#include "engine/scheduling/decider.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/threads/thread_table.hpp"
#include "engine/transcripts/transcriber.hpp"
#include "graph/execution_graph.hpp"
#include "memory/memory.hpp"
#include "transcript/run_state.hpp"

namespace heddle::engine {

class TranscriptRun {
 public:
  TranscriptRun(base::Arena& execution_arena, graph::ExecutionGraph& graph, ThreadTable& threads, Decider& decider,
                EventLog& log, Transcriber& transcriber)
      : execution_arena_(execution_arena), graph_(graph), threads_(threads), decider_(decider), log_(log),
        transcriber_(transcriber), memory_(graph, execution_arena, *this) {}

  /// The log and the transcriber have begun the execution. Nothing: the program has to run.
  std::optional<strategies::Outcome> run();

  // The driver of memory::Memory (memory::Driver): not for others.
  std::uint32_t choose(const strategies::Choice& choice) { return decider_.decide(choice); }
  bool names_writes() const { return true; }
  std::uint32_t choose_write(graph::ThreadId, graph::LocationId, std::size_t) { return 0; }
  std::uint32_t newest_seen(graph::ThreadId, graph::LocationId) const { return memory::nothing_seen; }
  std::uint32_t oldest_settled(graph::LocationId) const { return 0; }
  graph::EventId record(std::uint32_t mo_position);
  void reached_memory(graph::EventId) {}

 private:
  /// How it continues after a step.
  enum class Next : std::uint8_t { step, abandoned, blocked, not_told };

  std::optional<strategies::Outcome> run_to_end();
  bool list_options();
  static bool is_complete(const transcript::Segment& segment);
  Next perform(transcript::Cursor& cursor);
  void perform_access(const transcript::Action& action);
  void record_after(graph::EventKind kind, Operation operation, graph::EventId cause, std::uint64_t site);
  Next move(transcript::Cursor& cursor);
  enum class Fit : std::uint8_t { fits, finds_other_values, not_told };
  Fit follow(const transcript::Cursor& cursor, const transcript::Segment& segment);
  bool is_ordinary(const transcript::PlainAccess& access, const transcript::Author& author);
  bool are_ordered_before(transcript::WordId word, const transcript::Author& author) const;
  bool is_gone(transcript::WordId word, graph::ThreadId thread);
  bool locate(std::uint32_t place);
  bool could_go_on_elsewhere(const transcript::Cursor& cursor) const;
  bool is_near_limits();

  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Decider& decider_;
  EventLog& log_;
  Transcriber& transcriber_;
  memory::Memory<TranscriptRun> memory_;
  transcript::RunState* state_ = nullptr;
  transcript::Cursor* performing_ = nullptr;
  bool is_abandoned_ = false;
  base::ArenaVector<strategies::Option> options_;
};

}  // namespace heddle::engine
