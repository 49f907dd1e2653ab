// How executions are decided and what they may do: memory model, strategy and policy, made from the request.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/engine.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/recording/cycle_watch.hpp"
#include "engine/recording/execution_watch.hpp"
#include "engine/worker/program_process.hpp"
#include "exploration/enumeration.hpp"
#include "exploration/exploration.hpp"
#include "strategies/strategy_specification.hpp"
#include "trace/minimizer.hpp"

namespace heddle::engine {

struct Method {
  const models::MemoryModel* model = nullptr;
  trace::Recorder* strategy = nullptr;  ///< around the one that was asked for
  ExecutionPolicy policy;
  exploration::Exploration* exploration = nullptr;  ///< if it is the optimal search
  exploration::Enumeration* enumeration = nullptr;  ///< if it is the plain search
  trace::Replayer* replayer = nullptr;
  trace::Minimizer* minimizer = nullptr;
  CycleWatch* cycle_watch = nullptr;          ///< executions are directed to cycles
  ExecutionWatch* execution_watch = nullptr;  ///< the execution is recorded

  /// The strategy explores all executions.
  bool is_search() const { return exploration != nullptr || enumeration != nullptr; }
};

/// Makes methods, one of which the engine uses.
class Methods {
 public:
  Methods(channel::Channel& channel, Engine& engine, Heap& heap, const Modules& modules, WorkerArenas& arenas,
          ProgramProcess& process, Ledger& ledger)
      : channel_(channel), engine_(engine), heap_(heap), modules_(modules), arenas_(arenas), process_(process),
        ledger_(ledger) {}

  /// The one that executions use.
  const Method& current() const { return current_; }
  /// Makes the method of the request with this strategy, and uses it. Returns false if the worker has failed.
  bool make(std::string_view strategy);
  void use(const Method& method);
  /// How often the strategy has taken a thread for livelocked since the last call.
  std::uint64_t take_escapes();
  /// The number of the next execution. A worker that directs executions to cycles leaves out the rest of a trial that
  /// has ended. It is the only worker.
  std::uint64_t execution_after(std::uint64_t number) const;
  /// heddle predict: judges whether the execution had its cycle. Writes what Request::recording asks for.
  void write_recordings(std::uint64_t number);
  /// What the search has in memory is not needed any more.
  void forget_search() { search_run_arena_.reset(); }

 private:
  strategies::Strategy* make_strategy(const strategies::StrategySpecification& specification, bool is_optimal,
                                      Method& method);
  strategies::Strategy* make_search(const strategies::SearchBounds& bounds, bool is_optimal, Method& method);
  strategies::Strategy* make_recorded(Method& method);
  strategies::CycleTable& cycles() const;
  WatchedExecution watched_execution() const;

  channel::Channel& channel_;
  Engine& engine_;
  Heap& heap_;
  const Modules& modules_;
  WorkerArenas& arenas_;
  ProgramProcess& process_;
  Ledger& ledger_;
  Method current_;
  std::uint64_t escapes_taken_ = 0;
  base::Arena search_run_arena_;  ///< exhaustive search: of one run
  base::Arena search_arena_;      ///< and of the search
  base::Arena shared_arena_;      ///< minimising: in the channel
};

}  // namespace heddle::engine
