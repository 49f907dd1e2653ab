// The calls that a client makes on a data structure (include/heddle/linearizable.h): when each began and ended, as
// positions in the execution graph.
//
// A call comes before another one if everything that it did happens before the other one's begin. This is what a client
// can enforce: let the first call's last event happen before the begin of the second call. Add a release store behind
// the first call, and an acquire load that reads it in front of the second call. No two other events become ordered by
// this, so the longer execution is as consistent as the shorter one.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "linearizability/clients.hpp"
#include "linearizability/history.hpp"

namespace heddle::engine {

class ClientCalls {
 public:
  ClientCalls(base::Arena& forever, const ExecutionParts& execution)
      : forever_(forever), arena_(execution.arena), graph_(execution.graph), threads_(execution.threads) {}

  void begin_execution() {
    calls_.forget();
    steps_ = 0;
    checks_ = 0;
  }

  /// The family of clients with this description. Families are kept for the following executions.
  linearizability::Family& family(const linearizability::FamilyDescription& description);

  /// The current thread begins the call. False: the number is too large, or another call has it.
  bool begin(std::uint32_t call);
  /// False: the call has not begun in this thread, or has ended.
  bool end(std::uint32_t call);
  /// The calls so far were checked. Those that follow are of another test, and are numbered from 0 again.
  void end_test() {
    calls_.clear();
    ++checks_;
  }
  /// How many tests the execution has ended.
  std::uint32_t tests_ended() const { return checks_; }
  /// How many calls have begun. Their numbers are below this if all_ended().
  std::uint32_t count() const { return static_cast<std::uint32_t>(calls_.size()); }
  /// Whether the calls are numbered from 0 without gaps, and each one has ended.
  bool all_ended() const;

  enum class Order : bool { happens_before, program_order };
  /// Under `program_order`, calls of two threads are ordered only if the current thread, which makes the initial and
  /// the final part, made one of them.
  linearizability::History history(Order order) const;
  const char* label_of(std::uint32_t call) const { return calls_[call].label; }
  /// Both have ended.
  bool comes_before(std::uint32_t earlier, std::uint32_t later) const {
    return earlier < calls_.size() && later < calls_.size() && earlier != later &&
           comes_before(calls_[earlier], calls_[later]);
  }
  /// Whether `a` began earlier than `b`, in the order in which the execution was made.
  bool began_earlier(std::uint32_t a, std::uint32_t b) const { return calls_[a].begin_step < calls_[b].begin_step; }

  /// Memory for the check, empty. Not the execution's arena: the program's functions, which the check calls, make the
  /// engine allocate there, so that it cannot be used as a stack.
  base::Arena& scratch();

  // Histories that are known to be linearizable, in this process. Two hashes of 64 bits: a collision would hide a bug.
  struct HistoryHash {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    bool operator==(const HistoryHash&) const = default;
  };
  /// Of the values that the program has drawn (__VERIFIER_nondet_*): the sequential type may depend on them.
  std::uint64_t hash_of_drawn_values() const;
  /// Whether hash_of_drawn_values() knows all of them.
  bool knows_drawn_values() const { return !graph_.has_forgotten(); }
  /// The next executions are those of another program, or of another test.
  void forget_histories() {
    known_ = {};
    known_count_ = 0;
  }
  bool is_known(const HistoryHash& hash) const;
  void remember(const HistoryHash& hash);

 private:
  struct Call {
    const char* label = nullptr;  ///< of its thread; null: it has not begun
    graph::ThreadId thread = graph::no_thread;
    std::uint32_t begin_step = 0;          ///< begins and ends of calls are counted
    std::uint32_t end_step = 0;            ///< 0: it has not ended
    std::uint32_t end_index = 0;           ///< the index of its thread's newest event at the end
    std::span<const std::uint32_t> clock;  ///< what happens before its begin, by thread
  };
  bool comes_before(const Call& a, const Call& b) const;

  base::Arena& forever_;
  base::Arena& arena_;
  const graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  base::ArenaVector<Call> calls_;
  std::uint32_t steps_ = 0;
  std::uint32_t checks_ = 0;  ///< in this execution
  base::Arena scratch_;

  struct KnownFamily {
    std::uint64_t hash;
    linearizability::Family* family;
  };
  base::ArenaVector<KnownFamily> families_;  ///< in forever_
  std::span<HistoryHash> known_;             ///< in forever_; open addressing, zeros are empty
  std::size_t known_count_ = 0;
};

}  // namespace heddle::engine
