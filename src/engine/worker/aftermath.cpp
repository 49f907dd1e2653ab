// What follows a race. Plain accesses are no events, so an execution with a race shows one order of the two accesses,
// and mostly not the one with consequences: a failed assertion, a double free, a lost message. An execution that had a
// race is therefore followed by others with the same number, its aftermath. In these, the accesses that raced are
// events (ExecutionPolicy::racy_sites).
//
// An aftermath depends on the seed and the number of its execution alone, so that results do not depend on the number
// of workers. It is not counted as an execution, and no strategy learns from it. What it finds belongs to the
// execution.
//
// A search begins again with the accesses as events, instead.
#include <algorithm>
#include <cstring>

#include "base/hash.hpp"
#include "engine/isolation/child_process.hpp"
#include "engine/memory/racy_sites.hpp"
#include "engine/worker/worker.hpp"
#include "strategies/specification.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::Isolation;

namespace {

// A race may lead to another one, whose accesses are events next.
constexpr int most_passes = 2;
// Executions of an aftermath take turns with these. They need no parameters, and they differ in what they find.
constexpr const char* strategies_of_aftermath[] = {"random", "pos"};
// A loop over memory that is an event has many more events than the execution had before.
constexpr std::uint64_t least_bound = 10'000, bound_factor = 8;

}  // namespace

/// Leaves the accesses that raced in the channel: the execution may run in a child process.
void Worker::leave_races() {
  channel::Aftermath& aftermath = channel_.progress.aftermath;
  const std::span<const std::uint64_t> sites = engine_.findings().sites_of_races();
  aftermath.sites_count = sites.size();
  if (!sites.empty()) std::memcpy(aftermath.sites, sites.data(), sites.size_bytes());
  aftermath.events = engine_.events_executed();
}

/// To be called before the execution that an aftermath may follow.
void Worker::forget_races() { channel_.progress.aftermath.sites_count = channel_.progress.aftermath.keys_count = 0; }

/// Adds the sites that the last execution left. Returns false if there are no new ones.
bool Worker::add_racy_sites() {
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
trace::Recorder& Worker::aftermath_strategy(std::uint64_t number) {
  trace::Recorder*& recorder = aftermath_strategies_[number % std::size(aftermath_strategies_)];
  if (recorder != nullptr) return *recorder;
  strategies::SpecificationError error;
  const auto specification = strategies::parse_strategy(name_of_aftermath_strategy(number), error);
  HEDDLE_CHECK(specification.has_value(), "a strategy of the aftermath is not registered");
  constexpr std::uint64_t other_seed = 0x61667465726d6174U;
  strategies::Strategy* strategy = strategies::make_strategy(
      *specification, base::hash_words(channel_.request.run.seed, other_seed), *session_arena_);
  strategy->set_graph(engine_.graph());
  return *(recorder = session_arena_->create<trace::Recorder>(*strategy, recording_arena_));
}

const char* Worker::name_of_aftermath_strategy(std::uint64_t number) {
  static_assert(std::size(strategies_of_aftermath) == aftermath_strategy_count);
  return strategies_of_aftermath[number % aftermath_strategy_count];
}

void Worker::execute_aftermath(std::uint64_t number) {
  prepare_output();
  method_.strategy->begin_execution(number);
  engine_.execution().forgive_failures(true);
  make_execution(number);
  engine_.execution().forgive_failures(false);
  const auto output = engine_.findings().has_findings() ? take_output() : std::span<const char>{};
  const std::uint64_t added = engine_.findings().publish(output, engine_.decider().recorder(), nullptr);
  count_news(number, 0, added);
  leave_races();
}

void Worker::explore_aftermath(std::uint64_t number) {
  const channel::Request& request = channel_.request;
  const channel::Aftermath& aftermath = channel_.progress.aftermath;
  const bool is_wanted = request.mode == channel::Mode::test && !method_.is_search && cycle_watch_ == nullptr &&
                         request.recording == channel::Recording::nothing && !request.run.stop_on_bug;
  if (!is_wanted || aftermath.sites_count == 0 || has_failed()) return;
  const Method sampling = method_;
  method_.strategy = &aftermath_strategy(number);
  method_.policy.max_events = std::min(sampling.policy.max_events, least_bound + bound_factor * aftermath.events);
  method_.policy.stops_silently_at_bound = true;
  FindingSink& findings = engine_.findings();
  findings.set_aftermath(true);
  findings.set_strategy_name(name_of_aftermath_strategy(number), FindingSink::KnowsEarlyEnds::yes);
  racy_sites_count_ = 0;
  for (int pass = 0; pass < most_passes && add_racy_sites(); ++pass) {
    method_.policy.racy_sites = {racy_sites_, racy_sites_count_};
    use_method();
    if (isolation_ == Isolation::fork) {
      run_isolated([&] { execute_aftermath(number); });
    } else {
      execute_aftermath(number);
      reset();
    }
  }
  findings.set_strategy_name(nullptr);
  findings.set_aftermath(false);
  method_ = sampling;
  use_method();
}

/// A search that has met a race begins again, and explores the orders of the accesses that raced. A search that stops
/// at the race has no need to, and shards have to explore parts of one search.
void Worker::begin_again_after_race() {
  const channel::Request& request = channel_.request;
  const std::span<const std::uint64_t> sites = engine_.findings().sites_of_races();
  if (sites.empty() || !method_.is_search || request.mode != channel::Mode::test || request.run.stop_on_bug ||
      !request.run.shard.empty())
    return;
  const auto known = method_.policy.racy_sites;
  const auto all = join_racy_sites(known, sites, execution_arena_);
  if (all.size() == known.size() || !format_racy_sites(all, channel_.progress.needed_sites)) return;
  fail_search(channel::SearchAssumption::ordered_sites,
              "the program has a data race, and what follows depends on the order of the accesses");
}

}  // namespace heddle::engine
