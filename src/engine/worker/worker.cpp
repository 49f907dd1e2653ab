#include "engine/worker/worker.hpp"

#include <signal.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/fast_paths.hpp"
#include "base/hash.hpp"
#include "channel/finding_record.hpp"
#include "channel/process_end.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/isolation/child_process.hpp"
#include "engine/isolation/context.hpp"
#include "engine/isolation/float_modes.hpp"
#include "engine/isolation/real.hpp"
#include "engine/isolation/thread_pointer.hpp"
#include "engine/recording/cycle_watch.hpp"
#include "engine/recording/execution_watch.hpp"
#include "run/specification.hpp"

#if defined(HEDDLE_RECORDS_PROFILE)
extern "C" void __gcov_dump();
#endif

namespace heddle::engine {

using channel::Failure;
using channel::Isolation;
using channel::Mode;
using strategies::Outcome;

namespace {

constexpr std::size_t gigabyte = std::size_t{1} << 30;
// The first executions make system calls to create what threads need. A program that goes on to make them talks to the
// system in every execution.
constexpr std::uint32_t most_system_calls_in_a_row = 8;

channel::Channel* fault_channel = nullptr;

/// A failed CHECK inside the worker: heddle's own fault.
void report_fault(const char* file, int line, const char* condition, const char* message) {
  std::snprintf(fault_channel->progress.failure_text, sizeof fault_channel->progress.failure_text,
                "internal error at %s:%d: %s: %s", file, line, condition, message);
  fault_channel->progress.failure.store(Failure::fault, std::memory_order_release);
  if (fault_channel->request.in_process != 0) {
    std::fprintf(stderr, "heddle: %s\n", fault_channel->progress.failure_text);
    ::signal(SIGABRT, SIG_DFL);
    ::raise(SIGABRT);
  }
  exit_process(3);
}

/// Counters have one writer at a time, so no locked instruction is needed.
void add(std::atomic<std::uint64_t>& counter, std::uint64_t number) {
  counter.store(counter.load(std::memory_order_relaxed) + number, std::memory_order_release);
}

}  // namespace

Worker::Worker(channel::Channel& channel, base::Arena& forever, Heap& heap, Heap& library_heap, Modules& modules)
    : channel_(channel), forever_(forever), execution_arena_(reserve_memory(64 * gigabyte, gigabyte / 4)),
      recording_arena_(reserve_memory(16 * gigabyte, gigabyte / 16)), heap_(heap), library_heap_(library_heap),
      modules_(modules), engine_(forever, execution_arena_, heap, modules, &channel), graphs_(forever),
      searched_graphs_(forever) {
  session_arena_ = &forever_;
  fault_channel = &channel;
  base::set_check_handler(report_fault);
  engine_.execution().root().set_thread_pointer(thread_pointer());
  heddle_saves_float_modes = !base::fast_paths || may_use_float_modes(modules);
  engine_.set_snapshot(snapshot_);
}

void Worker::publish_modules() {
  auto* words = reinterpret_cast<std::uint64_t*>(channel_.at(channel::modules_offset));
  channel::RecordWriter writer({words, channel::modules_capacity / sizeof *words});
  for (const Module& module : modules_.all())
    writer.add(channel::ModuleRecord{
        module.path, module.base, module.all.begin, module.all.end, module.build_id, module.instrumented,
        module.role == ModuleRole::program && !module.is_cxx_library && &module != &modules_.all().front(),
        module.is_trusted});
  channel_.progress.modules_size.store(writer.words().size_bytes(), std::memory_order_release);
}

void Worker::refresh_modules() {
  modules_.refresh(forever_);
  publish_modules();
  use_site_orders();
}

void Worker::use_site_orders() {
  const auto* table = reinterpret_cast<const channel::SiteOrder*>(channel_.at(channel::orders_offset));
  if (channel_.request.site_orders != 0)
    engine_.site_orders().set({table, channel_.request.site_orders}, modules_, forever_);
}

const char* Worker::library_loaded_later() {
  if (modules_.loaded_later() != nullptr) modules_.refresh(forever_);
  const Module* module = modules_.loaded_later();
  return module == nullptr ? nullptr : module->path;
}

void Worker::run(const ProgramHooks& hooks) {
  hooks_ = hooks;
  process_ = this_process();
  configure(channel_.request.run.strategy.view());
  publish_modules();
  use_site_orders();
  if (!modules_.all().front().instrumented)
    engine_.warn(
        "the program was linked with heddle, but its code is not instrumented: heddle sees its threads and locks, not "
        "its accesses to memory; compile it with heddle cc or heddle c++");
  snapshot_.take(modules_, thread_pointer(), forever_);
  heap_.take_snapshot(snapshot_, forever_);
  library_heap_.take_snapshot(snapshot_, forever_);
  channel_.progress.state.store(channel::State::running, std::memory_order_release);
  if (channel_.request.mode == Mode::replay)
    run_replay();
  else if (channel_.request.mode == Mode::minimize)
    run_minimization();
  else if (channel_.request.search_runs != 0)
    run_search_worker();
  else
    run_executions();
  finish();
}

/// A standard input that is unbuffered already (it has a buffer of one byte) reads into its FILE, which is a variable
/// of the C library. One that becomes unbuffered later is written to at that moment.
void Worker::watch_memory() { snapshot_.watch(::__fbufsize(stdin) == 1 ? stdin : nullptr); }

void Worker::run_executions() {
  const channel::Request& request = channel_.request;
  std::uint64_t number = request.first_execution;
  if (method_.is_search) require_shared_process();
  portfolio_ = method_.strategy->portfolio();
  begin_reporting();
  if (!await_round(number) || !await_gate(number)) return;
  // Choosing the isolation takes two executions. The first one that counts comes before them, in a child process.
  const bool has_choice = request.run.isolation == Isolation::automatic && !method_.is_search;
  bool goes_on = true;
  const std::uint64_t first = number;
  if (has_choice && request.in_process == 0) {
    isolation_ = Isolation::fork;
    goes_on = run_execution(number);
    number = execution_after(number);
  }
  isolation_ = choose_isolation(first);
  channel_.progress.isolation_used.store(isolation_, std::memory_order_relaxed);
  if (isolation_ == Isolation::reset) watch_memory();
  if (request.has_tasks != 0) return run_tasks();
  for (; goes_on && await_round(number) && await_gate(number) && !should_stop(number); number = execution_after(number))
    goes_on = run_execution(number);
}

/// Returns false if no further execution is wanted.
bool Worker::run_execution(std::uint64_t number) {
  const channel::Request& request = channel_.request;
  channel_.progress.last_graph.store(0, std::memory_order_relaxed);
  const std::uint64_t buggy = channel_.progress.buggy.load(std::memory_order_relaxed);
  forget_races();
  if (isolation_ == Isolation::fork) {
    execute_in_child(number);
  } else {
    execute(number);
    reset();
  }
  if (channel_.progress.failure.load(std::memory_order_relaxed) != Failure::none) finish();
  explore_aftermath(number);
  if (request.stride > 1) tell_driver_of_first_end();
  // The exhaustive search meets no graph twice, and its memory does not grow with their number.
  const std::uint64_t graph = channel_.progress.last_graph.load(std::memory_order_relaxed);
  if (method_.exploration == nullptr && graph != 0)
    add_graph(graph, number, channel_.progress.buggy.load(std::memory_order_relaxed) != buggy);
  return !request.run.stop_on_bug || channel_.progress.buggy.load(std::memory_order_relaxed) == 0;
}

void Worker::run_replay() {
  channel_.progress.isolation_used.store(Isolation::reset, std::memory_order_relaxed);
  execute(channel_.request.first_execution);
  if (const auto at = replayer_->diverged_at()) {
    char text[768], influence[384];
    hooks_.describe_influence(influence, sizeof influence, channel_.request.run.aslr);
    std::snprintf(text, sizeof text,
                  "the program did not behave as in the trace: decision %zu was a different one this time; %s", *at + 1,
                  influence);
    fail(Failure::nondeterminism, text);
  }
}

bool Worker::should_stop(std::uint64_t number) const {
  const channel::Request& request = channel_.request;
  if (number >= *const_cast<const volatile std::uint64_t*>(&request.end_execution)) return true;
  if (channel_.progress.stop.load(std::memory_order_relaxed) != 0) return true;
  // At least one execution is run, but for the search of `auto`, which is not the first thing that `auto` does.
  const bool may_stop = request.search_runs != 0 || has_budget_ ||
                        channel_.progress.executions.load(std::memory_order_relaxed) != 0 ||
                        channel_.progress.abandoned.load(std::memory_order_relaxed) != 0;
  return request.deadline != 0 && may_stop && monotonic_now() >= request.deadline;
}

void Worker::execute(std::uint64_t number) {
  prepare_output();
  if (!begin_execution(number)) {
    channel_.progress.search_finished.store(1, std::memory_order_relaxed);
    finish();
  }
  execute_begun(number);
}

/// Lets the strategy begin an execution. A search may begin it with steps of the last one.
bool Worker::begin_execution(std::uint64_t number) {
  if (method_.exploration == nullptr) return method_.strategy->begin_execution(number);
  // The graph may be that of another execution: heddle::check repeats executions for their output.
  if (engine_.executions() == search_execution_ && engine_.can_repeat()) method_.exploration->allow_keeping();
  if (!method_.strategy->begin_execution(number)) return false;
  if (method_.policy.repeats_executions) engine_.repeat(method_.exploration->kept_steps());
  return true;
}

/// Makes the execution that the strategy has begun: from the transcript of a search, or by the program.
Outcome Worker::make_execution(std::uint64_t number) {
  if (method_.policy.transcribes) {
    if (const auto outcome = engine_.run_from_transcript(number)) {
      ran_program_ = false;
      search_execution_ = engine_.executions();
      return *outcome;
    }
    engine_.repeat(method_.exploration->kept_steps());
  }
  ran_program_ = true;
  const bool watched = isolation_ == Isolation::reset;
  if (watched) hooks_.begin_system_call_watch();
  const Outcome outcome = engine_.run(number, hooks_.run_main, hooks_.argument);
  search_execution_ = engine_.executions();
  hooks_.flush_output();
  made_system_calls_ = !watched || hooks_.end_system_call_watch();
  if (made_system_calls_) refuse_unknown_process();
  system_calls_in_a_row_ = made_system_calls_ ? system_calls_in_a_row_ + 1 : 0;
  if (system_calls_in_a_row_ == most_system_calls_in_a_row || engine_.depends_on_more_than_reads())
    engine_.transcriber().give_up();
  return outcome;
}

/// A process that the program has created in a way that heddle does not see, such as a system call in assembly, comes
/// here, too, with the memory of its parent. It must not be taken for an execution.
void Worker::refuse_unknown_process() {
  if (this_process() == process_) return;
  fail(
      Failure::unsupported,
      "the program creates a process with a system call of its own, and the child does not run another program (exec); "
      "heddle controls the threads of one process only; use fork and exec, or posix_spawn");
  exit_process(3);
}

void Worker::execute_begun(std::uint64_t number) {
  Outcome outcome = make_execution(number);
  if (!was_explored()) return count_unexplored();
  outcome = outcome_within_bound(outcome);
  if (is_cut_off_search(outcome)) return;
  if (channel_.request.run.stdin_path.empty() && hooks_.read_empty_stdin())
    fail(Failure::unsupported,
         "the program reads standard input, which is empty under heddle; give it with --stdin FILE");
  look_at_accesses(number);
  const bool needs_output = engine_.findings().has_findings() || channel_.request.run.show_output;
  const auto output = needs_output ? take_output() : std::span<const char>{};
  const bool is_drawn = is_graph_wanted(outcome);
  if (is_drawn || (channel_.request.run.show_output && !output.empty())) engine_.findings().report_output();
  engine_.findings().publish(output, engine_.decider().recorder(), portfolio_);
  book(number, outcome);
  leave_races();
  begin_again_after_race();
}

/// An execution that a bound on preemptions leaves out is cut off, even if it ran to its end.
Outcome Worker::outcome_within_bound(Outcome outcome) {
  return method_.exploration != nullptr && method_.exploration->is_beyond_bound() ? Outcome::cut_off : outcome;
}

void Worker::count_unexplored() {
  const bool is_cut_off = method_.exploration != nullptr && method_.exploration->is_cut_off();
  if (is_cut_off) add(channel_.progress.cut_off, 1);
  add(is_cut_off ? channel_.progress.executions : channel_.progress.abandoned, 1);
}

WatchedExecution Worker::watched_execution() {
  return {engine_.graph(), engine_.threads(), engine_.atomics(), engine_.stacks(), modules_, engine_.findings()};
}

void Worker::look_at_accesses(std::uint64_t number) {
  if (cycle_watch_ != nullptr) cycle_watch_->judge(number);
  if (channel_.request.recording == channel::Recording::accesses)
    trace_accesses(watched_execution(), channel_, number, execution_arena_);
  if (execution_watch_ != nullptr) execution_watch_->write(channel_);
}

/// A worker that directs executions to cycles leaves out the rest of a trial that is over. It is the only worker.
std::uint64_t Worker::execution_after(std::uint64_t number) const {
  return cycle_watch_ != nullptr ? cycles().next_execution(number) : number + channel_.request.stride;
}

void Worker::book(std::uint64_t number, Outcome outcome) {
  auto& progress = channel_.progress;
  // The exhaustive search meets no graph twice, so the hash of the graph is not needed.
  if (method_.exploration == nullptr) {
    const std::uint64_t hash = engine_.graph_hash();
    progress.last_graph.store(hash == 0 ? 1 : hash, std::memory_order_relaxed);
    if (reporter_ != nullptr) report_to_corpus(number, hash == 0 ? 1 : hash);
  } else {
    progress.explored.store(method_.exploration->explored(), std::memory_order_relaxed);
    if (has_budget_ && outcome == Outcome::completed && engine_.has_common_hash()) add_searched_graph(number);
  }
  if (engine_.decider().calls().escapes) {
    const std::uint64_t escapes = method_.strategy->escapes();
    add(progress.escapes, escapes - escapes_booked_);
    escapes_booked_ = escapes;
  }
  if (method_.is_search) progress.proof_gaps.fetch_or(engine_.proof_gaps().bits(), std::memory_order_relaxed);
  tally(number, engine_.findings().found_bug());
  add(progress.events, engine_.events_executed());
  if (engine_.findings().found_bug()) add(progress.buggy, 1);
  if (outcome == Outcome::blocked) add(progress.blocked, 1);
  if (outcome == Outcome::cut_off) add(progress.cut_off, 1);
  add(progress.executions, 1);
}

void Worker::reset() {
  if (!ran_program_) return;
  heap_.reset();
  library_heap_.reset();
  snapshot_.restore();
  hooks_.reset(made_system_calls_);
}

void Worker::execute_in_child(std::uint64_t number) {
  const std::uint64_t before = channel_.progress.executions.load(std::memory_order_relaxed);
  channel_.progress.current_execution.store(number, std::memory_order_relaxed);
  const std::optional<int> status = run_isolated([&] { execute(number); });
  if (!status) fail(Failure::unsupported, "the system does not allow another process: fork failed");
  if (channel_.progress.executions.load(std::memory_order_acquire) != before) return;
  if (channel_.progress.failure.load(std::memory_order_acquire) != Failure::none) finish();
  // The child ended without a word, so this process counts the execution.
  const channel::ProcessEndFinding end(*status, number);
  const bool is_finding = end.is_finding(channel_.request.run.exit_status);
  if (is_finding) engine_.findings().publish_process_end(number, end, portfolio_);
  tally(number, is_finding);
  if (is_finding) add(channel_.progress.buggy, 1);
  if (!is_finding) add(channel_.progress.cut_off, 1);  // heddle did not see its end
  add(channel_.progress.executions, 1);
}

// ---- output -------------------------------------------------------------------------------------------------

// Both standard streams share one open file, so one question tells whether anything was printed.
void Worker::prepare_output() {
  const int fd = channel_.request.output_fd;
  if (fd < 0 || !made_system_calls_ || ::lseek(fd, 0, SEEK_CUR) <= 0) return;
  [[maybe_unused]] const int cut = ::ftruncate(fd, 0);
  ::lseek(fd, 0, SEEK_SET);
}

std::span<const char> Worker::take_output() {
  const int fd = channel_.request.output_fd;
  const auto size = fd < 0 ? 0 : ::lseek(fd, 0, SEEK_CUR);
  if (size <= 0) return {};
  const auto wanted =
      static_cast<std::uint64_t>(size) < channel::max_output ? static_cast<std::size_t>(size) : channel::max_output;
  auto buffer = execution_arena_.create_array<char>(wanted);
  const auto got = ::pread(fd, buffer.data(), wanted, size - static_cast<off_t>(wanted));
  return {buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got)};
}

void Worker::fail(Failure failure, const char* text) {
  std::snprintf(channel_.progress.failure_text, sizeof channel_.progress.failure_text, "%s", text);
  channel_.progress.failure.store(failure, std::memory_order_release);
  if (channel_.request.in_process == 0) exit_process(3);
}

void Worker::fail_search(channel::SearchAssumption broken, const char* text) {
  channel_.progress.broken_assumption.store(broken, std::memory_order_relaxed);
  fail(Failure::other_search, text);
}

/// Returns true if the worker meets the graph for the first time. The driver hears of it. A graph that the search of a
/// heddle::check has shown is new to the samples, but has a record already.
bool Worker::add_graph(std::uint64_t hash, std::uint64_t execution, bool is_buggy) {
  const std::uint64_t count = channel_.progress.graphs.load(std::memory_order_relaxed);
  const bool has_room = (count + 1) * sizeof(channel::GraphRecord) <= channel::graphs_capacity;
  const bool gets_record = has_room && (searched_graphs_.is_empty() || !searched_graphs_.contains(hash));
  const GraphSet::Added added = graphs_.add(hash, gets_record ? count : GraphSet::no_record);
  if (added.is_new) {
    if (gets_record) add_graph_record(hash, execution, is_buggy);
    return true;
  }
  if (added.record != GraphSet::no_record)
    ++reinterpret_cast<channel::GraphRecord*>(channel_.at(channel::graphs_offset))[added.record].count;
  return false;
}

/// Does nothing if there is no room.
void Worker::add_graph_record(std::uint64_t hash, std::uint64_t execution, bool is_buggy) {
  const std::uint64_t count = channel_.progress.graphs.load(std::memory_order_relaxed);
  if ((count + 1) * sizeof(channel::GraphRecord) > channel::graphs_capacity) return;
  auto* records = reinterpret_cast<channel::GraphRecord*>(channel_.at(channel::graphs_offset));
  records[count] = {hash, execution, 1, is_buggy ? 1U : 0U};
  channel_.progress.graphs.store(count + 1, std::memory_order_release);
}

bool Worker::has_failed() const { return channel_.progress.failure.load(std::memory_order_relaxed) != Failure::none; }

void Worker::finish() {
#if defined(HEDDLE_RECORDS_PROFILE)
  __gcov_dump();  // no functions of atexit() run, which would do so
#endif
  channel_.progress.state.store(channel::State::done, std::memory_order_release);
  exit_process(0);
}

}  // namespace heddle::engine
