// The shared memory between the driver (campaign/) and one worker: the program under test with libheddle in it. The
// protocol is this file, the records of findings (finding_record.hpp) and run/specification.hpp. Driver and worker are
// built from the same headers.
//
//   driver  creates a sparse memfd of channel_size bytes and fills in `magic`, `version` and `request`. It starts the
//           program with HEDDLE_CHANNEL=<fd> in its environment; the worker inherits the descriptor. Standard output
//           and error of the worker are one memfd, request.output_fd, which the worker empties before each execution
//           and reads after it. Standard input is /dev/null or the file of --stdin.
//   worker  maps the channel when libheddle is loaded, closes the descriptor, and removes the variable from its
//           environment. It moves progress.state forward only:
//             spawned ─▶ loaded (libheddle's constructor) ─▶ running (main taken over) ─▶ done (with _exit(0))
//           A worker that ends in `spawned` was not built with heddle. One that ends in `loaded` ended before main. One
//           that ends in `running` died in progress.current_execution: the driver reports a crash and starts another
//           worker at the next execution.
//   both    results only grow. A record is complete before the counter that announces it moves (release), so the driver
//           can read at any time (acquire), also after the worker has died.
//   rounds  a strategy that learns (strategies/portfolio.hpp) works in rounds, each with its own plan. A worker whose
//           next execution is not below round.end_execution sets progress.awaits_round, sends SIGCHLD to the driver and
//           sleeps on the futex round.number. When all workers wait or are done, the driver writes the next plan and
//           wakes them. With other strategies, the first round has no end. A heddle::check has no driver; it writes its
//           plans itself.
//   search  `auto` makes an exhaustive search after its first round, and perhaps another one later. While the workers
//           wait for the next round, the driver starts another worker for it, with request.search_runs. The search uses
//           the numbers from the end of the round on, and the next round begins behind them. A heddle::check searches
//           in its own process.
//   tasks   a worker of an exhaustive search that the user asked for gets parts of the search from the driver, one
//   after
//           another (channel/subtree_task.hpp).
//   corpus  a strategy that continues earlier executions reads them from the corpus (strategies/corpus.hpp) at
//           corpus_offset, which the driver changes between rounds. The worker reports the executions of a round in the
//           outbox at outbox_offset, which the driver reads when the round has ended.
//   recordings  a driver may ask for more about executions than findings (request.recording), at recordings_offset.
//           heddle predict asks for the accesses of each (channel/access_trace.hpp), a replay for everything
//           (channel/execution_record.hpp).
//   orders  the driver writes request.site_orders entries of a table at orders_offset: memory orders for places in the
//           program (channel/site_order.hpp). The worker counts there what was executed.
//   predict heddle predict directs executions to the cycles at cycles_offset (strategies/cycle_table.hpp), where the
//           worker writes the results of each trial.
//
// With isolation fork, the worker forks a child for each execution. The child writes to the same mapping while its
// parent waits, so there is still one writer at a time. Many fields: Request and Progress are one message each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "channel/proof_gap.hpp"
#include "channel/search_assumption.hpp"
#include "channel/subtree_task.hpp"
#include "run/specification.hpp"

namespace heddle::channel {

inline constexpr char magic[8] = {'h', 'e', 'd', 'd', 'l', 'e', 'c', 'h'};
inline constexpr std::uint32_t version = 27;
inline constexpr const char* environment_variable = "HEDDLE_CHANNEL";
/// The numbers of the descriptors that a worker inherits. They do not depend on what the driver has open, and leave the
/// low numbers to the program, which sees the same numbers in every worker.
inline constexpr int channel_descriptor = 240;
inline constexpr int output_descriptor = 241;

enum class Mode : std::uint32_t {
  test,
  replay,    ///< repeats request.decisions once
  minimize,  ///< looks for a simpler execution with the finding request.finding_key, and then runs that one
};
using run::Isolation;
/// What a worker writes at recordings_offset.
enum class Recording : std::uint32_t {
  nothing,
  accesses,  ///< the accesses of each execution: channel/access_trace.hpp
  log,       ///< replay: the whole execution: channel/execution_record.hpp
};
enum class State : std::uint32_t { spawned, loaded, running, done };

/// Why a worker cannot continue.
enum class Failure : std::uint32_t {
  none,
  unsupported,     ///< the program does something heddle cannot control: failure_text says what
  nondeterminism,  ///< a replay did not meet the recorded choices, or two runs of one seed differ under fork
  /// The exhaustive search does not explore something that matters in this program: failure_text says what. Another
  /// one does, without broken_assumption.
  other_search,
  fault,  ///< heddle's own fault
};

struct Request {
  run::RunSpecification run;
  Mode mode;
  std::uint64_t first_execution;  ///< the worker runs first, first + stride, first + 2*stride, ...
  std::uint64_t stride;
  std::uint64_t end_execution;  ///< ... below this number (the driver may lower it while the worker runs)
  /// A worker whose executions were all cut off waits before the first execution from this number on, until the driver
  /// raises the number or ends the campaign.
  std::uint64_t gate;
  std::uint64_t deadline;    ///< CLOCK_MONOTONIC nanoseconds; 0: none. The first execution is run in any case
  std::int32_t output_fd;    ///< -1: the output is not kept
  std::uint32_t in_process;  ///< heddle::check: the worker is the process of the test, which continues afterwards
  Recording recording;
  std::uint32_t has_cycles;      ///< the driver has written strategies::CycleTable at cycles_offset
  std::uint32_t check;           ///< replay: the finding is of the heddle::check with this number, from 1; 0: of main
  std::uint64_t decisions_size;  ///< replay, minimize: bytes at decisions_offset, see trace/decision_list.hpp
  std::uint64_t finding_key;     ///< minimize: the finding to keep
  std::uint64_t most_tries;      ///< minimize: the most executions
  std::uint64_t most_tried_events;  ///< minimize: the most events of all of them together
  /// An exhaustive search of `auto`: the most runs that it may take (strategies/search_budget.hpp). It reports
  /// findings and graphs, but no limit and no failure that ends it. 0: any other run.
  std::uint64_t search_runs;
  std::uint32_t is_long_search;    ///< ... and which of the two it is
  std::uint32_t has_tasks;         ///< exhaustive search: the driver gives tasks (channel/subtree_task.hpp)
  std::uint32_t estimates_search;  ///< exhaustive search: the worker estimates the whole search before its first task
  std::uint64_t site_orders;       ///< the number of entries at orders_offset
  std::uint64_t
      debug_step;  ///< replay under a debugger: stop at this step (engine/recording/debug_state.hpp); 0: no debugger
};

/// What an execution that had a data race leaves for the ones that look for its consequences
/// (engine/worker/aftermath_run.hpp).
struct Aftermath {
  static constexpr std::size_t most_sites = 64, most_keys = 64;

  std::uint64_t sites_count;
  std::uint64_t sites[most_sites];  ///< Modules::canonical() of the plain accesses that raced
  std::uint64_t keys_count;
  std::uint64_t keys[most_keys];  ///< of the findings that executions with this number have shown
  std::uint64_t events;           ///< of the execution
};

/// Written by the driver while the worker waits; `number` moves last.
struct Round {
  std::atomic<std::uint32_t> number;
  std::uint32_t unused;
  std::uint64_t begin_execution;  ///< numbers below were used for other executions
  std::uint64_t end_execution;
  std::byte plan[8192];  ///< strategies::PortfolioPlan
};

/// What a search for a simpler execution found: see trace/minimizer.hpp.
struct Minimized {
  struct Cost {
    std::uint64_t switches;
    std::uint64_t stale_reads;
    std::uint64_t events;
  };
  std::uint64_t tries;  ///< executions; 0: the trace could not be repeated, or is too long
  Cost first, best;
  std::uint64_t shows_without_stale_reads;  ///< 1: an execution with the finding had none
  std::uint64_t stopped_by_time;            ///< 1: the deadline came before the budget was used up
};

struct Progress {
  std::atomic<State> state;
  std::atomic<std::uint32_t> stop;               ///< set by the driver: end after this execution
  std::atomic<std::uint64_t> current_execution;  ///< the number of the execution that runs
  std::atomic<std::uint64_t> current_events;     ///< moves during an execution: the heartbeat for the watchdog
  std::atomic<std::uint64_t>
      current_memory;                     ///< moves when it accesses shadow memory that is new to it: another heartbeat
  std::atomic<std::uint64_t> executions;  ///< that ended, blocked and cut off included
  std::atomic<std::uint64_t> buggy;
  std::atomic<std::uint64_t> blocked;
  std::atomic<std::uint64_t> cut_off;  ///< by --max-events, --max-memory or --timeout
  std::atomic<std::uint64_t> events;
  std::atomic<std::uint64_t> escapes;  ///< how often the strategy took a thread for livelocked and ran another one
  std::atomic<std::uint32_t> search_finished;  ///< the strategy has no further execution to offer
  std::atomic<double> estimate;           ///< exhaustive search: estimate of all executions, made before it; 0: not yet
  std::atomic<double> explored;           ///< exhaustive search: estimate of the part that is done, from 0 to 1
  std::atomic<std::uint64_t> abandoned;   ///< exhaustive search: runs with a graph that is forbidden or known
  std::atomic<std::uint32_t> proof_gaps;  ///< exhaustive search: ProofGaps of its executions so far
  /// ProofGap::uninstrumented_code: the file that has no instrumentation, or one with a function that has none. Empty:
  /// there is no such gap.
  char unseen_code[256];
  std::atomic<std::uint64_t> unseen_function;  ///< its address; 0: the whole file has no instrumentation
  /// A search of the clients of a data structure (heddle/linearizable.h): how many there are. 0: there is no such
  /// search.
  std::atomic<std::uint64_t> clients;
  char client_bounds[128];                ///< "4 calls on 2 threads"
  std::atomic<std::uint64_t> last_graph;  ///< canonical hash of the newest execution
  std::atomic<Isolation> isolation_used;
  /// Constructors of static objects run in every execution, not once before the first.
  std::atomic<std::uint32_t> runs_constructors;
  std::atomic<Failure> failure;
  std::atomic<SearchAssumption> broken_assumption;  ///< Failure::other_search
  run::Text needed_sites;                       ///< SearchAssumption::ordered_sites: the racy_sites of the other search
  char isolation_reason[512];                   ///< why automatic isolation chose fork, a sentence; empty otherwise
  std::atomic<std::uint64_t> isolation_site;    ///< the place in the program that the reason is about; 0: none
  char warning[512];                            ///< what limits the results, a sentence; empty: nothing
  char failure_text[1024];                      ///< a sentence
  std::atomic<std::uint64_t> modules_size;      ///< bytes of ModuleRecords at modules_offset
  std::atomic<std::uint64_t> findings_size;     ///< bytes of records at findings_offset
  std::atomic<std::uint64_t> findings_dropped;  ///< distinct findings that did not fit
  std::atomic<std::uint64_t> graphs;            ///< GraphRecords at graphs_offset, each graph once
  std::atomic<std::uint64_t> recordings_size;   ///< bytes at recordings_offset
  std::atomic<std::uint32_t> awaits_round;      ///< the round that the worker waits for; 0: it does not
  std::atomic<std::uint64_t> waits_at_gate;     ///< the request.gate that the worker waits at; 0: it does not
  std::atomic<std::uint32_t> awaits_task;       ///< 1: the worker waits for a task
  Minimized minimized;
  Aftermath aftermath;
  alignas(8) std::byte totals[49152];  ///< strategies::Totals: the results of its executions
};

/// A graph, by its canonical hash, the first execution of this worker that had it, and how many executions had it.
struct GraphRecord {
  std::uint64_t hash;
  std::uint64_t execution;
  std::uint64_t count;
  std::uint64_t is_buggy;  ///< 1: that first execution had a bug
};

/// One for each distinct finding (by key), followed by content_size, output_size and decisions_size bytes; the next
/// record starts at the next multiple of 8. The content is typed records, see channel/finding_record.hpp.
struct FindingRecord {
  std::uint64_t key;                 ///< identifies the bug in all workers and processes
  std::uint64_t execution;           ///< the first execution of this worker that showed it, or of its task
  std::atomic<std::uint64_t> count;  ///< executions of this worker that showed it
  /// Of these, executions that had shown no finding of its kind before. Races and uses after free are one kind here.
  std::atomic<std::uint64_t> first_count;
  std::uint64_t content_size;  ///< a multiple of 8
  std::uint64_t output_size;   ///< what the program had printed, at most the last max_output bytes of it
  std::uint64_t decisions_size;
  /// 1: an execution showed it in which no wait ended early (EarlyEnd).
  std::atomic<std::uint64_t> is_timely;
  /// 1: an execution showed it that had no data race before.
  std::atomic<std::uint64_t> is_without_race;
  std::uint64_t unrecorded;  ///< 1: the execution's process died, and its decisions are not known
  char strategy[64];         ///< if a portfolio chose the execution's strategy: which, as --strategy takes it
};

inline constexpr std::uint64_t max_output = 64 * 1024;
inline constexpr std::uint64_t modules_offset = 192 * 1024;
inline constexpr std::uint64_t modules_capacity = 896 * 1024;
inline constexpr std::uint64_t decisions_offset = modules_offset + modules_capacity;
inline constexpr std::uint64_t decisions_capacity = 1ULL << 30;
inline constexpr std::uint64_t findings_offset = decisions_offset + decisions_capacity;
inline constexpr std::uint64_t findings_capacity = 2ULL << 30;
inline constexpr std::uint64_t graphs_offset = findings_offset + findings_capacity;
inline constexpr std::uint64_t graphs_capacity = 4ULL << 30;
inline constexpr std::uint64_t corpus_offset = graphs_offset + graphs_capacity;
inline constexpr std::uint64_t corpus_capacity = 256ULL << 20;
inline constexpr std::uint64_t outbox_offset = corpus_offset + corpus_capacity;
inline constexpr std::uint64_t outbox_capacity = 64ULL << 20;
inline constexpr std::uint64_t recordings_offset = outbox_offset + outbox_capacity;
inline constexpr std::uint64_t recordings_capacity = 256ULL << 20;
inline constexpr std::uint64_t cycles_offset = recordings_offset + recordings_capacity;
inline constexpr std::uint64_t cycles_capacity = 128ULL << 20;
inline constexpr std::uint64_t task_offset = cycles_offset + cycles_capacity;
inline constexpr std::uint64_t task_capacity = 64ULL << 20;
inline constexpr std::uint64_t gift_offset = task_offset + task_capacity;
inline constexpr std::uint64_t gift_capacity = task_capacity;
inline constexpr std::uint64_t task_gifts_offset = gift_offset + gift_capacity;
inline constexpr std::uint64_t task_gifts_capacity = 64ULL << 20;
inline constexpr std::uint64_t orders_offset = task_gifts_offset + task_gifts_capacity;
inline constexpr std::uint64_t orders_capacity = 1ULL << 20;
inline constexpr std::uint64_t channel_size = orders_offset + orders_capacity;

struct Channel {
  char magic[8];
  std::uint32_t version;
  std::uint32_t unused;
  Request request;
  Round round;
  SubtreeTask task;
  Progress progress;

  std::byte* at(std::uint64_t offset) { return reinterpret_cast<std::byte*>(this) + offset; }
};
static_assert(sizeof(Channel) <= modules_offset);

}  // namespace heddle::channel
