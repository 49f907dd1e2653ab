#include "engine/worker/program_process.hpp"

#include <stdio_ext.h>
#include <unistd.h>

#include <cstdio>

#include "engine/isolation/real.hpp"
#include "engine/isolation/thread_pointer.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::Isolation;
using strategies::Outcome;

namespace {
// The first executions make system calls to create what threads need. A program that continues to make them talks to
// the system in every execution.
constexpr std::uint32_t most_system_calls_in_a_row = 8;
}  // namespace

ProgramProcess::ProgramProcess(channel::Channel& channel, Engine& engine, Heap& heap, Heap& library_heap,
                               Modules& modules, WorkerArenas& arenas, Ledger& ledger)
    : channel_(channel), engine_(engine), heap_(heap), library_heap_(library_heap), modules_(modules), arenas_(arenas),
      ledger_(ledger) {
  engine.set_snapshot(snapshot_);
}

void ProgramProcess::begin(const ProgramHooks& hooks) {
  hooks_ = hooks;
  process_ = this_process();
  snapshot_.forget();
}

void ProgramProcess::save_memory(Range callers_stack) {
  base::Arena& arena = *arenas_.session;
  snapshot_.take(modules_, thread_pointer(), arena);
  if (callers_stack.begin != callers_stack.end) snapshot_.save(callers_stack, arena);
  heap_.take_snapshot(snapshot_, arena);
  library_heap_.take_snapshot(snapshot_, arena);
}

/// A standard input that is unbuffered already (it has a buffer of one byte) reads into its FILE, which is a variable
/// of the C library. One that becomes unbuffered later is written to at that moment.
void ProgramProcess::watch_memory() { snapshot_.watch(::__fbufsize(stdin) == 1 ? stdin : nullptr); }

Outcome ProgramProcess::run(std::uint64_t number) {
  ran_program_ = true;
  const bool is_watched = isolation_ == Isolation::reset;
  if (is_watched) hooks_.begin_system_call_watch();
  const Outcome outcome = engine_.run(number, hooks_.run_main, hooks_.argument);
  hooks_.flush_output();
  made_system_calls_ = !is_watched || hooks_.end_system_call_watch();
  if (made_system_calls_) refuse_unknown_process();
  system_calls_in_a_row_ = made_system_calls_ ? system_calls_in_a_row_ + 1 : 0;
  if (system_calls_in_a_row_ == most_system_calls_in_a_row || engine_.depends_on_more_than_reads())
    engine_.transcriber().give_up();
  return outcome;
}

/// A process that the program has created in a way that heddle does not see, such as a system call in assembly, comes
/// here, too, with the memory of its parent. It must not be taken for an execution.
void ProgramProcess::refuse_unknown_process() {
  if (this_process() == process_) return;
  ledger_.fail(
      Failure::unsupported,
      "the program creates a process with a system call of its own, and the child does not run another program (exec); "
      "heddle controls the threads of one process only; use fork and exec, or posix_spawn");
  exit_process(3);
}

void ProgramProcess::reset() {
  if (!ran_program_) return;
  heap_.reset();
  library_heap_.reset();
  snapshot_.restore();
  hooks_.reset(made_system_calls_);
}

// Both standard streams share one open file, so one question tells whether anything was printed.
void ProgramProcess::discard_output() {
  const int fd = channel_.request.output_fd;
  if (fd < 0 || !made_system_calls_ || ::lseek(fd, 0, SEEK_CUR) <= 0) return;
  [[maybe_unused]] const int cut = ::ftruncate(fd, 0);
  ::lseek(fd, 0, SEEK_SET);
}

std::span<const char> ProgramProcess::take_output() {
  const int fd = channel_.request.output_fd;
  const auto size = fd < 0 ? 0 : ::lseek(fd, 0, SEEK_CUR);
  if (size <= 0) return {};
  const auto wanted =
      static_cast<std::uint64_t>(size) < channel::max_output ? static_cast<std::size_t>(size) : channel::max_output;
  auto buffer = arenas_.execution.create_array<char>(wanted);
  const auto got = ::pread(fd, buffer.data(), wanted, size - static_cast<off_t>(wanted));
  return {buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got)};
}

const char* ProgramProcess::library_loaded_later() {
  if (modules_.loaded_later() != nullptr) modules_.refresh(arenas_.forever);
  const Module* module = modules_.loaded_later();
  return module == nullptr ? nullptr : module->path;
}

void ProgramProcess::fail_as_nondeterministic(const char* what) {
  char text[768], influence[384];
  hooks_.describe_influence(influence, sizeof influence, channel_.request.run.aslr);
  std::snprintf(text, sizeof text, "%s; %s", what, influence);
  ledger_.fail(Failure::nondeterminism, text);
}

}  // namespace heddle::engine
