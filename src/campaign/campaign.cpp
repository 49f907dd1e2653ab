#include "campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <utility>

#include "campaign/auto_search.hpp"
#include "campaign/campaign_state.hpp"
#include "campaign/event_wait.hpp"
#include "campaign/limit_gate.hpp"
#include "campaign/progress_meter.hpp"
#include "campaign/remote_workers.hpp"
#include "campaign/result_merger.hpp"
#include "campaign/shared_search.hpp"
#include "campaign/slot.hpp"
#include "findings/hints.hpp"
#include "findings/symbolizer.hpp"
#include "run/quantities.hpp"
#include "run/values.hpp"
#include "strategies/specification.hpp"

namespace heddle::campaign {

namespace {

using std::chrono::milliseconds;

/// Of settings whose strategy is wrong, any: the worker reports the error.
strategies::StrategySpecification specification_of(const Settings& settings) {
  strategies::SpecificationError error;
  return strategies::parse_strategy(settings.run.strategy.view(), error).value_or(strategies::StrategySpecification{});
}

/// The event loop of a campaign: it starts workers, reads what they report, and ends or replaces them. Longer than most
/// classes, because the ways in which workers end, rounds begin and states are written depend on each other.
class Campaign {
 public:
  explicit Campaign(const Settings& settings)
      : settings_(settings), launch_{settings.program.path,
                                     {settings.program_name},
                                     settings.run.stdin_path.c_str(),
                                     settings.run.aslr,
                                     settings.prepare_channel},
        end_(settings.end_execution), slots_(number_of_workers(settings)),
        rounds_(specification_of(settings), settings.run.seed, settings.first_execution),
        merger_(rounds_, &settings.suppressions) {
    launch_.argv.insert(launch_.argv.end(), settings.args.begin(), settings.args.end());
    if (settings.ranks != nullptr) remote_.emplace(*settings.ranks);
    if (is_exhaustive_ && settings.mode == channel::Mode::test) shared_.emplace(settings, merger_, slots_.size());
  }

  Result<findings::Results> run() {
    EventWait events(remote_ ? &remote_->transport() : nullptr);
    std::string skipped;
    if (!settings_.run.corpus.empty()) {
      auto loaded = rounds_.keep_corpus_in(settings_.run.corpus.c_str(), settings_.program);
      if (!loaded) return loaded.problem();
      skipped = *loaded;
    }
    if (settings_.resumed != nullptr && !restore(*settings_.resumed))
      return test_problem("the state that --resume names is not what this heddle writes; name another folder");
    for (std::size_t i = 0; i < slots_.size() && !problem_; ++i) {
      slots_[i].next = shared_ ? settings_.first_execution : number_from(i, done_below_);
      slots_[i].isolation =
          merger_.isolation() == run::Isolation::automatic ? settings_.run.isolation : merger_.isolation();
      if (shared_ ? shared_->needs_worker(i) : slots_[i].next < end_) start_worker(slots_[i]);
    }
    while (!problem_ && is_running()) {
      if (events.wait(poll_interval, activity())) {
        interrupted_ = true;
        end_early(Clock::now());
      }
      step();
    }
    if (!problem_ && is_complete()) save(end_);
    slots_.clear();  // kills the workers that still run
    if (remote_) remote_->send(rounds_);
    if (search_.is_running()) search_.slot().worker.reset();
    if (problem_) return *problem_;
    if (auto problem = rounds_.finish()) return *problem;
    findings::Results results = finish();
    if (results.warning.empty()) results.warning = skipped;
    return results;
  }

 private:
  static constexpr milliseconds poll_interval{20};
  static constexpr milliseconds stop_grace{2000};
  // How long executions may take to end before the last state is written without them.
  static constexpr milliseconds last_save_grace{10'000};
  // So long workers of a search may go on with the branch that they keep.
  static constexpr milliseconds branch_grace{500};

  static std::size_t number_of_workers(const Settings& settings) {
    const std::uint64_t executions = (settings.end_execution - settings.first_execution) / settings.shard.count;
    const std::uint64_t most = settings.run.jobs * (settings.ranks == nullptr ? 1 : settings.ranks->size());
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(executions, 1, most));
  }

  bool is_running() const {
    return saving_ != Saving::no || search_.is_running() ||
           std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.worker.has_value(); });
  }

  /// The distance between two executions of a worker.
  std::uint64_t stride() const { return slots_.size() * settings_.shard.count; }

  /// The first execution of the slot that is not below `from`.
  std::uint64_t number_from(std::size_t slot, std::uint64_t from) const {
    const std::uint64_t first = first_ + slot * settings_.shard.count;
    return from <= first ? first : first + (from - first + stride() - 1) / stride() * stride();
  }

  /// Of the workers of this rank.
  Activity activity() {
    for (Slot& slot : slots_)
      if (slot.worker && slot.worker->remote() == nullptr && !slot.worker->waits())
        return shared_ ? Activity::searching : Activity::sampling;
    return search_.is_running() ? Activity::sampling : Activity::waiting;
  }

  bool has_time_limit() const { return settings_.run.time.count() != 0; }

  void start_worker(Slot& slot) {
    channel::Request request = make_request(settings_, slot.next, shared_ ? 1 : stride());
    request.run.isolation = slot.isolation;
    request.end_execution = worker_end();
    if (shared_) shared_->prepare(request, number_of(slot));
    request.gate = gate_.position();
    // Workers that stop by themselves have not done the executions up to a certain number.
    if (has_time_limit() && !keeps_state()) {
      const auto deadline = (start_ + settings_.run.time).time_since_epoch();
      request.deadline =
          static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(deadline).count());
    }
    const std::size_t rank = rank_of(slot);
    auto worker = rank == 0 ? Worker::start(launch_, request, settings_.decisions, rounds_)
                            : remote_->start(rank, request, rounds_);
    if (!worker) {
      problem_ = worker.problem();
      return;
    }
    slot.start(std::move(*worker));
  }

  /// The rank on which the slot's workers run.
  std::size_t rank_of(const Slot& slot) const { return remote_ ? number_of(slot) / settings_.run.jobs : 0; }

  std::size_t number_of(const Slot& slot) const { return static_cast<std::size_t>(&slot - slots_.data()); }

  void step() {
    if (remote_) {
      if (auto problem = remote_->receive()) problem_ = problem;
    }
    if (!problem_) act();
    if (remote_) remote_->send(rounds_);
  }

  void act() {
    const auto now = Clock::now();
    for (Slot& slot : slots_) {
      if (slot.worker && is_over(slot, now)) {
        meter_.worker_ended(slot);
        shared_ ? sharing_worker_ended(slot) : worker_ended(slot);
      }
      if (problem_) return;
    }
    if (shared_) continue_shared_search(now);
    if (search_.is_running() && is_over(search_.slot(), now)) search_ended();
    announce_findings();
    if (settings_.run.stop_on_bug && !shared_) stop_behind_first_bug();
    if (saving_ == Saving::no) {
      move_gate();
      begin_next_round();
    }
    if (has_time_limit() && now >= start_ + settings_.run.time) end_in_time(now);
    if (keeps_state()) continue_saving(now);
    if (stopping_since_ && now - *stopping_since_ > stop_grace) for_each_worker([](Worker& worker) { worker.kill(); });
    if (settings_.on_progress) settings_.on_progress(meter_.read(end_, seconds_before_));
  }

  /// Has the slot's worker ended? Reads what it has found so far.
  bool is_over(Slot& slot, Clock::time_point now) {
    const bool over = slot.worker->reap();
    read_findings(slot);
    if (!over) slot.watch(now, settings_.run);
    return over;
  }

  template <typename Function>
  void for_each_worker(Function function) {
    for (Slot& slot : slots_)
      if (slot.worker) function(*slot.worker);
    if (search_.is_running()) function(*search_.slot().worker);
  }

  void read_findings(Slot& slot) {
    if (!slot.read_counters()) return;
    if (shared_) return shared_->read(slot, number_of(slot));
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

  void announce_findings() {
    if (!settings_.on_finding) return;
    if (shared_) {
      for (const findings::Finding& finding : shared_->take_fresh())
        settings_.on_finding(finding, run::Isolation::reset);
      return;
    }
    for (const findings::Finding* finding : merger_.take_changed())
      settings_.on_finding(*finding,
                           merger_.isolation() == run::Isolation::automatic ? isolation_in_use() : merger_.isolation());
  }

  /// The isolation that the workers that still run have chosen.
  run::Isolation isolation_in_use() {
    run::Isolation used = settings_.run.isolation;
    for (Slot& slot : slots_) {
      if (!slot.worker) continue;
      const channel::Isolation isolation = slot.worker->progress().isolation_used.load();
      if (isolation == channel::Isolation::reset || isolation == channel::Isolation::fork) used = isolation;
    }
    return used;
  }

  /// Ends the campaign if every execution so far reached the same limit.
  void move_gate() {
    LimitGate::Totals totals{merger_.statistics().executions, merger_.statistics().cut_off, merger_.statistics().buggy};
    std::size_t running = 0, at_gate = 0, before_round = 0;
    for (Slot& slot : slots_) {
      if (!slot.worker) continue;
      ++running;
      // A worker looks at the round first: one that waits for the next round is behind the gate, too.
      if (slot.worker->progress().waits_at_gate.load() == gate_.position())
        ++at_gate;
      else if (slot.worker->progress().awaits_round.load() != 0)
        ++before_round;
      // After that: a worker that was seen to wait has counted its last execution.
      (void)slot.read_counters();
      totals.executions += slot.counters().executions;
      totals.cut_off += slot.counters().cut_off;
      totals.buggy += slot.counters().buggy;
    }
    // Without a worker that is left, the campaign has done all it was asked to.
    totals.all_wait = at_gate != 0 && at_gate + before_round == running;
    const auto limits = merger_.limits();
    switch (gate_.update(totals, limits)) {
      case LimitGate::Verdict::stays: return;
      case LimitGate::Verdict::moved:
        for (Slot& slot : slots_) {
          if (slot.worker) slot.worker->channel().set_gate(gate_.position());
        }
        return;
      case LimitGate::Verdict::ends_campaign:
        if (!stopping_since_) stopped_by_limit_ = limit_sentence(settings_, *limits.begin(), totals.executions);
        stop_all();
    }
  }

  /// --time is over: the workers end after their current execution, or are killed. The first execution gets more time.
  void end_in_time(Clock::time_point now) {
    if (meter_.read(end_, seconds_before_).executions != 0 || is_exhaustive_) {
      if (!ends_after_saving_) end_early(now);
      return;
    }
    constexpr milliseconds at_least{10'000};
    const milliseconds grace = std::max(settings_.run.timeout, at_least);
    if (now < start_ + settings_.run.time + grace) return;
    problem_ = test_problem(fmt::format(
        "no execution of {} ended within --time and another {}; raise --time, or give the program less to do",
        settings_.program_name, run::format_duration(grace)));
  }

  /// Starts the next round if every worker that is left waits for it. The search of `auto` may come before it.
  void begin_next_round() {
    if (stopping_since_ || search_.is_running() || rounds_.end() >= end_) return;
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
    if (search_.is_due(rounds_.end()) && may_use_reset()) search_.start(launch_, rounds_.end(), end_, start_);
    if (!search_.is_running()) merger_.next_round(waiting);
  }

  /// Can a worker run many executions? Under --isolation fork it has to try.
  bool may_use_reset() {
    if (settings_.run.isolation == run::Isolation::fork) return true;
    return isolation_in_use() == run::Isolation::reset && merger_.isolation() != run::Isolation::fork;
  }

  /// The search of `auto` is over. If it explored everything, so is the campaign.
  void search_ended() {
    Slot& slot = search_.slot();
    (void)slot.read_counters();
    const findings::Search search = search_.results();
    merger_.add_search(slot.worker->channel(), search, slot.announced, slot.counters());
    rounds_.skip(search.executions);
    const auto needed = needed_parameter(slot.worker->progress());
    const bool begins_again = slot.is_plausible() && needed && search_.set_parameter(*needed) && !stopping_since_;
    slot.worker.reset();
    if (begins_again) return search_.start(launch_, rounds_.end(), end_, start_);
    if (search.is_proof()) end_at(rounds_.end());
  }

  /// Leaves out the executions after the first buggy one, so that the result does not depend on the workers' speed.
  void stop_behind_first_bug() {
    const auto first = merger_.first_buggy_execution();
    if (first && *first < end_) end_at(*first);
  }

  /// Leaves out the executions from this number on.
  void end_at(std::uint64_t execution) {
    end_ = execution;
    for_each_worker([&](Worker& worker) { worker.channel().lower_end(end_); });
  }

  void stop_all() {
    if (!stopping_since_) stopping_since_ = Clock::now();
    for_each_worker([](const Worker& worker) { worker.stop(); });
  }

  void worker_ended(Slot& slot) {
    Worker& worker = *slot.worker;
    channel::Progress& progress = worker.progress();
    const channel::State state = progress.state.load(std::memory_order_acquire);
    const bool is_plausible = slot.read_counters();
    if (!is_plausible) {
      merger_.add_counters(slot.counters());
      lose_execution(slot);
      return;
    }
    if (settings_.read_channel) settings_.read_channel(worker.channel());
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
      if (!stopping_since_) problem_ = slot.never_ran(state, settings_);
    }
    if (slot.counters().executions != 0) slot.next = slot.current_execution(stride()) + stride();
    keep_isolation(slot);
    slot.worker.reset();
  }

  /// The next worker of the slot takes over the isolation that this one chose.
  static void keep_isolation(Slot& slot) {
    const channel::Isolation used = slot.worker->progress().isolation_used.load();
    if (used == channel::Isolation::reset || used == channel::Isolation::fork) slot.isolation = used;
  }

  /// Gives the workers of an exhaustive search what to do. Ends them when nothing is left.
  void continue_shared_search(Clock::time_point now) {
    if (stopping_since_) return;
    if (shared_->is_over()) {
      stopping_since_ = now;
      for_each_worker([](Worker& worker) { worker.kill(); });  // all results have been read
      return;
    }
    shared_->distribute(slots_);
    for (Slot& slot : slots_)
      if (!slot.worker && !problem_ && shared_->needs_worker(number_of(slot))) start_worker(slot);
  }

  void sharing_worker_ended(Slot& slot) {
    Worker& worker = *slot.worker;
    channel::Progress& progress = worker.progress();
    const channel::State state = progress.state.load(std::memory_order_acquire);
    const std::size_t number = number_of(slot);
    if (slot.read_counters()) {
      shared_->read(slot, number);
      if (settings_.read_channel) settings_.read_channel(worker.channel());
      merger_.add_process(worker.channel());
    }
    if (slot.is_plausible() && progress.failure.load() != channel::Failure::none) {
      progress.failure_text[sizeof progress.failure_text - 1] = '\0';
      const std::string said = progress.failure_text;
      shared_->failed(slot, number, said.empty() ? "the worker could not go on and did not say why" : said,
                      needed_parameter(progress));
    } else if (!slot.is_plausible() || (state == channel::State::running && !killed_while_stopping(worker)) ||
               was_killed_from_outside(slot)) {
      if (auto problem = shared_->died(slot, number)) problem_ = *problem;
    } else if (state == channel::State::spawned || state == channel::State::loaded) {
      if (!stopping_since_) problem_ = slot.never_ran(state, settings_);
    } else {
      shared_->stopped(slot, number);
    }
    slot.worker.reset();
  }

  bool was_killed_from_outside(const Slot& slot) const {
    const int status = slot.worker->wait_status();
    return !stopping_since_ && slot.killed() == Slot::Killed::no && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  bool killed_while_stopping(const Worker& worker) const {
    return stopping_since_ && WIFSIGNALED(worker.wait_status()) && WTERMSIG(worker.wait_status()) == SIGKILL;
  }

  /// The worker died within an execution. Counts that execution, and starts a new worker for the rest.
  void lose_execution(Slot& slot) {
    const std::uint64_t execution = slot.current_execution(stride());
    if (auto finding = slot.lost_execution(execution, settings_.run))
      merger_.add_lost_execution(std::move(*finding));
    else
      merger_.add_ordinary_end(execution);
    keep_isolation(slot);
    slot.worker.reset();
    slot.next = execution + stride();
    if (settings_.run.stop_on_bug) stop_behind_first_bug();
    const bool time_is_up = has_time_limit() && Clock::now() >= start_ + settings_.run.time;
    const bool overflow = slot.next < execution;
    if (!stopping_since_ && !(time_is_up && !keeps_state()) && !overflow && slot.next < worker_end())
      start_worker(slot);
  }

  // ---- the state to go on from: settings_.on_checkpoint ----------------------------------------------------------
  //
  // While executions are sampled, a state is "all executions below this number are done". To come there, the workers
  // end at the number that the furthest of them has reached; then those that are behind catch up; then the state is
  // written, and workers start anew. A worker starts in milliseconds, so this costs less than a thousandth of a minute.
  // A state of a search has the tasks that are over. The others begin anew after an interruption, so workers are asked
  // for everything that they have left, to end their tasks soon.

  bool keeps_state() const { return static_cast<bool>(settings_.on_checkpoint); }
  std::uint64_t worker_end() const { return saving_ == Saving::no ? end_ : std::min(end_, save_at_); }

  bool restore(const CampaignState& state) {
    try {
      rounds_.restore(state.resume->rounds);
    } catch (const BadValue&) {
      return false;
    }
    merger_.restore(state.sampled);
    if (shared_) shared_->restore(state);
    if (state.resume->has_searched) search_.skip();
    done_below_ = state.resume->next;
    end_ = std::min(end_, state.resume->end);
    seconds_before_ = state.seconds;
    return true;
  }

  /// Interrupted, or out of time: writes the state if one is kept, and ends.
  void end_early(Clock::time_point now) {
    const bool is_first_time = !std::exchange(ends_after_saving_, true);
    if (!keeps_state() || stopping_since_ || !is_first_time || search_.is_running()) return stop_all();
    if (saving_ == Saving::no) begin_saving(now);
  }

  void begin_saving(Clock::time_point now) {
    saving_ = Saving::draining;
    saving_since_ = now;
    if (shared_) return shared_->ask_for_ends(slots_);
    save_at_ = done_below_;
    for (const Slot& slot : slots_)
      if (slot.worker) save_at_ = std::max(save_at_, slot.worker->progress().current_execution.load() + 1);
    for_each_worker([&](Worker& worker) { worker.channel().lower_end(save_at_); });
  }

  void continue_saving(Clock::time_point now) {
    if (stopping_since_) saving_ = Saving::no;
    if (saving_ == Saving::no) {
      if (!stopping_since_ && now >= next_checkpoint_ && !search_.is_running()) begin_saving(now);
      return;
    }
    if (shared_) {
      if (now - saving_since_ >= branch_grace || shared_->is_over()) end_saving(now);
      return;
    }
    const auto runs = [](const Slot& slot) { return slot.worker.has_value(); };
    if (std::any_of(slots_.begin(), slots_.end(), runs)) {
      if (ends_after_saving_ && now - saving_since_ > last_save_grace) stop_all();
      return;
    }
    if (saving_ == Saving::draining) catch_up();
    if (std::none_of(slots_.begin(), slots_.end(), runs)) end_saving(now);
  }

  /// A worker may have gone beyond save_at_ before it learnt of it.
  void catch_up() {
    saving_ = Saving::catching_up;
    for (const Slot& slot : slots_)
      if (slot.next >= stride()) save_at_ = std::max(save_at_, slot.next - stride() + 1);
    for (Slot& slot : slots_)
      if (slot.next < worker_end() && !problem_) start_worker(slot);
  }

  void end_saving(Clock::time_point now) {
    if (problem_) return;
    save(save_at_);
    done_below_ = save_at_;
    saving_ = Saving::no;
    next_checkpoint_ = now + settings_.run.checkpoint;
    if (ends_after_saving_) return stop_all();
    if (shared_) return;
    for (Slot& slot : slots_)
      if (slot.next < end_ && !problem_) start_worker(slot);
  }

  /// Has everything been executed that was asked for?
  bool is_complete() const {
    if (!keeps_state() || interrupted_ || ends_after_saving_ || !failure_.empty()) return false;
    if (shared_ && shared_->needed_parameter()) return false;  // another search follows
    return shared_ ? shared_->is_over() : !stopping_since_;
  }

  void save(std::uint64_t next) {
    if (!keeps_state()) return;
    CampaignState current = state(elapsed());
    ResumePoint point;
    point.next = next;
    point.end = end_;
    point.has_searched = search_.has_been();
    point.rounds = rounds_.save();
    if (shared_ && !shared_->save(point)) return;
    findings::Symbolizer symbolizer;
    for (SavedTask& task : point.tasks)
      for (findings::Finding& finding : task.result.part.findings) findings::add_names(finding, symbolizer);
    current.units.clear();  // the tasks have them
    current.resume = std::move(point);
    settings_.on_checkpoint(std::move(current));
  }

  /// Also of the processes that this campaign goes on from.
  double elapsed() const { return seconds_before_ + std::chrono::duration<double>(Clock::now() - start_).count(); }

  CampaignState state(double seconds) {
    CampaignState state;
    state.sampled = merger_.state();
    state.is_exhaustive = is_exhaustive_;
    if (shared_) {
      state.estimate = shared_->estimate();
      state.unit_count = shared_->unit_count();
      state.units = shared_->units();
    }
    findings::Symbolizer symbolizer;
    for (SearchUnit& unit : state.units)
      for (findings::Finding& finding : unit.part.findings) findings::add_names(finding, symbolizer);
    state.interrupted = interrupted_;
    state.stopped_by_limit = stopped_by_limit_;
    state.failure = shared_ ? shared_->failure() : failure_;
    state.seconds = seconds;
    return state;
  }

  findings::Results finish() {
    const double seconds = elapsed();
    if (settings_.on_state) settings_.on_state(state(seconds));
    if (shared_) shared_->finish();
    findings::Results results =
        merger_.finish(settings_.run.stop_on_bug && !is_exhaustive_, {first_, settings_.shard.count});
    results.statistics.seconds = seconds;
    results.interrupted = interrupted_;
    results.is_exhaustive = is_exhaustive_;
    results.failure = shared_ ? shared_->failure() : failure_;
    if (shared_) results.needed_parameter = shared_->needed_parameter();
    results.stopped_by_limit = stopped_by_limit_;
    if (results.isolation == run::Isolation::automatic) results.isolation = settings_.run.isolation;
    findings::Symbolizer symbolizer;
    for (findings::Finding& finding : results.findings) findings::add_names(finding, symbolizer);
    return results;
  }

  const Settings& settings_;
  const std::uint64_t first_ = settings_.first_execution + settings_.shard.index;
  const bool is_exhaustive_ = strategies::is_exhaustive(settings_.run.strategy.view());
  Launch launch_;
  std::uint64_t end_;
  std::optional<RemoteWorkers> remote_;  ///< the workers of other ranks
  std::vector<Slot> slots_;
  Rounds rounds_;
  ResultMerger merger_;
  AutoSearch search_{settings_};
  std::optional<SharedSearch> shared_;  ///< the exhaustive search that was asked for
  LimitGate gate_{settings_, is_exhaustive_};
  Clock::time_point start_ = Clock::now();
  ProgressMeter meter_{settings_, start_, slots_, merger_, search_, shared_};
  std::optional<Clock::time_point> stopping_since_;
  bool interrupted_ = false;
  enum class Saving {
    no,
    draining,     ///< workers end at save_at_
    catching_up,  ///< workers that were behind run up to save_at_
  };
  Saving saving_ = Saving::no;
  Clock::time_point saving_since_{};
  Clock::time_point next_checkpoint_ = start_ + settings_.run.checkpoint;
  std::uint64_t save_at_ = 0;
  std::uint64_t done_below_ = 0;    ///< the executions below were done when the last state was written
  bool ends_after_saving_ = false;  ///< the campaign
  double seconds_before_ = 0;
  std::string stopped_by_limit_;
  std::string failure_;
  std::optional<Problem> problem_;
};

}  // namespace

Result<findings::Results> run_campaign(const Settings& settings) { return Campaign(settings).run(); }

}  // namespace heddle::campaign
