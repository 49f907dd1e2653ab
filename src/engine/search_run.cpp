// The exhaustive search in a worker: which one, what it will take, whether an execution was of use to it.
#include "engine/address_space.hpp"
#include "engine/worker.hpp"
#include "exploration/enumeration.hpp"

namespace heddle::engine {

using channel::Failure;

namespace {

constexpr std::size_t gigabyte = std::size_t{1} << 30;
// A run of a million events takes some 600 bytes for each of them, twice that while arrays grow.
constexpr std::size_t run_arena_size = 4 * gigabyte;
// Enough for an order of magnitude, and too little to be felt. Not a time: the same search gets the same estimate.
constexpr std::uint64_t most_probes = 100;
constexpr std::uint64_t most_probing_runs = 300;

}  // namespace

strategies::Strategy& Worker::make_search(bool optimal, base::Arena& arena) {
  if (search_run_arena_.capacity() == 0) {
    search_run_arena_ = base::Arena(reserve_memory(run_arena_size, gigabyte / 64));
    search_arena_ = base::Arena(reserve_memory(16 * gigabyte, gigabyte / 16));
  }
  search_run_arena_.reset();
  search_arena_.reset();
  engine_.set_search_arena(search_run_arena_);
  is_search_ = true;
  if (!optimal) {
    enumeration_ = arena.create<exploration::Enumeration>(engine_.graph(), engine_.model_state(), search_arena_);
    return *enumeration_;
  }
  exploration_ = arena.create<exploration::Exploration>(engine_.graph(), search_run_arena_, search_arena_);
  return *exploration_;
}

/// Probes the search for a moment, before it begins.
void Worker::estimate_search(std::uint64_t number) {
  exploration_->start_probing(channel_.request.run.seed);
  for (std::uint64_t run = 0; run < most_probing_runs && !should_stop(number); ++run) {
    if (exploration_->probes() == most_probes || (exploration_->probes() != 0 && exploration_->estimate() == 1)) break;
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
  if (exploration_ != nullptr && exploration_->has_lost_runs()) {
    fail(Failure::unsupported,
         "the executions that are left to explore do not fit into memory; --bound-events and --bound-loop make them "
         "shorter, and fewer threads make them fewer");
    return false;
  }
  if (enumeration_ != nullptr && enumeration_->is_out_of_memory()) {
    fail(Failure::unsupported,
         "the states that the search has to remember under this model do not fit into memory; --bound-events and "
         "--bound-loop make them fewer, and -m rc11 remembers none");
    return false;
  }
  return !engine_.decider().calls().is_abandoned || !strategy_->is_abandoned();
}

}  // namespace heddle::engine
