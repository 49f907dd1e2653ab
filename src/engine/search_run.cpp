// The exhaustive search in a worker: which one, what it will take, whether an execution was of use to it.
#include "engine/address_space.hpp"
#include "engine/worker.hpp"
#include "exploration/enumeration.hpp"

namespace heddle::engine {

using channel::Failure;

namespace {

constexpr std::size_t gigabyte = std::size_t{1} << 30;
// Enough for an order of magnitude, and too little to be felt. Not a time: the same search gets the same estimate.
constexpr std::uint64_t most_probes = 100;
constexpr std::uint64_t most_probing_runs = 300;

}  // namespace

strategies::Strategy& Worker::make_search(bool optimal, base::Arena& arena) {
  if (search_run_arena_.capacity() == 0) {
    search_run_arena_ = base::Arena(reserve_memory(gigabyte, gigabyte / 64));
    search_arena_ = base::Arena(reserve_memory(16 * gigabyte, gigabyte / 16));
  }
  search_run_arena_.reset();
  search_arena_.reset();
  is_search_ = true;
  if (!optimal) return *arena.create<exploration::Enumeration>(engine_.graph(), engine_.model_state(), search_arena_);
  exploration_ = arena.create<exploration::Exploration>(engine_.graph(), search_run_arena_, search_arena_);
  return *exploration_;
}

/// Probes the search for a moment, before it begins.
void Worker::estimate_search(std::uint64_t number) {
  exploration_->start_probing(channel_.request.run.seed);
  for (std::uint64_t run = 0; run < most_probing_runs && !should_stop(number); ++run) {
    if (exploration_->probes() == most_probes) break;
    prepare_output();
    strategy_->begin_execution(number);
    engine_.run(number, hooks_.run_main, hooks_.argument);
    hooks_.flush_output();
    was_explored();
    reset();
    if (has_failed()) finish();
  }
  if (exploration_->probes() != 0)
    channel_.progress.estimate.store(exploration_->estimate(), std::memory_order_relaxed);
  exploration_->stop_probing();
}

/// False: the search over graphs has no use for this execution.
bool Worker::was_explored() {
  if (exploration_ != nullptr && exploration_->has_diverged()) {
    fail(Failure::nondeterminism,
         "the program did not do the same again in a second execution; something that heddle does not control (time "
         "stamps, files, addresses from outside) influences it, so its executions cannot be explored");
    return false;
  }
  return !engine_.decider().calls().is_abandoned || !strategy_->is_abandoned();
}

}  // namespace heddle::engine
