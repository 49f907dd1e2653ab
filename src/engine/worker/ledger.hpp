// What the worker tells the driver through the channel: counts, graphs and failures; and whether the driver wants more.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/arena.hpp"
#include "channel/channel.hpp"
#include "engine/worker/graph_set.hpp"
#include "strategies/strategy.hpp"

namespace heddle::engine {

class Ledger {
 public:
  Ledger(channel::Channel& channel, base::Arena& forever)
      : channel_(channel), request_(channel.request), progress_(channel.progress), graphs_(forever),
        searched_graphs_(forever) {}

  /// heddle::check: a new campaign begins in this process.
  void clear() {
    graphs_.clear();
    searched_graphs_.clear();
  }

  /// The worker cannot continue. Returns only in a process that does.
  void fail(channel::Failure failure, const char* text);
  /// The program breaks an assumption of the search; another search can continue.
  void fail_search(channel::SearchAssumption broken, const char* text);
  bool has_failed() const { return progress_.failure.load(std::memory_order_acquire) != channel::Failure::none; }
  void forgive_failure();
  /// The worker has no more to do. Ends the process.
  [[noreturn]] void finish();

  /// The driver does not want this execution.
  bool is_cancelled(std::uint64_t number) const;
  bool is_late() const;
  /// As long as there is no execution, it is not too late for one.
  bool should_stop(std::uint64_t number) const;
  bool is_stopped_by_bug() const { return request_.run.stop_on_bug && buggy() != 0; }

  std::uint64_t executions() const { return progress_.executions.load(std::memory_order_relaxed); }
  std::uint64_t buggy() const { return progress_.buggy.load(std::memory_order_relaxed); }
  bool are_all_cut_off() const { return executions() == progress_.cut_off.load(std::memory_order_relaxed); }
  void count_execution(strategies::Outcome outcome, bool is_buggy, std::uint64_t events);
  void count_abandoned() { add(progress_.abandoned, 1); }
  void count_escapes(std::uint64_t number) { add(progress_.escapes, number); }
  /// A search begins again: what is counted so far does not count.
  void forget_counts();

  /// The graph of the last execution; 0: none.
  std::uint64_t last_graph() const { return progress_.last_graph.load(std::memory_order_relaxed); }
  void set_last_graph(std::uint64_t hash) { progress_.last_graph.store(hash, std::memory_order_relaxed); }
  /// Returns true if the worker meets the graph for the first time. The driver hears of it. A graph that the search of
  /// a heddle::check has shown is new to the samples, but has a record already.
  bool add_graph(std::uint64_t hash, std::uint64_t execution, bool is_buggy);
  /// The driver hears of the graph, if no sample of this process has shown it. The samples that follow do not: what is
  /// new to them must not depend on whether the search ran in their process.
  void add_searched_graph(std::uint64_t hash, std::uint64_t execution, bool is_buggy);
  /// Another worker has shown the graph.
  void add_known_graph(std::uint64_t hash) { graphs_.add(hash); }
  bool knows_graph(std::uint64_t hash) const { return graphs_.contains(hash); }

 private:
  /// Counters have one writer at a time, so no locked instruction is needed.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t number) {
    counter.store(counter.load(std::memory_order_relaxed) + number, std::memory_order_release);
  }
  bool has_room_for_record() const;
  void add_record(std::uint64_t hash, std::uint64_t execution, bool is_buggy);

  channel::Channel& channel_;
  const channel::Request& request_;
  channel::Progress& progress_;
  GraphSet graphs_;
  GraphSet searched_graphs_;  ///< of the search of `auto`, without those of graphs_
};

}  // namespace heddle::engine
