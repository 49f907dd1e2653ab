#include "engine/worker/learning.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstring>
#include <type_traits>

#include "engine/isolation/real.hpp"
#include "memory/store_rule.hpp"
#include "strategies/fuzz.hpp"

namespace heddle::engine {

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

void wake_driver() { real().syscall(SYS_kill, real().syscall(SYS_getppid), SIGCHLD); }

// ---- rounds -----------------------------------------------------------------------------------------------------

void Learning::wait_for_driver(std::uint32_t seen, long nanoseconds) {
  const timespec interval{0, nanoseconds};
  real().syscall(SYS_futex, &channel_.round.number, FUTEX_WAIT, seen, &interval, nullptr, 0);
}

bool Learning::await_round(std::uint64_t& number) {
  for (;;) {
    const std::uint32_t seen = channel_.round.number.load(std::memory_order_acquire);
    if (seen != round_) use_round(seen);
    while (number < round_begin_) number += channel_.request.stride;
    if (number < round_end_) return true;
    if (ledger_.should_stop(number)) return false;
    channel_.progress.awaits_round.store(seen + 1, std::memory_order_release);
    wake_driver();
    wait_for_driver(seen, 100'000'000);  // after which should_stop() looks at the clock
  }
}

bool Learning::await_gate(std::uint64_t number) {
  channel::Progress& progress = channel_.progress;
  for (;;) {
    const std::uint64_t gate = std::atomic_ref(channel_.request.gate).load(std::memory_order_acquire);
    if (number < gate || !ledger_.are_all_cut_off()) break;
    if (ledger_.should_stop(number)) return false;
    if (progress.waits_at_gate.exchange(gate, std::memory_order_release) != gate) wake_driver();
    // Also for a wake-up that came before the call.
    wait_for_driver(channel_.round.number.load(std::memory_order_acquire), 5'000'000);
  }
  progress.waits_at_gate.store(0, std::memory_order_relaxed);
  return true;
}

void Learning::report_first_end() {
  if (has_reported_end_ || ledger_.are_all_cut_off()) return;
  has_reported_end_ = true;
  wake_driver();
}

/// Takes over what the driver has written. The driver writes the next round only if the worker waits for it.
void Learning::use_round(std::uint32_t number) {
  round_ = number;
  round_begin_ = channel_.round.begin_execution;
  round_end_ = channel_.round.end_execution;
  channel_.progress.awaits_round.store(0, std::memory_order_relaxed);
  if (portfolio() == nullptr) return;
  strategies::PortfolioPlan plan;
  static_assert(sizeof plan <= sizeof channel_.round.plan);
  std::memcpy(&plan, channel_.round.plan, sizeof plan);
  portfolio()->use(plan);
  if (learner_.reporter != nullptr) begin_corpus_round();
}

strategies::Totals& Learning::totals() {
  static_assert(sizeof(strategies::Totals) <= sizeof channel_.progress.totals);
  static_assert(std::is_trivially_copyable_v<strategies::Totals>);
  return *reinterpret_cast<strategies::Totals*>(channel_.progress.totals);
}

void Learning::count_execution(std::uint64_t number, bool is_buggy) {
  if (portfolio() != nullptr)
    totals().add_execution(portfolio()->assignment_of(number), is_buggy, portfolio()->observation());
}

// ---- the corpus -------------------------------------------------------------------------------------------------

/// The worker reports its executions, and its strategy reads the corpus.
void Learning::begin_with_driver() {
  learner_ = {.portfolio = methods_.current().strategy->facets().portfolio};
  if (portfolio() == nullptr || !portfolio()->scope().uses_corpus()) return;
  base::Arena& arena = *arenas_.session;
  const auto& sites = *arena.create<ModuleSites>(modules_);
  learner_.reporter = arena.create<strategies::CorpusReporter>(corpus_of(channel_), outbox_of(channel_), arena,
                                                               arenas_.execution, sites);
  portfolio()->set_corpus(corpus_of(channel_), sites);
}

/// Graphs that other workers have shown are known to this one from now on.
void Learning::begin_corpus_round() {
  const strategies::Corpus& corpus = corpus_of(channel_);
  for (; known_graphs_ < corpus.known_graphs && known_graphs_ < strategies::Corpus::most_known_graphs; ++known_graphs_)
    ledger_.add_known_graph(corpus.graphs[known_graphs_]);
  learner_.reporter->begin_round();
}

void Learning::report_to_corpus(std::uint64_t number, std::uint64_t hash) {
  if (learner_.reporter == nullptr) return;
  learner_.reporter->add(number, hash, !ledger_.knows_graph(hash), engine_.graph(),
                         memory::store_rule(*methods_.current().model, *engine_.model_state()), *portfolio());
}

// ---- heddle::check ----------------------------------------------------------------------------------------------

void Learning::begin_alone(std::uint64_t number) {
  learner_ = {.portfolio = methods_.current().strategy->facets().portfolio};
  if (portfolio() == nullptr) return;
  base::Arena& arena = *arenas_.session;
  strategies::LocalCorpus* corpus = nullptr;
  if (portfolio()->scope().uses_corpus()) {
    corpus = arena.create<strategies::LocalCorpus>(
        corpus_of(channel_), outbox_of(channel_), strategies::corpus_rule(portfolio()->scope().given()),
        channel_.request.run.seed, arena, arenas_.execution, *arena.create<ModuleSites>(modules_));
    learner_.reporter = &corpus->reporter();
  }
  learner_.own_rounds = arena.create<strategies::LocalRounds>(*portfolio(), totals(), number, corpus);
}

void Learning::begin_execution(std::uint64_t number) {
  strategies::LocalRounds* const rounds = learner_.own_rounds;
  if (rounds != nullptr && rounds->begin_execution(number))
    std::memcpy(channel_.round.plan, &rounds->plan(), sizeof rounds->plan());  // for the report
}

void Learning::count_news(std::uint64_t number, std::uint64_t graphs, std::uint64_t findings) {
  if (learner_.own_rounds != nullptr) learner_.own_rounds->add_news(number, graphs, findings);
}

}  // namespace heddle::engine
