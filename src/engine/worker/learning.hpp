// The worker's part in a strategy that learns: it waits for the plan of each round, and counts the results of its
// executions. A heddle::check has no driver, so it makes its plans itself.
#pragma once

#include <cstdint>

#include "channel/channel.hpp"
#include "engine/engine.hpp"
#include "engine/worker/method.hpp"
#include "strategies/local_rounds.hpp"

namespace heddle::engine {

class Learning {
 public:
  Learning(channel::Channel& channel, Engine& engine, const Modules& modules, WorkerArenas& arenas, Ledger& ledger,
           const Methods& methods)
      : channel_(channel), engine_(engine), modules_(modules), arenas_(arenas), ledger_(ledger), methods_(methods) {}

  /// The driver makes the plans for the strategy, if it learns.
  void begin_with_driver();
  /// heddle::check: this process does, from execution `number` on.
  void begin_alone(std::uint64_t number);
  /// The strategy that learns; null: it does not.
  strategies::Portfolio* portfolio() const { return learner_.portfolio; }

  /// Waits for the round of this execution. Sets `number` to the worker's first execution in the round, if that is
  /// larger. False: the campaign ended before the round began.
  bool await_round(std::uint64_t& number);
  /// While every execution was cut off, waits for the driver before the first execution behind the gate. False: the
  /// campaign ended.
  bool await_gate(std::uint64_t number);
  /// Other workers may wait for an execution that runs to its end.
  void report_first_end();
  /// heddle::check: before an execution.
  void begin_execution(std::uint64_t number);

  /// Adds an execution to the totals of the values that it drew.
  void count_execution(std::uint64_t number, bool is_buggy);
  void count_news(std::uint64_t number, std::uint64_t graphs, std::uint64_t findings);
  void report_to_corpus(std::uint64_t number, std::uint64_t hash);

  /// What it knows of a strategy. Executions of another strategy may come in between.
  struct Learner {
    strategies::Portfolio* portfolio = nullptr;
    strategies::LocalRounds* own_rounds = nullptr;   ///< in a heddle::check
    strategies::CorpusReporter* reporter = nullptr;  ///< the strategy uses a corpus
  };
  Learner pause() { return std::exchange(learner_, {}); }
  void resume(const Learner& learner) { learner_ = learner; }

 private:
  void use_round(std::uint32_t number);
  void begin_corpus_round();
  void wait_for_driver(std::uint32_t seen, long nanoseconds);
  strategies::Totals& totals();

  channel::Channel& channel_;
  Engine& engine_;
  const Modules& modules_;
  WorkerArenas& arenas_;
  Ledger& ledger_;
  const Methods& methods_;
  Learner learner_;
  std::uint64_t known_graphs_ = 0;  ///< of the corpus, that the ledger contains
  std::uint32_t round_ = 0;         ///< the one that the worker is in; 0: none yet
  std::uint64_t round_begin_ = 0;
  std::uint64_t round_end_ = 0;
  bool has_reported_end_ = false;  ///< an execution ran to its end, and the driver heard of it
};

/// Wakes the driver, which looks at the channel.
void wake_driver();

}  // namespace heddle::engine
