// What follows a race. Plain accesses are no events, so an execution with a race shows one order of the two accesses,
// and mostly not the one with consequences: a failed assertion, a double free, a lost message. An execution that had a
// race is therefore followed by others with the same number, its aftermath. In these, the accesses that raced are
// events (ExecutionPolicy::racy_sites).
//
// An aftermath depends on the seed and the number of its execution alone, so that results do not depend on the number
// of workers. It is not counted as an execution, and no strategy learns from it. What it finds belongs to the
// execution.
//
// A search begins again with the accesses as events, instead (SearchJudge::begin_again_after_race).
#pragma once

#include <cstdint>

#include "channel/channel.hpp"
#include "engine/engine.hpp"
#include "engine/worker/executor.hpp"

namespace heddle::engine {

class AftermathRun {
 public:
  AftermathRun(channel::Channel& channel, Engine& engine, WorkerArenas& arenas, ProgramProcess& process,
               Methods& methods, Learning& learning, Executor& executor)
      : channel_(channel), engine_(engine), arenas_(arenas), process_(process), methods_(methods), learning_(learning),
        executor_(executor) {}

  /// A campaign begins.
  void begin() {
    for (trace::Recorder*& strategy : strategies_) strategy = nullptr;
  }
  /// To be called before the execution that an aftermath may follow.
  void forget_races() { channel_.progress.aftermath.sites_count = channel_.progress.aftermath.keys_count = 0; }
  /// Looks for what follows from the races of the last execution, which had this number.
  void explore(std::uint64_t number);

 private:
  static constexpr std::size_t strategy_count = 2;

  bool is_wanted() const;
  bool add_racy_sites();
  trace::Recorder& strategy_of(std::uint64_t number);
  void execute(std::uint64_t number);

  channel::Channel& channel_;
  Engine& engine_;
  WorkerArenas& arenas_;
  ProgramProcess& process_;
  Methods& methods_;
  Learning& learning_;
  Executor& executor_;
  trace::Recorder* strategies_[strategy_count] = {};
  std::uint64_t racy_sites_[2 * channel::Aftermath::most_sites];  ///< sorted
  std::size_t racy_sites_count_ = 0;
};

}  // namespace heddle::engine
