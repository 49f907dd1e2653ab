// A campaign that runs executions by number. Worker i of n runs the executions i, i + n, i + 2n, ...; since an
// execution depends on the seed, its number and the rounds before it alone, the findings do not depend on n.
//
// The execution in which a worker dies becomes a finding, and a new worker continues with the next execution.
//
// A state is "all executions below this number are done". To come there, the workers end at the number that the
// furthest of them has reached; then those that are behind catch up; then the state is written, and workers start anew.
// A worker starts in milliseconds, so this costs less than a thousandth of a minute.
#pragma once

#include "campaign/auto_search.hpp"
#include "campaign/campaign_loop.hpp"
#include "campaign/limit_gate.hpp"

namespace heddle::campaign {

class SamplingCampaign final : public CampaignLoop {
 public:
  explicit SamplingCampaign(const Settings& settings);

 private:
  void restore(const CampaignState& state) override;
  void start_workers() override;
  bool has_more_to_do() const override { return search_.is_running(); }
  WorkHere work_of_workers() const override { return WorkHere::sampling; }
  void prepare(channel::Request& request, const Slot& slot) override;
  void read_findings(Slot& slot) override;
  void worker_ended(Slot& slot) override;
  void direct_workers(Clock::time_point now) override;
  void add_progress(LiveProgress& live) override;
  std::vector<WorkerHandle*> workers() override;

  bool can_save() const override { return !search_.is_running(); }
  /// A search of `auto` has no state of its own: another process makes it again, as a whole.
  void prepare_last_state() override { search_.cancel(); }
  void begin_saving() override;
  bool is_ready_to_save(Clock::time_point now) override;
  void continue_after_saving() override { start_idle_slots(); }
  bool has_done_all() const override { return !is_stopping(); }
  bool save_to(ResumePoint& point) override;
  void add_to(CampaignState&) const override {}
  void add_to(findings::Results&) const override {}

  std::uint64_t stride() const { return slots_.size() * settings_.shard.count; }
  std::uint64_t number_from(std::size_t slot, std::uint64_t from) const;
  std::uint64_t worker_end() const { return is_saving() ? std::min(end_, save_at_) : end_; }
  bool has_workers() const;
  void start_idle_slots();
  void catch_up();

  void add_findings_of(Slot& slot);
  void announce_findings();
  run::Isolation isolation_in_use();
  void move_gate();
  void begin_next_round();
  bool asks_for_recordings(const std::vector<ChannelMemory*>& waiting);
  bool may_use_reset();
  void search_ended();
  void stop_behind_first_bug();
  void end_at(std::uint64_t execution);
  void lose_execution(Slot& slot);

  AutoSearch search_{settings_};
  LimitGate gate_{settings_, is_exhaustive_};
  std::uint64_t done_below_ = 0;  ///< the executions below were done when the last state was written
  std::uint64_t save_at_ = 0;     ///< while a state is made: executions below this number are to be done
  bool catches_up_ = false;       ///< while a state is made: workers that were behind run up to save_at_
};

}  // namespace heddle::campaign
