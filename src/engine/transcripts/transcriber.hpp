// Writes down what the threads of the program do (transcript/transcript.hpp), for a search. The parts of the engine
// tell it of plain accesses, of the operations that threads come to, and of events. What it is not told of, or does not
// know, makes the segment opaque: from there on, the execution is not written down.
//
// What a thread does is a function of what it has read only if all that threads share is known. Compilers do not
// announce every write, and code that is not instrumented announces none. So whenever a thread comes to an operation,
// all words that threads are known to access are compared with what the announced accesses have left there. A word that
// differs was written by this thread, since threads change at operations only. Such a write is a part of its segment.
//
// Bytes are used when a thread has announced an access to them. Threads may have written to them before, in segments
// that do not tell of it. So the transcript begins anew then, and has the bytes from its beginning. Blocks of the heap
// are used as soon as they are allocated.
//
// Stacks. A thread writes to its own stack without announcements. What it finds there it has left there itself, so this
// is not a part of its segments. It is if the word is watched: a thread accesses a word on the stack of another thread,
// and one of the two was seen to write there without an announcement. If that turns out later, the transcript begins
// anew as well. Words that no thread has initialised hold what the runtime has left there, so not all are watched.
//
// Accesses without announcements may remain that this does not show: reads, and writes that leave a word as it was. So
// the program executes a segment at least once for each contents of memory that it begins with (Transcript::has_seen).
// What cannot be seen is data that threads exchange through code without instrumentation only.
//
// The transcript is given up if the program makes system calls, reads clocks or asks for random numbers.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/isolation/snapshot.hpp"
#include "engine/memory/locations.hpp"
#include "engine/reporting/finding_sink.hpp"
#include "engine/scheduling/decider.hpp"
#include "engine/scheduling/execution_observer.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/threads/local_state.hpp"
#include "engine/threads/thread_table.hpp"
#include "engine/waiting/program_memory.hpp"
#include "engine/waiting/retry_loops.hpp"
#include "graph/execution_graph.hpp"
#include "memory/memory.hpp"
#include "races/detector.hpp"
#include "transcript/run_state.hpp"

namespace heddle::engine {

/// Many fields: half of them are references to other parts.
class Transcriber final : public ExecutionObserver {
 public:
  Transcriber(base::Arena& forever, const ExecutionParts& execution, const ProgramParts& program,
              LocalState& local_state, const RetryLoops& retry_loops)
      : ExecutionObserver(execution.decider), forever_(forever), graph_(execution.graph), threads_(execution.threads),
        local_state_(local_state), retry_loops_(retry_loops), findings_(execution.findings), heap_(program.heap),
        memory_(program.modules, program.heap, local_state) {}

  /// What the program's memory holds when an execution begins.
  void set_snapshot(const Snapshot& snapshot) { snapshot_ = &snapshot; }
  /// For the executions that follow: begins a new transcript, or none.
  void configure(bool transcribes);
  /// The execution that begins has so many steps in common with the last one.
  void begin_execution(std::size_t common_steps);
  /// The execution was made from the transcript.
  void mark_used() { was_used_ = true; }
  void end_repeating() override;
  /// The execution has ended.
  void end_execution() {
    if (is_on_ && findings_.has_findings()) end_before_finding();
  }
  /// An execution that was made from the transcript was not one of the program.
  bool was_wrong() const { return was_wrong_; }
  /// Whether the next execution should have no steps in common with the last one, so that it can be written down.
  bool wants_beginning() const { return is_useful_ && begins_anew_; }
  /// The state of the execution. Null: it is not written down.
  transcript::RunState* state() { return is_on_ ? state_ : nullptr; }

  // ---- ExecutionObserver ------------------------------------------------------------------------------------------
  void record_access(transcript::PlainAccess::Kind kind, std::uintptr_t address, std::size_t size, std::uint64_t site,
                     std::uint32_t stack) override;
  void record_location(std::uintptr_t address, std::uint8_t size, graph::LocationId location,
                       const races::AccessRecord* imported) override;
  void arrive(const ProgramThread& self) override;
  void record_spurious_failure(memory::SpuriousFailure spurious_failure) override;
  void record_child(const ProgramThread& child, bool is_detached) override;
  void performed(graph::EventId event) override;

 private:
  /// A word that all transcripts have from their beginning.
  struct Listed {
    std::uintptr_t address;
    graph::ThreadId stack_of;
    transcript::Bytes used;
    bool is_shared, is_watched;
  };

  bool describe(const ProgramThread& self, transcript::Action& action) const;
  std::uint64_t state_of(const ProgramThread& self) const;
  transcript::Waiting waiting_of(const ProgramThread& self) const;
  void record_looks();
  void begin_transcript();
  void begin_anew();
  void end_full_transcript();
  void begin_segment();
  void end_before_finding();

  // ---- transcriber_memory.cpp -----------------------------------------------------------------------------------
  /// The word at the address; false if nothing is known of such memory. `begins`: the memory is being allocated.
  bool find_word(std::uintptr_t address, transcript::Bytes bytes, bool begins, transcript::WordId& id);
  bool describe(transcript::PlainBytes::Word& word);
  Listed* find_listed(std::uintptr_t address);
  void list(transcript::WordId id, transcript::Bytes bytes);
  void share(transcript::WordId id);
  void watch(transcript::WordId id);
  void add(const transcript::PlainAccess& access);
  void settle_writes();
  void record_word(transcript::PlainAccess access);
  void find_unknown(transcript::WordId id);
  std::uintptr_t find_frames(const ProgramThread& self);
  bool is_in_frame(const transcript::PlainBytes::Word& word);
  bool may_be_compared(transcript::WordId id);
  void record_unseen_write(transcript::WordId id);
  void add_unseen_write(transcript::WordId id, transcript::Bytes bytes);

  base::Arena& forever_;
  const graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  const LocalState& local_state_;
  const RetryLoops& retry_loops_;
  const FindingSink& findings_;
  const Heap& heap_;
  ProgramMemory memory_;
  const Snapshot* snapshot_ = nullptr;
  Range start_of_process_;  ///< the first stack of the process, with the program's arguments and environment
  base::Arena arena_;
  transcript::RunState* state_ = nullptr;
  base::ArenaVector<Listed> listed_;  ///< in forever_
  std::uint32_t beginnings_ = 0;
  bool was_used_ = false;     ///< an execution was made from the transcript
  bool begins_anew_ = false;  ///< from the next execution on; until then, this one is searched for words to be listed
  bool was_wrong_ = false;

  // The segment of the current thread:
  base::ArenaVector<transcript::PlainAccess> accesses_;
  std::size_t settled_ = 0;     ///< the writes before this one have left their values
  std::uint64_t contents_ = 0;  ///< of memory at its beginning: transcript::PlainBytes::contents
  std::uintptr_t frames_ = 0;   ///< the frames of the program begin here
};

}  // namespace heddle::engine
