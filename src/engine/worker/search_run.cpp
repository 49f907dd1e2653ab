// The exhaustive search in a worker: which one, what it will take, whether an execution was of use to it. The search
// that `auto` makes after its first round has a budget: in a worker of its own (run_search_worker), or in the middle of
// a heddle::check (run_check_search).
#include <cstdio>
#include <utility>

#include "engine/isolation/address_space.hpp"
#include "engine/isolation/child_process.hpp"
#include "engine/isolation/unseen_code.hpp"
#include "engine/worker/worker.hpp"
#include "exploration/enumeration.hpp"
#include "strategies/search_budget.hpp"

namespace heddle::engine {

using channel::Failure;

namespace {

constexpr std::size_t gigabyte = std::size_t{1} << 30;
// A run of a million events takes some 600 bytes for each of them, twice that while arrays grow.
constexpr std::size_t run_arena_size = 4 * gigabyte;
// Enough for an order of magnitude, and too little to be felt. Not a time: the same search gets the same estimate.
constexpr std::uint64_t most_probes = 100;
constexpr std::uint64_t most_probing_runs = 300;
constexpr std::uint64_t most_probing_events = 300'000;

}  // namespace

strategies::Strategy& Worker::make_search(bool optimal, const strategies::SearchBounds& bounds, base::Arena& arena) {
  if (search_run_arena_.capacity() == 0) {
    search_run_arena_ = base::Arena(reserve_memory(run_arena_size, gigabyte / 64));
    search_arena_ = base::Arena(reserve_memory(16 * gigabyte, gigabyte / 16));
  }
  search_run_arena_.reset();
  search_arena_.reset();
  engine_.set_search_arena(search_run_arena_);
  method_.is_search = true;
  is_lost_after_race_ = false;
  if (!optimal) {
    method_.enumeration = arena.create<exploration::Enumeration>(engine_.graph(), engine_.model_state(), search_arena_);
    return *method_.enumeration;
  }
  method_.exploration = arena.create<exploration::Exploration>(engine_.graph(), search_run_arena_, search_arena_);
  method_.exploration->set_waiting_steps(engine_.search_parking());
  const auto orders = channel_.request.run.model == "sc" ? exploration::ExecutionOrders::sequential
                                                         : exploration::ExecutionOrders::program_and_reads;
  method_.exploration->set_preemption_bound(bounds.switches, orders);
  return *method_.exploration;
}

/// Probes the search for a moment, before it begins.
void Worker::estimate_search(std::uint64_t number) {
  method_.exploration->start_probing(channel_.request.run.seed);
  const std::uint64_t deadline = channel_.request.deadline;
  const auto is_late = [&] { return should_stop(number) || (deadline != 0 && monotonic_now() >= deadline); };
  std::uint64_t events = 0;
  for (std::uint64_t run = 0; run < most_probing_runs && events < most_probing_events && !is_late(); ++run) {
    if (method_.exploration->probes() == most_probes ||
        (method_.exploration->probes() != 0 && method_.exploration->estimate() == 1))
      break;
    prepare_output();
    begin_execution(number);
    make_execution(number);
    was_explored();
    events += engine_.events_executed();
    reset();
    if (has_failed()) finish();
  }
  if (method_.exploration->probes() != 0)
    channel_.progress.estimate.store(method_.exploration->estimate(), std::memory_order_relaxed);
  method_.exploration->stop_probing();
}

bool Worker::find_unseen_code() {
  channel::Progress& progress = channel_.progress;
  if (!has_looked_for_unseen_code_) {
    const UnseenCode code = engine::find_unseen_code(modules_);
    std::snprintf(progress.unseen_code, sizeof progress.unseen_code, "%s", code.path == nullptr ? "" : code.path);
    progress.unseen_function.store(code.function, std::memory_order_relaxed);
  }
  has_looked_for_unseen_code_ = true;
  return progress.unseen_code[0] != '\0';
}

void Worker::look_for_unseen_code() {
  if (!find_unseen_code()) return;
  channel::ProofGaps gaps;
  gaps.add(channel::ProofGap::uninstrumented_code);
  channel_.progress.proof_gaps.fetch_or(gaps.bits(), std::memory_order_relaxed);
}

/// The executions of a search share one process. Code that heddle does not see may keep state there that heddle does
/// not reset. Ends the worker if a second execution shows that.
void Worker::require_shared_process() {
  const channel::Request& request = channel_.request;
  if (request.in_process != 0 || !find_unseen_code()) return;
  configure("random");
  const Again again = compare_in_child(request.first_execution);
  char* const reason = channel_.progress.isolation_reason;
  char text[768];
  std::snprintf(
      text, sizeof text,
      "no execution was made: the executions of a search share one process, and %.500s; heddle test gives each "
      "execution a process of its own",
      reason);
  reason[0] = '\0';  // a search uses no other isolation
  if (again == Again::differs) fail(Failure::unsupported, text);
  configure(request.run.strategy.view());
}

/// False: the search over graphs has no use for this execution.
bool Worker::was_explored() {
  if (method_.exploration != nullptr && (method_.exploration->has_diverged() || engine_.decider().has_diverged())) {
    if (engine_.findings().gaps().has(channel::ProofGap::race)) {
      is_lost_after_race_ = is_search_over_ = true;
      return false;
    }
    char text[768], influence[384];
    hooks_.describe_influence(influence, sizeof influence, channel_.request.run.aslr);
    std::snprintf(text, sizeof text,
                  "the program did not do the same again in a second execution, so its executions cannot be explored; "
                  "%s",
                  influence);
    fail(Failure::nondeterminism, text);
    return false;
  }
  if (method_.exploration != nullptr && method_.exploration->has_lost_runs()) {
    fail(Failure::unsupported,
         "the executions that are left to explore do not fit into memory; --bound-events and --bound-loop make them "
         "shorter, and fewer threads make them fewer");
    return false;
  }
  if (method_.enumeration != nullptr && method_.enumeration->is_out_of_memory()) {
    fail(Failure::unsupported,
         "the states that the search has to remember under this model do not fit into memory; --bound-events and "
         "--bound-loop make them fewer, and -m rc11 remembers none");
    return false;
  }
  if (method_.is_search && !engine_.undoing_loops().is_exact(execution_arena_)) {
    fail_search(channel::SearchAssumption::undone,
                "a loop undoes an addition and tries again, and other code may see the values in between");
    return false;
  }
  if (method_.is_search && !engine_.search_parking().is_exact()) {
    fail_search(channel::SearchAssumption::undone,
                "a loop that waits stores a value again or takes a lock, and other code may see that it does");
    return false;
  }
  if (engine_.transcriber().was_wrong()) {
    fail_search(
        channel::SearchAssumption::native,
        "threads exchange data through code without instrumentation, so their executions cannot be put together from "
        "earlier ones");
    return false;
  }
  // An execution that waits does not come to its dlclose.
  const char* library = method_.is_search ? library_loaded_later() : nullptr;
  if (library != nullptr) {
    char text[512];
    std::snprintf(text, sizeof text,
                  "an execution ended with the library %.300s loaded (dlopen), and heddle does not reset it: the next "
                  "execution would find what this one left there, so the program cannot be explored",
                  library);
    fail(Failure::unsupported, text);
    return false;
  }
  return !engine_.decider().calls().is_abandoned || !method_.strategy->is_abandoned();
}

// ---- the search of `auto` ---------------------------------------------------------------------------------------

/// A search with a budget gives up when an execution reaches a limit. Sampling meets the limit, too, and reports it.
bool Worker::is_cut_off_search(strategies::Outcome outcome) {
  if (!has_budget_ || outcome != strategies::Outcome::cut_off || engine_.findings().found_bug()) return false;
  is_search_over_ = true;
  return true;
}

/// The driver hears of the graph, if no sample of this process has shown it. The samples that follow do not: what is
/// new to them must not depend on whether the search ran in their process.
void Worker::add_searched_graph(std::uint64_t number) {
  const std::uint64_t found = engine_.graph_hash(), hash = found == 0 ? 1 : found;
  if (!graphs_.contains(hash) && searched_graphs_.add(hash))
    add_graph_record(hash, number, engine_.findings().found_bug());
}

template <typename Execute>
std::uint64_t Worker::search_within_budget(std::uint64_t number, std::uint64_t most_runs, const char* name,
                                           Execute execute) {
  channel::Progress& progress = channel_.progress;
  strategies::SearchPace pace(most_runs);
  has_budget_ = true;
  is_search_over_ = false;
  engine_.findings().set_strategy_name(name);
  std::uint64_t events = 0;
  for (std::uint64_t runs = 1; !should_stop(number); ++runs) {
    if (!begin_execution(number)) {
      progress.search_finished.store(1, std::memory_order_relaxed);
      look_for_unseen_code();
      break;
    }
    const std::uint64_t before = progress.executions.load(std::memory_order_relaxed);
    execute(number);
    if (is_search_over_ || has_failed()) break;
    number += progress.executions.load(std::memory_order_relaxed) - before;
    if (channel_.request.run.stop_on_bug && progress.buggy.load(std::memory_order_relaxed) != 0) break;
    events += engine_.events_executed();
    if (!pace.continues(runs, events, method_.exploration->explored())) break;
  }
  engine_.findings().set_strategy_name(nullptr);
  has_budget_ = false;
  return number;
}

void Worker::run_search_worker() {
  const channel::Request& request = channel_.request;
  if (method_.exploration == nullptr) return;  // the model has no optimal search
  if (request.run.isolation == channel::Isolation::automatic) {
    configure("random");
    isolation_ = choose_isolation(request.first_execution);
    if (isolation_ == channel::Isolation::fork || !configure(request.run.strategy.view())) return;
  }
  isolation_ = channel::Isolation::reset;
  channel_.progress.isolation_used.store(isolation_, std::memory_order_relaxed);
  watch_memory();
  search_within_budget(request.first_execution, request.search_runs, request.run.strategy.c_str(),
                       [this](std::uint64_t number) {
                         prepare_output();
                         execute_begun(number);
                         reset();
                       });
}

/// Does a heddle::check search before this execution?
bool Worker::is_search_due(std::uint64_t number) const {
  const channel::Request& request = channel_.request;
  return number == strategies::search_begin() && portfolio_ != nullptr && !portfolio_->scope().only() &&
         request.run.time_model == run::TimeModel::free;
}

/// Returns the number of the execution that comes next.
std::uint64_t Worker::run_check_search(std::uint64_t number) {
  channel::Request& request = channel_.request;
  channel::Progress& progress = channel_.progress;
  const Method sampling = method_;
  auto* const portfolio = std::exchange(portfolio_, nullptr);
  auto* const rounds = std::exchange(own_rounds_, nullptr);
  auto* const reporter = std::exchange(reporter_, nullptr);
  const std::uint64_t deadline = request.deadline, now = monotonic_now();
  if (deadline > now) request.deadline = now + (deadline - now) / strategies::search_share_of_time;

  const std::uint64_t left = request.end_execution == ~std::uint64_t{0} ? 0 : request.end_execution - number;
  strategies::SpecificationText search;
  std::snprintf(search.text, sizeof search.text, "%s", strategies::search_of_auto(request.run.model.view()));
  for (bool begins = true; begins;) {
    progress.failure.store(Failure::none, std::memory_order_relaxed);
    progress.proof_gaps.store(0, std::memory_order_relaxed);
    if (configure(search.text) && method_.exploration != nullptr)
      number = search_within_budget(number, strategies::most_search_runs(left), search.text,
                                    [this](std::uint64_t execution) { execute_check(execution); });
    const auto other = other_search(search.text);
    begins = other.has_value();
    if (begins) search = other->to_text();
  }
  // What the search cannot do, sampling can.
  request.run.racy_sites.assign("");
  progress.failure.store(Failure::none, std::memory_order_relaxed);
  progress.failure_text[0] = '\0';

  search_run_arena_.reset();
  request.deadline = deadline;
  portfolio_ = portfolio;
  own_rounds_ = rounds;
  reporter_ = reporter;
  method_ = sampling;
  use_method();
  return number;
}

}  // namespace heddle::engine
