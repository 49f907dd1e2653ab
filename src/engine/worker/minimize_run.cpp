#include "engine/worker/minimize_run.hpp"

#include "engine/memory/access_watch.hpp"

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

/// One execution, whose results stay in the minimizer. `accesses` counts its plain accesses, if they are counted.
void MinimizeRun::try_schedule(std::uint64_t number, const std::uint64_t& accesses) {
  process_.run(number);
  const bool is_whole = !engine_.graph().has_forgotten();
  // What comes after the finding does not matter to it.
  const std::uint64_t all = engine_.graph().events().size();
  const auto before = engine_.findings().events_before(channel_.request.finding_key);
  methods_.current().minimizer->set_outcome(
      is_whole && before, is_whole ? trace::cost_of(engine_.graph(), before.value_or(all)) : trace::Cost{}, accesses);
}

void MinimizeRun::bound_events(std::uint64_t most) {
  Method method = methods_.current();
  method.policy = with_most_events(method.policy, most);
  methods_.use(method);
}

void MinimizeRun::run() {
  const channel::Request& request = channel_.request;
  const std::uint64_t number = request.first_execution;
  // heddle::check resets its own process always.
  process_.use_isolation(request.run.isolation == Isolation::fork && request.check == 0 ? Isolation::fork
                                                                                        : Isolation::reset);
  const std::uint64_t max_events = methods_.current().policy.max_events;
  trace::Minimizer& minimizer = *methods_.current().minimizer;
  bool stopped_by_time = false;
  AccessCounter first_accesses;
  engine_.plain().set_watch(&first_accesses);
  for (std::uint64_t tries = 0; methods_.current().strategy->begin_execution(number); ++tries) {
    stopped_by_time = ledger_.is_late();
    if (stopped_by_time) break;
    process_.discard_output();
    process_.run_apart([&] { try_schedule(number, first_accesses.count()); });
    minimizer.learn();
    if (minimizer.is_refused() || ledger_.has_failed()) ledger_.finish();
    if (tries == 0) bound_events(bound_of_tries(minimizer.first_cost().events, max_events));
  }
  if (!minimizer.found()) ledger_.finish();
  channel_.progress.minimized = {minimizer.executions(), as_record(minimizer.first_cost()),
                                 as_record(minimizer.best_cost()), minimizer.shows_without_stale_reads() ? 1U : 0U,
                                 stopped_by_time ? 1U : 0U};
  bound_events(max_events);
  minimizer.settle();
  executor_.execute(number);
}

}  // namespace heddle::engine
