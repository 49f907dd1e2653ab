// The process that runs the program: one execution in it, what it prints, and its memory, which becomes as it was.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>

#include "channel/channel.hpp"
#include "engine/engine.hpp"
#include "engine/isolation/child_process.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/isolation/snapshot.hpp"
#include "engine/worker/ledger.hpp"
#include "engine/worker/program_hooks.hpp"
#include "engine/worker/worker_arenas.hpp"

namespace heddle::engine {

class ProgramProcess {
 public:
  ProgramProcess(channel::Channel& channel, Engine& engine, Heap& heap, Heap& library_heap, Modules& modules,
                 WorkerArenas& arenas, Ledger& ledger);

  /// This process runs the program from now on.
  void begin(const ProgramHooks& hooks);
  const ProgramHooks& hooks() const { return hooks_; }
  /// Saves what reset() restores, and this part of the stack.
  void save_memory(Range callers_stack = {});
  std::size_t saved_size() const { return snapshot_.size(); }
  /// Looks for changes in written memory only, as long as executions run in this process.
  void watch_memory();
  void unwatch_memory() { snapshot_.unwatch(); }

  /// How executions are kept apart; automatic: not known yet.
  channel::Isolation isolation() const { return isolation_; }
  void set_isolation(channel::Isolation isolation) { isolation_ = isolation; }
  /// Tells the driver, too.
  void use_isolation(channel::Isolation isolation) {
    isolation_ = isolation;
    channel_.progress.isolation_used.store(isolation, std::memory_order_relaxed);
    if (isolation == channel::Isolation::reset) watch_memory();
  }

  /// Runs the execution that the strategy has begun.
  strategies::Outcome run(std::uint64_t number);
  /// An execution was made without the program.
  void skip() { ran_program_ = false; }
  void reset();
  /// Runs `body`, which executes the program, in a child process: see engine/isolation/child_process.hpp.
  template <typename Body>
  std::optional<int> run_in_copy(Body body, std::uint64_t deadline = 0) {
    hooks_.rewind_input();
    const std::optional<int> status = run_in_child(
        [&] {
          process_ = this_process();
          body();
        },
        deadline);
    hooks_.rewind_input();  // for an execution in this process
    return status;
  }
  /// Runs `body`, which executes the program, so that it leaves no trace in the program's memory.
  template <typename Body>
  void run_apart(Body body) {
    if (isolation_ == channel::Isolation::fork) {
      run_in_copy(body);
    } else {
      body();
      reset();
    }
  }

  /// Before an execution: what was printed is discarded.
  void discard_output();
  std::span<const char> take_output();
  /// The path of a library that was loaded after the first execution began; null if there is none.
  const char* library_loaded_later();
  /// Ends the worker: an execution did not repeat another one, as `what` says.
  void fail_as_nondeterministic(const char* what);

 private:
  void refuse_unknown_process();

  channel::Channel& channel_;
  Engine& engine_;
  Heap& heap_;
  Heap& library_heap_;  ///< of the C library
  Modules& modules_;
  WorkerArenas& arenas_;
  Ledger& ledger_;
  Snapshot snapshot_;
  ProgramHooks hooks_{};
  channel::Isolation isolation_ = channel::Isolation::automatic;
  pid_t process_ = 0;              ///< that executes the program
  bool made_system_calls_ = true;  ///< the last execution of the program did, or it is unknown
  std::uint32_t system_calls_in_a_row_ = 0;
  bool ran_program_ = true;  ///< the last execution was not made from a transcript
};

}  // namespace heddle::engine
