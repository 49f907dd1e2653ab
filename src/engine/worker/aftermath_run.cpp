#include "engine/worker/aftermath_run.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::engine {

namespace {

// A race may lead to another one, whose accesses are events next.
constexpr int most_passes = 2;
// Executions of an aftermath take turns with these. They need no parameters, and they differ in what they find.
constexpr const char* names[] = {"random", "pos"};
// A loop over memory that is an event has many more events than the execution had before.
constexpr std::uint64_t least_bound = 10'000, bound_factor = 8;

}  // namespace

/// Adds the sites that the last execution left. Returns false if there are no new ones.
bool AftermathRun::add_racy_sites() {
  const channel::Aftermath& aftermath = channel_.progress.aftermath;
  const std::size_t before = racy_sites_count_;
  for (std::uint64_t i = 0; i < aftermath.sites_count && i < channel::Aftermath::most_sites; ++i) {
    const auto* const end = racy_sites_ + racy_sites_count_;
    if (racy_sites_count_ == std::size(racy_sites_) ||
        std::find(racy_sites_, racy_sites_ + racy_sites_count_, aftermath.sites[i]) != end)
      continue;
    racy_sites_[racy_sites_count_++] = aftermath.sites[i];
  }
  std::sort(racy_sites_, racy_sites_ + racy_sites_count_);
  return racy_sites_count_ != before;
}

/// The strategies of the aftermath decide differently from those of the execution, which may be the same ones.
trace::Recorder& AftermathRun::strategy_of(std::uint64_t number) {
  static_assert(std::size(names) == strategy_count);
  trace::Recorder*& recorder = strategies_[number % strategy_count];
  if (recorder != nullptr) return *recorder;
  strategies::SpecificationError error;
  const auto specification = strategies::parse_strategy(names[number % strategy_count], error);
  HEDDLE_CHECK(specification.has_value(), "a strategy of the aftermath is not registered");
  constexpr std::uint64_t other_seed = 0x61667465726d6174U;
  base::Arena& arena = *arenas_.session;
  strategies::Strategy* strategy =
      strategies::make_strategy(*specification, base::hash_words(channel_.request.run.seed, other_seed), arena);
  if (strategies::GraphReader* reader = strategy->facets().graph_reader) reader->set_graph(engine_.graph());
  return *(recorder = arena.create<trace::Recorder>(*strategy, arenas_.recording));
}

void AftermathRun::execute(std::uint64_t number) {
  process_.discard_output();
  methods_.current().strategy->begin_execution(number);
  engine_.execution().forgive_failures(true);
  executor_.make(number);
  engine_.execution().forgive_failures(false);
  const auto output = engine_.findings().has_findings() ? process_.take_output() : std::span<const char>{};
  learning_.count_news(number, 0, engine_.findings().publish(output, engine_.decider().recorder(), nullptr));
  executor_.leave_races();
}

bool AftermathRun::is_wanted() const {
  const channel::Request& request = channel_.request;
  const Method& method = methods_.current();
  return channel_.progress.aftermath.sites_count != 0 && request.mode == channel::Mode::test && !method.is_search() &&
         method.cycle_watch == nullptr && request.recording == channel::Recording::nothing &&
         !request.run.stop_on_bug &&
         channel_.progress.failure.load(std::memory_order_relaxed) == channel::Failure::none;
}

void AftermathRun::explore(std::uint64_t number) {
  if (!is_wanted()) return;
  const Method sampling = methods_.current();
  Method method = sampling;
  method.strategy = &strategy_of(number);
  const std::uint64_t most_events = least_bound + bound_factor * channel_.progress.aftermath.events;
  FindingSink& findings = engine_.findings();
  findings.set_aftermath(true);
  findings.set_strategy_name(names[number % strategy_count], FindingSink::KnowsEarlyEnds::yes);
  racy_sites_count_ = 0;
  for (int pass = 0; pass < most_passes && add_racy_sites(); ++pass) {
    method.policy = aftermath_policy(sampling.policy, most_events, {racy_sites_, racy_sites_count_});
    methods_.use(method);
    process_.run_apart([&] { execute(number); });
  }
  findings.set_strategy_name(nullptr);
  findings.set_aftermath(false);
  methods_.use(sampling);
}

}  // namespace heddle::engine
