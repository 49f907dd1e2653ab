#include "engine/worker/worker.hpp"

#include <signal.h>

#include <cstdio>

#include "base/fast_paths.hpp"
#include "channel/finding_record.hpp"
#include "channel/site_order.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/isolation/context.hpp"
#include "engine/isolation/float_modes.hpp"
#include "engine/isolation/real.hpp"
#include "engine/isolation/thread_pointer.hpp"
#include "engine/worker/check_run.hpp"
#include "engine/worker/minimize_run.hpp"
#include "engine/worker/replay_run.hpp"
#include "engine/worker/sampling_run.hpp"
#include "engine/worker/task_run.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::Mode;

namespace {

constexpr std::size_t gigabyte = std::size_t{1} << 30;

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

}  // namespace

Worker::Worker(channel::Channel& channel, base::Arena& forever, Heap& heap, Heap& library_heap, Modules& modules)
    : channel_(channel),
      modules_(modules), arenas_{.forever = forever,
                                 .execution = base::Arena(reserve_memory(64 * gigabyte, gigabyte / 4)),
                                 .recording = base::Arena(reserve_memory(16 * gigabyte, gigabyte / 16)),
                                 .check = {},
                                 .session = &forever},
      engine_(forever, arenas_.execution, heap, modules, &channel), ledger_(channel, forever),
      process_(channel, engine_, heap, library_heap, modules, arenas_, ledger_),
      methods_(channel, engine_, heap, modules, arenas_, process_, ledger_),
      judge_(channel, engine_, modules, arenas_, process_, ledger_, methods_),
      learning_(channel, engine_, modules, arenas_, ledger_, methods_),
      executor_(channel, engine_, process_, ledger_, methods_, judge_, learning_),
      isolation_(channel, engine_, arenas_, process_, ledger_, methods_),
      search_(channel.request, engine_, process_, ledger_, methods_, judge_, executor_),
      aftermath_(channel, engine_, arenas_, process_, methods_, learning_, executor_) {
  fault_channel = &channel;
  base::set_check_handler(report_fault);
  engine_.execution().root().set_thread_pointer(thread_pointer());
  heddle_saves_float_modes = !base::fast_paths || may_use_float_modes(modules);
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
  modules_.refresh(arenas_.forever);
  publish_modules();
  use_site_orders();
}

void Worker::use_site_orders() {
  auto* table = reinterpret_cast<channel::SiteOrder*>(channel_.at(channel::orders_offset));
  if (channel_.request.site_orders != 0)
    engine_.site_orders().set({table, channel_.request.site_orders}, modules_, arenas_.forever);
}

void Worker::run(const ProgramHooks& hooks) {
  process_.begin(hooks);
  methods_.make(channel_.request.run.strategy.view());
  publish_modules();
  use_site_orders();
  if (!modules_.all().front().instrumented)
    engine_.warn(
        "the program was linked with heddle, but its code is not instrumented: heddle sees its threads and locks, not "
        "its accesses to memory; compile it with heddle cc or heddle c++");
  process_.save_memory();
  channel_.progress.state.store(channel::State::running, std::memory_order_release);
  if (channel_.request.mode != Mode::test)
    repeat_trace();
  else if (channel_.request.search_runs != 0)
    search_.run(isolation_);
  else if (channel_.request.has_tasks != 0)
    TaskRun(channel_, engine_, process_, ledger_, methods_, judge_, executor_).run(isolation_);
  else
    SamplingRun(channel_.request, process_, ledger_, methods_, learning_, executor_, aftermath_).run(isolation_);
  ledger_.finish();
}

void Worker::repeat_trace() {
  if (channel_.request.mode == Mode::replay)
    ReplayRun(channel_, process_, methods_, executor_).run();
  else
    MinimizeRun(channel_, engine_, process_, ledger_, methods_, executor_).run();
}

void Worker::run_check(const CheckBody& body, const ProgramHooks& hooks) {
  constexpr std::size_t most = 16 * gigabyte, least = gigabyte / 16;
  if (arenas_.check.capacity() == 0) arenas_.check = base::Arena(reserve_memory(most, least));
  arenas_.check.reset();
  arenas_.recording.reset();
  arenas_.session = &arenas_.check;
  process_.begin(hooks);
  ledger_.clear();
  judge_.begin_search(false);
  aftermath_.begin();
  engine_.names().set_callers_stack(body.callers_stack);
  if (!methods_.make(channel_.request.run.strategy.view())) return;
  publish_modules();
  process_.save_memory(body.callers_stack);
  channel_.progress.state.store(channel::State::running, std::memory_order_release);
  if (channel_.request.mode != Mode::test) {
    repeat_trace();
    ledger_.finish();
  }
  process_.use_isolation(channel::Isolation::reset);
  CheckExecutor executor(engine_, arenas_, process_, ledger_, judge_, learning_, executor_);
  CheckSearch search(channel_, ledger_, methods_, learning_, search_, executor);
  CheckRun(channel_, ledger_, methods_, learning_, aftermath_, search, executor).run();
  process_.unwatch_memory();
}

}  // namespace heddle::engine
