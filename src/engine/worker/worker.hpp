// The worker: the process that runs the executions which the driver, or a heddle::check, has asked for. It consists of
// parts, each with one subject; what it does is a run, whose kind the request says.
#pragma once

#include "base/arena.hpp"
#include "channel/channel.hpp"
#include "engine/engine.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/worker/aftermath_run.hpp"
#include "engine/worker/executor.hpp"
#include "engine/worker/isolation_choice.hpp"
#include "engine/worker/program_hooks.hpp"
#include "engine/worker/search_run.hpp"

namespace heddle::engine {

class Worker {
 public:
  Worker(channel::Channel& channel, base::Arena& forever, Heap& heap, Heap& library_heap, Modules& modules);

  Engine& engine() { return engine_; }
  /// The program has loaded or unloaded libraries: findings name their code.
  void refresh_modules();
  /// Does everything and ends the process.
  [[noreturn]] void run(const ProgramHooks& hooks);
  /// Runs the executions of a body in a process that continues afterwards, with its memory as it was before. The
  /// results are in the channel.
  void run_check(const CheckBody& body, const ProgramHooks& hooks);

 private:
  void publish_modules();
  void use_site_orders();
  void repeat_trace();

  channel::Channel& channel_;
  Modules& modules_;
  WorkerArenas arenas_;
  Engine engine_;
  Ledger ledger_;
  ProgramProcess process_;
  Methods methods_;
  SearchJudge judge_;
  Learning learning_;
  Executor executor_;
  IsolationChoice isolation_;
  SearchRun search_;
  AftermathRun aftermath_;
};

}  // namespace heddle::engine
