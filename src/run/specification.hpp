// What the user can choose about a run. The command line, HEDDLE_OPTIONS and heddle::Options fill a RunSpecification;
// the channel carries it to the worker; traces keep what a replay needs of it. run/fields.cpp is the table of its
// members: their names, defaults, help texts, and where each one applies.
//
// A RunSpecification is trivially copyable and needs no allocator, because it lies in the shared memory of the channel
// and is used inside the program under test.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::run {

/// A string of at most capacity() bytes, stored in place and terminated by a null character.
class Text {
 public:
  static constexpr std::size_t capacity() { return size - 1; }

  /// Returns false and keeps the old content if `text` is too long or contains a null character.
  bool assign(std::string_view text) {
    if (text.size() > capacity() || text.find('\0') != std::string_view::npos) return false;
    for (std::size_t i = 0; i < text.size(); ++i) bytes_[i] = text[i];
    bytes_[text.size()] = '\0';
    return true;
  }
  bool append(std::string_view text) {
    const std::size_t before = view().size();
    if (text.size() > capacity() - before || text.find('\0') != std::string_view::npos) return false;
    for (std::size_t i = 0; i < text.size(); ++i) bytes_[before + i] = text[i];
    bytes_[before + text.size()] = '\0';
    return true;
  }

  std::string_view view() const { return bytes_; }
  const char* c_str() const { return bytes_; }
  bool empty() const { return bytes_[0] == '\0'; }
  friend bool operator==(const Text& a, std::string_view b) { return a.view() == b; }
  friend bool operator==(const Text& a, const Text& b) { return a.view() == b.view(); }

 private:
  static constexpr std::size_t size = 4096;  // PATH_MAX
  char bytes_[size];
};

// The table lists the names of these values in the same order.
/// Which later writes continue a release sequence, besides read-modify-writes. cpp20: none. c11: stores of the
/// releasing thread to the same location.
enum class ReleaseSequence : std::uint32_t { cpp20, c11 };
/// How models with store buffers execute a read-modify-write or compare-exchange, also one that fails. by_order: the
/// memory order says which barriers it has. full: it is a full barrier, as an instruction of x86 with the prefix lock
/// is.
enum class RmwBarrier : std::uint32_t { by_order, full };
/// Volatile accesses are plain accesses, which may race, or relaxed atomics.
enum class VolatileAccesses : std::uint32_t { plain, relaxed };
enum class Isolation : std::uint32_t { automatic, reset, fork };
/// When a sleep or a timed wait may be over. free: at any time, also while another thread can run. strict: when virtual
/// time has come there, and time passes only while no thread can run.
enum class TimeModel : std::uint32_t { free, strict };
/// Whether a wait for a condition variable or a futex may be over without a reason. rare: in some executions.
enum class SpuriousWakeUps : std::uint32_t { none, rare, free };
enum class ExitStatus : std::uint32_t { zero, any };
/// What becomes of locks that threads take in different orders: nothing, a warning, or a bug.
enum class LockOrder : std::uint32_t { off, report, fail };
enum class Annotations : std::uint32_t { none, github };
/// Which findings are minimised and explained: the first of each kind, all, or none.
enum class Explain : std::uint32_t { first, all, none };
/// Exhaustive search: automatic searches with a bound of 0, 1, 2, ... preemptions, one after the other.
enum class Deepening : std::uint32_t { none, automatic };
/// Which executions of an exhaustive search --dot draws.
enum class DotGraphs : std::uint32_t { findings, all };

/// Made by default_specification() (run/fields.hpp). A limit of 0: there is none. Many fields: one for each option.
struct RunSpecification {
  Text strategy;
  Text model;
  ReleaseSequence release_sequence;
  RmwBarrier rmw;
  VolatileAccesses volatiles;
  Text orders;  ///< memory orders for places in the program, see orders/order_table.hpp; empty: those of the program
  TimeModel time_model;
  SpuriousWakeUps spurious;
  std::uint64_t runs;
  std::chrono::milliseconds time;
  std::uint64_t jobs;
  std::uint64_t seed;
  Isolation isolation;
  bool stop_on_bug;
  bool keep_going;
  std::uint64_t max_events;           ///< of one execution
  std::uint64_t max_memory;           ///< bytes of heap of one execution
  std::chrono::milliseconds timeout;  ///< of an execution that makes no visible operation
  Text stdin_path;                    ///< absolute; empty: the program gets no input
  bool leaks;
  LockOrder lock_order;
  ExitStatus exit_status;  ///< which status of the program is not a finding
  bool aslr;
  Text suppressions;  ///< path; empty: none
  Text trust;         ///< names of libraries, separated by commas
  Text json;
  Text junit;
  Text sarif;
  Text html;
  Annotations annotations;
  Text out;
  Text corpus;                           ///< folder; empty: the corpus is not kept
  Text shard;                            ///< "2/8": every eighth execution, from the second on; empty: all executions
  Text baseline;                         ///< a JSON report with known findings; empty: none
  Text results;                          ///< a database of results; empty: none
  Text resume;                           ///< folder for the state of the campaign; empty: the state is not kept
  std::chrono::milliseconds checkpoint;  ///< how often the state is written
  std::uint64_t cycle_length;            ///< heddle predict: accesses of the longest cycles
  std::uint64_t trials;                  ///< heddle predict: of each cycle
  std::uint64_t trial_runs;              ///< heddle predict: executions of a trial
  Text cycle;                            ///< traces of heddle predict: the cycle that the execution had; empty: none
  Text racy_sites;  ///< the plain accesses that are events (engine/memory/racy_sites.hpp); empty: none
  Deepening bound;
  std::uint64_t print_graphs;  ///< exhaustive search: how many graphs to print
  Text dot;                    ///< exhaustive search: folder for graphs; empty: none are written
  DotGraphs dot_graphs;
  bool show_output;
  Explain explain;
  bool quiet;
  std::uint64_t exitcode;  ///< of heddle, if it finds a bug
  Text log_path;           ///< the report goes to this file and the process id; empty: to standard output

  bool operator==(const RunSpecification&) const = default;
};

}  // namespace heddle::run
