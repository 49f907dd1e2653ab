// The event loop of a campaign: it starts workers, reads what they report, and ends them. What the workers do is up to
// the two kinds of campaigns: they sample executions by number (campaign/sampling_campaign.hpp), or share an exhaustive
// search (campaign/search_campaign.hpp).
//
// A campaign that keeps a state (settings.on_checkpoint) writes it from time to time, and before it ends early. To
// write one, the campaign comes to a point from which another process can continue: that is the kind's business, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/learning/learning_rounds.hpp"
#include "campaign/progress_meter.hpp"
#include "campaign/result_merger.hpp"
#include "campaign/settings.hpp"
#include "campaign/slot.hpp"
#include "campaign/state/campaign_state.hpp"
#include "campaign/worker_pool.hpp"
#include "campaign/workers/process_activity.hpp"
#include "findings/results.hpp"

namespace heddle::campaign {

/// Many methods: about half are what sampling and searches do at the points of the loop.
class CampaignLoop {
  using milliseconds = std::chrono::milliseconds;

 public:
  /// The settings outlive the campaign.
  explicit CampaignLoop(const Settings& settings);
  virtual ~CampaignLoop() = default;
  CampaignLoop(const CampaignLoop&) = delete;
  CampaignLoop& operator=(const CampaignLoop&) = delete;

  /// Called once. See run_campaign().
  Result<findings::Results> run();

 protected:
  // ---- what a kind of campaign does; run() calls these ----------------------------------------------------------

  /// Continues from a state, before the first worker. Throws BadValue if the state is not what save_to() wrote.
  virtual void restore(const CampaignState& state) = 0;
  /// Sets the first execution of each slot, and starts the first workers.
  virtual void start_workers() = 0;
  /// Whether anything runs beside the workers of the slots.
  virtual bool has_more_to_do() const { return false; }
  /// What workers do that do not wait.
  virtual WorkHere work_of_workers() const = 0;
  /// Completes the request of a worker that starts in the slot.
  virtual void prepare(channel::Request& request, const Slot& slot) = 0;
  /// Reads what the slot's worker has found since the last call. Its counters have been read, and are plausible.
  virtual void read_findings(Slot& slot) = 0;
  /// The process of the slot's worker has ended. Reads its results, empties the slot or starts another worker.
  virtual void worker_ended(Slot& slot) = 0;
  /// Decides what workers do next, and calls settings.on_finding for what was found. Called at every step, after the
  /// workers were looked at.
  virtual void direct_workers(Clock::time_point now) = 0;
  /// Adds the executions of workers that run.
  virtual void add_progress(LiveProgress& live) = 0;

  /// Whether begin_saving() may be called now.
  virtual bool can_save() const { return true; }
  /// The campaign ends early, and keeps a state: makes can_save() true if possible.
  virtual void prepare_last_state() {}
  /// Leads the workers to a point from which another process can continue.
  virtual void begin_saving() = 0;
  /// Called at every step until it returns true: the point has been reached.
  virtual bool is_ready_to_save(Clock::time_point now) = 0;
  /// The state has been written, and the campaign continues.
  virtual void continue_after_saving() {}
  /// Has everything been executed that was asked for?
  virtual bool has_done_all() const = 0;
  /// Adds where another process continues. False: there is no state now.
  virtual bool save_to(ResumePoint& point) = 0;
  virtual void add_to(CampaignState& state) const = 0;
  /// Adds everything to the results that merger_ returns afterwards.
  virtual void finish_results() {}
  virtual void add_to(findings::Results& results) const = 0;

  // ---- for the kinds --------------------------------------------------------------------------------------------

  void start_worker(Slot& slot);
  std::size_t number_of(const Slot& slot) const { return static_cast<std::size_t>(&slot - slots_.data()); }
  /// Has the slot's worker ended? Reads what it has found so far.
  bool is_over(Slot& slot, Clock::time_point now);
  /// All workers that run, also those in no slot of slots_.
  virtual std::vector<WorkerHandle*> workers();
  void stop_all();
  bool is_stopping() const { return stopping_since_.has_value(); }
  bool is_saving() const { return saving_since_.has_value(); }
  bool was_killed_while_stopping(const WorkerHandle& worker) const;
  bool keeps_state() const { return static_cast<bool>(settings_.on_checkpoint); }
  bool is_out_of_time(Clock::time_point now) const {
    if (settings_.run.time.count() == 0) return false;
    return now >= start_ + settings_.run.time - (merger_.bugs() == 0 ? milliseconds(0) : settings_.explaining_time);
  }

  const Settings& settings_;
  const bool is_exhaustive_;
  const Clock::time_point start_ = Clock::now();
  std::uint64_t end_;                 ///< the executions from here on are not wanted
  std::unique_ptr<WorkerPool> pool_;  ///< outlives its workers, which are in the slots
  std::vector<Slot> slots_;
  Launch launch_;
  LearningRounds rounds_;
  ResultMerger merger_;
  std::string failure_;
  std::string stopped_by_limit_;
  std::optional<Problem> problem_;  ///< ends the campaign at once
  std::optional<Clock::time_point> stopping_since_;
  std::optional<Clock::time_point> saving_since_;
  bool ends_after_saving_ = false;  ///< the campaign

 private:
  bool is_running() const;
  WorkHere work_here() const;
  void step();
  void act();
  void end_in_time(Clock::time_point now);
  std::chrono::milliseconds overtime(Clock::time_point now);
  void end_early(Clock::time_point now);
  void continue_saving(Clock::time_point now);
  void save();
  double elapsed() const;
  LiveProgress progress();
  CampaignState state(double seconds);
  findings::Results finish();

  ProgressMeter meter_;
  bool interrupted_ = false;
  Clock::time_point next_checkpoint_;
  UsedTime overtime_;          ///< of this process and its workers, since --time has passed
  double seconds_before_ = 0;  ///< of the processes that this campaign continues from
};

}  // namespace heddle::campaign
