// The worker's part in a strategy that learns: it waits for the plan of each round, and counts the results of its
// executions. A heddle::check has no driver, so it makes its plans itself.
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstring>
#include <type_traits>

#include "engine/isolation/real.hpp"
#include "engine/worker/worker.hpp"
#include "memory/store_rule.hpp"
#include "strategies/fuzz.hpp"

namespace heddle::engine {

/// Waits for the round of this execution. Sets `number` to the worker's first execution in the round, if that is
/// larger. False: the campaign ended before the round began.
bool Worker::await_round(std::uint64_t& number) {
  for (;;) {
    const std::uint32_t seen = channel_.round.number.load(std::memory_order_acquire);
    if (seen != round_.number) use_round(seen);
    while (number < round_.begin_execution) number += channel_.request.stride;
    if (number < round_.end_execution) return true;
    if (should_stop(number)) return false;
    channel_.progress.awaits_round.store(seen + 1, std::memory_order_release);
    real().syscall(SYS_kill, real().syscall(SYS_getppid), SIGCHLD);
    const timespec interval{0, 100'000'000};  // after which should_stop() looks at the clock
    real().syscall(SYS_futex, &channel_.round.number, FUTEX_WAIT, seen, &interval, nullptr, 0);
  }
}

/// While every execution was cut off, waits for the driver before the first execution behind the gate. False: the
/// campaign ended.
bool Worker::await_gate(std::uint64_t number) {
  channel::Progress& progress = channel_.progress;
  const auto all_cut_off = [&] {
    return progress.executions.load(std::memory_order_relaxed) == progress.cut_off.load(std::memory_order_relaxed);
  };
  for (;;) {
    const std::uint64_t gate = std::atomic_ref(channel_.request.gate).load(std::memory_order_acquire);
    if (number < gate || !all_cut_off()) break;
    if (should_stop(number)) return false;
    if (progress.waits_at_gate.exchange(gate, std::memory_order_release) != gate)
      real().syscall(SYS_kill, real().syscall(SYS_getppid), SIGCHLD);
    const timespec interval{0, 5'000'000};  // also for a wake-up that came before the call
    const std::uint32_t seen = channel_.round.number.load(std::memory_order_acquire);
    real().syscall(SYS_futex, &channel_.round.number, FUTEX_WAIT, seen, &interval, nullptr, 0);
  }
  progress.waits_at_gate.store(0, std::memory_order_relaxed);
  return true;
}

/// Other workers may wait for an execution that runs to its end.
void Worker::tell_driver_of_first_end() {
  const channel::Progress& progress = channel_.progress;
  if (told_driver_ ||
      progress.executions.load(std::memory_order_relaxed) == progress.cut_off.load(std::memory_order_relaxed))
    return;
  told_driver_ = true;
  real().syscall(SYS_kill, real().syscall(SYS_getppid), SIGCHLD);
}

/// Takes over what the driver has written. The driver writes the next round only if the worker waits for it.
void Worker::use_round(std::uint32_t number) {
  round_ = {number, channel_.round.begin_execution, channel_.round.end_execution};
  channel_.progress.awaits_round.store(0, std::memory_order_relaxed);
  if (portfolio_ == nullptr) return;
  strategies::PortfolioPlan plan;
  static_assert(sizeof plan <= sizeof channel_.round.plan);
  std::memcpy(&plan, channel_.round.plan, sizeof plan);
  portfolio_->use(plan);
  if (reporter_ != nullptr) begin_corpus_round();
}

// ---- the corpus -------------------------------------------------------------------------------------------------

namespace {
strategies::Corpus& corpus_of(channel::Channel& channel) {
  static_assert(sizeof(strategies::Corpus) <= channel::corpus_capacity);
  return *reinterpret_cast<strategies::Corpus*>(channel.at(channel::corpus_offset));
}
strategies::CorpusOutbox& outbox_of(channel::Channel& channel) {
  static_assert(sizeof(strategies::CorpusOutbox) <= channel::outbox_capacity);
  return *reinterpret_cast<strategies::CorpusOutbox*>(channel.at(channel::outbox_offset));
}

class ModuleSites final : public strategies::SiteNames {
 public:
  explicit ModuleSites(const Modules& modules) : modules_(modules) {}
  std::uint64_t name_of(std::uint64_t site) const override { return modules_.canonical(site); }

 private:
  const Modules& modules_;
};
}  // namespace

/// The worker reports its executions, and its strategy reads the corpus.
void Worker::begin_reporting() {
  reporter_ = nullptr;
  if (portfolio_ == nullptr || !portfolio_->scope().uses_corpus()) return;
  const auto& sites = *session_arena_->create<ModuleSites>(modules_);
  reporter_ = session_arena_->create<strategies::CorpusReporter>(corpus_of(channel_), outbox_of(channel_),
                                                                 *session_arena_, execution_arena_, sites);
  portfolio_->set_corpus(corpus_of(channel_), sites);
}

/// Graphs that other workers have shown are known to this one from now on.
void Worker::begin_corpus_round() {
  const strategies::Corpus& corpus = corpus_of(channel_);
  for (; known_graphs_ < corpus.known_graphs && known_graphs_ < strategies::Corpus::most_known_graphs; ++known_graphs_)
    graphs_.add(corpus.graphs[known_graphs_]);
  reporter_->begin_round();
}

void Worker::report_to_corpus(std::uint64_t number, std::uint64_t hash) {
  reporter_->add(number, hash, !graphs_.contains(hash), engine_.graph(),
                 memory::store_rule(*method_.model, *engine_.model_state()), *portfolio_);
}

strategies::Totals& Worker::totals() {
  static_assert(sizeof(strategies::Totals) <= sizeof channel_.progress.totals);
  static_assert(std::is_trivially_copyable_v<strategies::Totals>);
  return *reinterpret_cast<strategies::Totals*>(channel_.progress.totals);
}

/// Adds an execution to the totals of the values that it drew.
void Worker::tally(std::uint64_t number, bool is_buggy) {
  if (portfolio_ != nullptr)
    totals().add_execution(portfolio_->assignment_of(number), is_buggy, portfolio_->observation());
}

// ---- heddle::check ----------------------------------------------------------------------------------------------

void Worker::begin_learning(std::uint64_t number) {
  portfolio_ = method_.strategy->portfolio();
  own_rounds_ = nullptr;
  own_corpus_ = nullptr;
  reporter_ = nullptr;
  if (portfolio_ == nullptr) return;
  if (portfolio_->scope().uses_corpus()) {
    own_corpus_ = session_arena_->create<strategies::LocalCorpus>(
        corpus_of(channel_), outbox_of(channel_), strategies::corpus_rule(portfolio_->scope().given()),
        channel_.request.run.seed, *session_arena_, execution_arena_, *session_arena_->create<ModuleSites>(modules_));
    reporter_ = &own_corpus_->reporter();
  }
  own_rounds_ = session_arena_->create<strategies::LocalRounds>(*portfolio_, totals(), number, own_corpus_);
}

void Worker::learn_if_round_is_over(std::uint64_t number) {
  if (own_rounds_ != nullptr && own_rounds_->begin_execution(number))
    std::memcpy(channel_.round.plan, &own_rounds_->plan(), sizeof own_rounds_->plan());  // for the report
}

void Worker::count_news(std::uint64_t number, std::uint64_t graphs, std::uint64_t findings) {
  if (own_rounds_ != nullptr) own_rounds_->add_news(number, graphs, findings);
}

}  // namespace heddle::engine
