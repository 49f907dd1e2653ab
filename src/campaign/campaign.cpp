#include "campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <utility>

#include "campaign/result_merger.hpp"
#include "campaign/signals.hpp"
#include "campaign/worker.hpp"
#include "channel/process_end.hpp"
#include "findings/symbolizer.hpp"
#include "run/values.hpp"
#include "strategies/specification.hpp"

namespace heddle::campaign {

namespace {

using std::chrono::milliseconds;

/// A share of the executions, and the worker process that runs it. A worker that dies is replaced by a new one.
struct Slot {
  std::uint64_t next = 0;        ///< the first execution of the next worker
  std::optional<Worker> worker;  ///< empty: all executions of the slot are done
  channel::Isolation isolation = channel::Isolation::automatic;
  std::vector<ResultMerger::Announced> announced;
  std::shared_ptr<const findings::ModuleMap> modules;
  bool timed_out = false;
};

/// Of settings whose strategy is wrong, any: the worker reports the error.
strategies::StrategySpecification specification_of(const Settings& settings) {
  strategies::SpecificationError error;
  return strategies::parse_strategy(settings.run.strategy.view(), error).value_or(strategies::StrategySpecification{});
}

class Campaign {
 public:
  explicit Campaign(const Settings& settings)
      : settings_(settings), launch_{settings.program.path,
                                     {settings.program_name},
                                     settings.run.stdin_path.c_str(),
                                     settings.run.aslr},
        end_(settings.end_execution), slots_(number_of_workers(settings)),
        rounds_(specification_of(settings), settings.run.seed, settings.first_execution), merger_(rounds_) {
    launch_.argv.insert(launch_.argv.end(), settings.args.begin(), settings.args.end());
  }

  Result<findings::Results> run() {
    SignalWatch signals;
    for (std::size_t i = 0; i < slots_.size() && !problem_; ++i) {
      slots_[i].next = settings_.first_execution + i;
      slots_[i].isolation = settings_.run.isolation;
      start_worker(slots_[i]);
    }
    while (!problem_ && std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.worker.has_value(); })) {
      if (signals.wait(poll_interval)) {
        interrupted_ = true;
        stop_all();
      }
      step();
    }
    slots_.clear();  // kills the workers that still run
    if (problem_) return *problem_;
    return finish();
  }

 private:
  static constexpr milliseconds poll_interval{20};
  static constexpr milliseconds stop_grace{2000};

  static std::size_t number_of_workers(const Settings& settings) {
    const std::uint64_t executions = settings.end_execution - settings.first_execution;
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(executions, 1, settings.run.jobs));
  }

  bool has_time_limit() const { return settings_.run.time.count() != 0; }

  void start_worker(Slot& slot) {
    channel::Request request = make_request(settings_, slot.next, slots_.size());
    request.run.isolation = slot.isolation;
    request.end_execution = end_;
    if (has_time_limit()) {
      const auto deadline = (start_ + settings_.run.time).time_since_epoch();
      request.deadline =
          static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(deadline).count());
    }
    auto worker = Worker::start(launch_, request, settings_.decisions, rounds_);
    if (!worker) {
      problem_ = worker.problem();
      return;
    }
    slot.worker.emplace(std::move(*worker));
    slot.announced.clear();
    slot.modules.reset();
    slot.timed_out = false;
  }

  void step() {
    const auto now = Clock::now();
    for (Slot& slot : slots_) {
      if (!slot.worker) continue;
      const bool over = slot.worker->reap();
      read_findings(slot);
      if (over) {
        worker_ended(slot);
      } else if (slot.worker->watch(now, settings_.run.timeout) == Worker::Pulse::killed) {
        slot.timed_out = true;
      }
      if (problem_) return;
    }
    if (settings_.run.stop_on_bug) stop_behind_first_bug();
    begin_next_round();
    if (stopping_since_ && now - *stopping_since_ > stop_grace) {
      for (Slot& slot : slots_) {
        if (slot.worker) slot.worker->kill();
      }
    }
    if (settings_.on_progress) settings_.on_progress(live_progress());
  }

  void read_findings(Slot& slot) {
    std::vector<findings::Finding> fresh = slot.worker->channel().new_findings();
    if (fresh.empty()) return;
    // The worker writes its modules before its first finding.
    if (!slot.modules) {
      slot.modules =
          std::make_shared<findings::ModuleMap>(findings::ModuleMap::decode(slot.worker->channel().modules()));
    }
    for (const findings::Finding& finding : fresh) slot.announced.push_back({finding.key, finding.count});
    merger_.add_findings(std::move(fresh), slot.modules);
  }

  /// Starts the next round if every worker that is left waits for it.
  void begin_next_round() {
    std::vector<ChannelMemory*> waiting;
    for (Slot& slot : slots_) {
      if (!slot.worker) continue;
      if (!rounds_.is_awaited_by(slot.worker->channel())) return;
      waiting.push_back(&slot.worker->channel());
    }
    if (waiting.empty() || !rounds_.learns()) return;
    for (Slot& slot : slots_) {
      if (slot.worker) read_findings(slot);
    }
    merger_.next_round(waiting);
  }

  /// Leaves out the executions after the first buggy one, so that the result does not depend on the workers' speed.
  void stop_behind_first_bug() {
    const auto first = merger_.first_buggy_execution();
    if (!first || *first >= end_) return;
    end_ = *first;
    for (Slot& slot : slots_) {
      if (slot.worker) slot.worker->channel().lower_end(end_);
    }
  }

  void stop_all() {
    if (!stopping_since_) stopping_since_ = Clock::now();
    for (Slot& slot : slots_) {
      if (slot.worker) slot.worker->stop();
    }
  }

  void worker_ended(Slot& slot) {
    Worker& worker = *slot.worker;
    channel::Progress& progress = worker.progress();
    const channel::State state = progress.state.load(std::memory_order_acquire);
    merger_.add_worker(worker.channel(), slot.announced);
    if (progress.failure.load() != channel::Failure::none) {
      progress.failure_text[sizeof progress.failure_text - 1] = '\0';
      if (failure_.empty()) failure_ = progress.failure_text;
      if (failure_.empty()) failure_ = "the worker could not go on and did not say why";
      stop_all();
    } else if (state == channel::State::running && !killed_while_stopping(worker)) {
      lose_execution(slot);
      return;
    } else if (state == channel::State::spawned || state == channel::State::loaded) {
      if (!stopping_since_) problem_ = never_ran(slot, state);
    }
    slot.worker.reset();
  }

  bool killed_while_stopping(const Worker& worker) const {
    return stopping_since_ && WIFSIGNALED(worker.wait_status()) && WTERMSIG(worker.wait_status()) == SIGKILL;
  }

  /// The worker died within an execution. Counts that execution, and starts a new worker for the rest.
  void lose_execution(Slot& slot) {
    Worker& worker = *slot.worker;
    const std::uint64_t execution = std::max(worker.progress().current_execution.load(), slot.next);
    count_lost_execution(slot, execution);
    // The new worker takes over the isolation that the dead worker chose.
    const channel::Isolation used = worker.progress().isolation_used.load();
    if (used != channel::Isolation::automatic) slot.isolation = used;
    slot.worker.reset();
    slot.next = execution + slots_.size();
    if (settings_.run.stop_on_bug) stop_behind_first_bug();
    const bool time_is_up = has_time_limit() && Clock::now() >= start_ + settings_.run.time;
    const bool overflow = slot.next < execution;
    if (is_exhaustive_) return;  // the state of the search was in the memory of the worker
    if (!stopping_since_ && !time_is_up && !overflow && slot.next < end_) start_worker(slot);
  }

  void count_lost_execution(const Slot& slot, std::uint64_t execution) {
    const channel::ProcessEndFinding end(slot.worker->wait_status(), execution);
    if (!slot.timed_out && !end.is_finding(settings_.run.exit_status)) {
      merger_.add_ordinary_end(execution);
      return;
    }
    findings::Finding finding =
        slot.timed_out ? findings::hang(execution, static_cast<double>(settings_.run.timeout.count()) / 1000)
                       : findings::process_end(end, execution);
    finding.output = slot.worker->output();
    merger_.add_lost_execution(std::move(finding));
  }

  Problem never_ran(const Slot& slot, channel::State state) const {
    const std::string& name = settings_.program_name;
    std::string output = slot.worker->output();
    while (!output.empty() && output.back() == '\n') output.pop_back();
    const std::string said = output.empty() ? "" : fmt::format("; it printed:\n{}", output);
    if (slot.timed_out) {
      return test_problem(
          fmt::format("{} did not reach main within {} s: its start-up code hangs, or --timeout is too "
                      "short{}",
                      name, static_cast<double>(settings_.run.timeout.count()) / 1000, said));
    }
    const std::string end = channel::ProcessEnd(slot.worker->wait_status()).text;
    if (state == channel::State::loaded)
      return test_problem(fmt::format("{} ended before main: {}{}", name, end, said));
    return test_problem(fmt::format("{} ended before heddle's library was loaded: {}{}{}", name, end,
                                    output.empty() ? "; compile and link it with heddle c++ or heddle cc" : "", said));
  }

  LiveProgress live_progress() {
    LiveProgress live;
    live.executions = merger_.statistics().executions;
    live.buggy = merger_.statistics().buggy;
    live.bugs = merger_.bugs();
    live.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    for (Slot& slot : slots_) {
      if (!slot.worker) continue;
      live.executions += slot.worker->progress().executions.load();
      live.buggy += slot.worker->progress().buggy.load();
      live.graphs += slot.worker->progress().graphs.load();
      live.explored += slot.worker->progress().explored.load();
    }
    live.seconds_left = seconds_left(live);
    return live;
  }

  double seconds_left(const LiveProgress& live) const {
    double left = 0;
    if (end_ != no_end && live.executions != 0 && !is_exhaustive_) {
      const auto all = static_cast<double>(end_ - settings_.first_execution);
      left = live.seconds * std::max(0.0, all / static_cast<double>(live.executions) - 1);
    }
    if (has_time_limit()) {
      const double allowed = std::chrono::duration<double>(settings_.run.time).count() - live.seconds;
      left = left == 0 ? std::max(0.0, allowed) : std::min(left, std::max(0.0, allowed));
    }
    return left;
  }

  findings::Results finish() {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    findings::Results results = merger_.finish(settings_.run.stop_on_bug && !is_exhaustive_, settings_.first_execution);
    results.statistics.seconds = seconds;
    results.interrupted = interrupted_;
    results.is_exhaustive = is_exhaustive_;
    results.failure = failure_;
    if (results.isolation.empty()) results.isolation = run::isolation_name(settings_.run);
    findings::Symbolizer symbolizer;
    for (findings::Finding& finding : results.findings) symbolizer.symbolize(finding);
    return results;
  }

  const Settings& settings_;
  const bool is_exhaustive_ = strategies::is_exhaustive(settings_.run.strategy.view());
  Launch launch_;
  std::uint64_t end_;
  std::vector<Slot> slots_;
  Rounds rounds_;
  ResultMerger merger_;
  Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> stopping_since_;
  bool interrupted_ = false;
  std::string failure_;
  std::optional<Problem> problem_;
};

}  // namespace

Result<findings::Results> run_campaign(const Settings& settings) { return Campaign(settings).run(); }

}  // namespace heddle::campaign
