// A worker that looks for a simpler execution with the same finding (trace/minimizer.hpp). Its tries leave nothing in
// the channel but their number; the last execution, which is the simplest one, is reported like any other.
#include "engine/isolation/child_process.hpp"
#include "engine/memory/access_watch.hpp"
#include "engine/worker/worker.hpp"

namespace heddle::engine {

using channel::Isolation;

namespace {

channel::Minimized::Cost as_record(const trace::Cost& cost) { return {cost.switches, cost.stale_reads, cost.events}; }

/// Counts the plain accesses of an execution. They are no events, but a try takes as long as all of them together.
class AccessCounter final : public AccessWatch {
 public:
  void record_plain_access(channel::AccessKind, std::uintptr_t, std::size_t, std::uint64_t, std::uint32_t) override {
    ++count_;
  }
  const std::uint64_t& count() const { return count_; }

 private:
  std::uint64_t count_ = 0;
};

/// A try that takes much longer than the trace is not simpler.
std::uint64_t bound_of_tries(std::uint64_t events, std::uint64_t limit) {
  constexpr std::uint64_t few = 200;
  const std::uint64_t bound = 2 * events + few;
  return bound < limit ? bound : limit;
}

}  // namespace

trace::Minimizer& Worker::make_minimizer(std::span<const std::uint8_t> decisions, base::Arena& arena) {
  const channel::Request& request = channel_.request;
  shared_arena_ = base::Arena({channel_.at(channel::recordings_offset), channel::recordings_capacity});
  minimizer_ = arena.create<trace::Minimizer>(
      decisions, trace::Minimizer::Budget{request.most_tries, request.most_tried_events}, arena, shared_arena_);
  minimizer_->set_graph(engine_.graph());
  return *minimizer_;
}

/// One execution, whose results stay in the minimizer. `accesses` counts its plain accesses, if they are counted.
void Worker::try_schedule(std::uint64_t number, const std::uint64_t& accesses) {
  const bool watched = isolation_ == Isolation::reset;
  if (watched) hooks_.begin_system_call_watch();
  engine_.run(number, hooks_.run_main, hooks_.argument);
  refuse_unknown_process();
  hooks_.flush_output();
  made_system_calls_ = !watched || hooks_.end_system_call_watch();
  const bool is_whole = !engine_.graph().has_forgotten();
  // What comes after the finding does not matter to it.
  const std::uint64_t all = engine_.graph().events().size();
  const auto before = engine_.findings().events_before(channel_.request.finding_key);
  minimizer_->set_outcome(is_whole && before,
                          is_whole ? trace::cost_of(engine_.graph(), before.value_or(all)) : trace::Cost{}, accesses);
}

void Worker::run_minimization() {
  const channel::Request& request = channel_.request;
  const std::uint64_t number = request.first_execution;
  // heddle::check resets its own process always.
  isolation_ = request.run.isolation == Isolation::fork && request.check == 0 ? Isolation::fork : Isolation::reset;
  channel_.progress.isolation_used.store(isolation_, std::memory_order_relaxed);
  if (isolation_ == Isolation::reset) watch_memory();
  const std::uint64_t max_events = method_.policy.max_events;
  const auto is_late = [&] { return request.deadline != 0 && monotonic_now() >= request.deadline; };
  bool stopped_by_time = false;
  AccessCounter first_accesses;
  engine_.plain().set_watch(&first_accesses);
  for (std::uint64_t tries = 0; method_.strategy->begin_execution(number); ++tries) {
    stopped_by_time = is_late();
    if (stopped_by_time) break;
    prepare_output();
    if (isolation_ == Isolation::fork) {
      run_isolated([&] { try_schedule(number, first_accesses.count()); });
    } else {
      try_schedule(number, first_accesses.count());
      reset();
    }
    minimizer_->learn();
    if (minimizer_->is_refused() || has_failed()) finish();
    if (tries != 0) continue;
    engine_.plain().set_watch(nullptr);
    method_.policy.max_events = bound_of_tries(minimizer_->first_cost().events, max_events);
    use_method();
  }
  if (!minimizer_->found()) finish();
  channel_.progress.minimized = {minimizer_->executions(), as_record(minimizer_->first_cost()),
                                 as_record(minimizer_->best_cost()), minimizer_->shows_without_stale_reads() ? 1U : 0U,
                                 stopped_by_time ? 1U : 0U};
  method_.policy.max_events = max_events;
  use_method();
  minimizer_->settle();
  execute(number);
}

}  // namespace heddle::engine
