// The worker: runs the executions that the driver asked for, one after another, in this process (reset) or in a
// child each (fork), and keeps what the program prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/arena.hpp"
#include "channel/channel.hpp"
#include "channel/site_order.hpp"
#include "engine/engine.hpp"
#include "engine/isolation/child_process.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/isolation/snapshot.hpp"
#include "engine/recording/debug_state.hpp"
#include "engine/worker/graph_set.hpp"
#include "exploration/enumeration.hpp"
#include "exploration/exploration.hpp"
#include "strategies/local_rounds.hpp"
#include "trace/minimizer.hpp"

namespace heddle::engine {

/// What the worker needs of abi/, which knows the program's main, exit handlers and streams.
struct ProgramHooks {
  void* (*run_main)(void* argument);
  void* argument;
  /// After an execution, on the root fiber: flush what the C library still holds of the program's output.
  void (*flush_output)();
  /// Before an execution: forget what the last one left behind outside the snapshot (exit handlers, stdin, ...).
  void (*reset)(bool made_system_calls);
  /// Before and after an execution in a child process: standard input begins where it began for the first execution.
  /// Processes share the position in the file.
  void (*rewind_input)();
  /// A file that the last execution opened to write to it; null if there is none.
  const char* (*written_file)();
  /// Writes a clause on what may have made the last execution differ from another one of the same decisions.
  void (*describe_influence)(char* text, std::size_t size, bool has_random_addresses);
  /// Did the program try to read a standard input that was not given?
  bool (*read_empty_stdin)();
  /// Around an execution with main taken over, in this process. False: it made no system call, so it printed nothing
  /// and opened nothing.
  void (*begin_system_call_watch)();
  bool (*end_system_call_watch)();
  DebugState* debug = nullptr;  ///< null: a debugger cannot stop the execution
};

/// heddle::check: what to run instead of main, and the stack of its caller, which is memory of the program too.
struct CheckBody {
  void (*function)(void*);
  void* argument;
  Range callers_stack;
};

class CycleWatch;
class ExecutionWatch;
struct WatchedExecution;

class Worker {
 public:
  Worker(channel::Channel& channel, base::Arena& forever, Heap& heap, Heap& library_heap, Modules& modules);

  Engine& engine() { return engine_; }
  /// The program has loaded or unloaded libraries: findings name their code.
  void refresh_modules();
  /// The path of a library that was loaded after the first execution began; null if there is none.
  const char* library_loaded_later();
  /// Does everything and ends the process.
  [[noreturn]] void run(const ProgramHooks& hooks);
  /// Runs the executions of a body in a process that goes on afterwards, with its memory as it was before. The results
  /// are in the channel.
  void run_check(const CheckBody& body, const ProgramHooks& hooks);

 private:
  // worker_method.cpp
  /// The cycles that executions are directed to.
  strategies::CycleTable& cycles() const;
  /// Makes the model and the strategy that the text names, and uses them. Returns false if the worker has failed.
  bool configure(std::string_view strategy_text);
  void use_method();
  void publish_modules();
  void use_site_orders();
  void run_executions();
  bool run_execution(std::uint64_t number);
  void watch_memory();
  // search_run.cpp
  strategies::Strategy& make_search(bool optimal, const strategies::SearchBounds& bounds, base::Arena& arena);
  void estimate_search(std::uint64_t number);
  /// Withholds the proof if code without instrumentation takes part.
  bool find_unseen_code();
  void look_for_unseen_code();
  /// The exhaustive search of `auto` (strategies/search_budget.hpp), from execution `number` on, as long as its budget
  /// lasts. `name` is the search as --strategy takes it. `execute` runs one execution. Returns the number behind its
  /// last execution.
  template <typename Execute>
  std::uint64_t search_within_budget(std::uint64_t number, std::uint64_t most_runs, const char* name, Execute execute);
  void run_search_worker();
  // search_tasks.cpp
  void run_tasks();
  bool await_task();
  void explore_task();
  std::optional<channel::SubtreeTask::End> explore_until_end();
  void give_part_of_task();
  void repeat_gift(std::uint64_t least);
  bool is_search_due(std::uint64_t number) const;
  bool is_cut_off_search(strategies::Outcome outcome);
  void add_searched_graph(std::uint64_t number);
  void run_replay();
  // minimize_run.cpp
  trace::Minimizer& make_minimizer(std::span<const std::uint8_t> decisions, base::Arena& arena);
  void run_minimization();
  void try_schedule(std::uint64_t number, const std::uint64_t& accesses);
  /// One execution, its results in the channel; the program's memory is left as it ended.
  void execute(std::uint64_t number);
  /// The strategy has begun the execution.
  bool begin_execution(std::uint64_t number);
  strategies::Outcome make_execution(std::uint64_t number);
  void execute_begun(std::uint64_t number);
  bool was_explored();
  bool is_graph_wanted(strategies::Outcome outcome);
  strategies::Outcome outcome_within_bound(strategies::Outcome outcome);
  void count_unexplored();
  void book(std::uint64_t number, strategies::Outcome outcome);
  void execute_in_child(std::uint64_t number);
  /// Runs `body`, which executes the program, in a child process: see engine/isolation/child_process.hpp.
  template <typename Body>
  std::optional<int> run_isolated(Body body, std::uint64_t deadline = 0) {
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
  void refuse_unknown_process();
  void prepare_output();
  std::span<const char> take_output();
  void reset();

  // aftermath.cpp
  void leave_races();
  void forget_races();
  bool add_racy_sites();
  static const char* name_of_aftermath_strategy(std::uint64_t number);
  trace::Recorder& aftermath_strategy(std::uint64_t number);
  void execute_aftermath(std::uint64_t number);
  /// Looks for what follows from the races of the last execution, which had this number.
  void explore_aftermath(std::uint64_t number);
  void begin_again_after_race();

  // isolation.cpp
  void compare_two_executions(std::uint64_t number);
  channel::Isolation choose_isolation(std::uint64_t number);
  /// Whether a second execution in one process does what the first one did.
  enum class Again : std::uint8_t { same, differs, not_known };
  Again compare_in_child(std::uint64_t number);
  void require_shared_process();

  // rounds.cpp
  bool await_round(std::uint64_t& number);
  bool await_gate(std::uint64_t number);
  void tell_driver_of_first_end();
  void use_round(std::uint32_t number);
  strategies::Totals& totals();
  void tally(std::uint64_t number, bool is_buggy);
  void begin_learning(std::uint64_t number);
  void learn_if_round_is_over(std::uint64_t number);
  void count_news(std::uint64_t number, std::uint64_t graphs, std::uint64_t findings);

  void begin_reporting();
  void report_to_corpus(std::uint64_t number, std::uint64_t hash);
  void begin_corpus_round();

  WatchedExecution watched_execution();
  /// heddle predict: judges whether the execution had its cycle. Writes what Request::recording asks for.
  void look_at_accesses(std::uint64_t number);
  std::uint64_t execution_after(std::uint64_t number) const;

  bool add_graph(std::uint64_t hash, std::uint64_t execution, bool is_buggy);
  void add_graph_record(std::uint64_t hash, std::uint64_t execution, bool is_buggy);
  bool should_stop(std::uint64_t number) const;
  /// The worker cannot go on. Returns only in a process that does.
  void fail(channel::Failure failure, const char* text);
  /// The program breaks an assumption of the search; another search can continue.
  void fail_search(channel::SearchAssumption broken, const char* text);
  bool has_failed() const;

  // check_run.cpp
  void begin_check(const CheckBody& body, const ProgramHooks& hooks);
  void run_check_executions();
  std::optional<strategies::StrategySpecification> other_search(std::string_view text);
  bool begin_other_search();
  std::uint64_t run_check_search(std::uint64_t number);
  void execute_check(std::uint64_t number);
  void repeat_for_output(std::uint64_t number);
  [[noreturn]] void finish();

  channel::Channel& channel_;
  base::Arena& forever_;
  base::Arena execution_arena_;
  base::Arena recording_arena_;
  base::Arena check_arena_;               // of one heddle::check: model, strategy, snapshot
  base::Arena* session_arena_ = nullptr;  // what lives as long as a campaign: forever_, or check_arena_
  base::Arena search_run_arena_;          // exhaustive search: of one run
  base::Arena search_arena_;              // and of the search
  Heap& heap_;
  Heap& library_heap_;  ///< of the C library
  Modules& modules_;
  Engine engine_;
  Snapshot snapshot_;
  ProgramHooks hooks_{};
  channel::Isolation isolation_ = channel::Isolation::automatic;  ///< automatic: not known yet
  pid_t process_ = 0;                                             ///< that executes the program
  bool made_system_calls_ = true;  ///< the last execution of the program did, or it is unknown
  std::uint32_t system_calls_in_a_row_ = 0;
  bool ran_program_ = true;  ///< the last execution was not made from a transcript

  /// How executions are decided and what they may do. A heddle::check has two if its strategy is `auto`: it samples,
  /// searches, and samples on.
  struct Method {
    const models::MemoryModel* model = nullptr;
    trace::Recorder* strategy = nullptr;  ///< around the one that was asked for
    trace::NondeterminismCheck* check = nullptr;
    ExecutionPolicy policy;
    bool is_search = false;                           ///< the strategy explores all executions
    exploration::Exploration* exploration = nullptr;  ///< if it is the optimal search
    exploration::Enumeration* enumeration = nullptr;  ///< if it is the plain search
  };
  Method method_;
  static constexpr std::size_t aftermath_strategy_count = 2;
  trace::Recorder* aftermath_strategies_[aftermath_strategy_count] = {};
  std::uint64_t racy_sites_[2 * channel::Aftermath::most_sites];  ///< of the aftermath, sorted
  std::size_t racy_sites_count_ = 0;
  std::uint32_t search_execution_ = 0;              ///< the number (Engine::executions) of the last one of the search
  strategies::Portfolio* portfolio_ = nullptr;      ///< the strategy learns
  strategies::LocalRounds* own_rounds_ = nullptr;   ///< in a heddle::check
  strategies::LocalCorpus* own_corpus_ = nullptr;   ///< in a heddle::check, if the strategy uses one
  strategies::CorpusReporter* reporter_ = nullptr;  ///< the strategy uses a corpus
  std::uint64_t known_graphs_ = 0;                  ///< of the corpus, that graphs_ contains
  CycleWatch* cycle_watch_ = nullptr;               ///< executions are directed to cycles
  ExecutionWatch* execution_watch_ = nullptr;       ///< the execution is recorded
  struct Round {
    std::uint32_t number = 0;  ///< 0: none yet
    std::uint64_t begin_execution = 0;
    std::uint64_t end_execution = 0;
  };
  Round round_;  ///< the one that the worker is in
  std::uint64_t escapes_booked_ = 0;
  bool told_driver_ = false;  ///< an execution ran to its end, and the driver heard of it
  trace::Replayer* replayer_ = nullptr;
  trace::Minimizer* minimizer_ = nullptr;
  base::Arena shared_arena_;          ///< in the channel
  std::uint64_t graphs_of_task_ = 0;  ///< complete ones
  bool has_looked_for_unseen_code_ = false;
  bool has_budget_ = false;      ///< the search of `auto` runs
  bool is_search_over_ = false;  ///< it has explored everything, or gives up
  /// A search cannot go on after a race: what a thread does depends on accesses that are no events.
  bool is_lost_after_race_ = false;

  GraphSet graphs_;
  GraphSet searched_graphs_;  ///< of the search of `auto`, without those of graphs_
};

}  // namespace heddle::engine
