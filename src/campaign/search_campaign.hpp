// A campaign whose workers share one exhaustive search (campaign/shared_search.hpp).
//
// A state has the tasks of the search that have ended. The others begin anew after an interruption, so workers are
// asked for everything that they have left, to end their tasks soon.
#pragma once

#include "campaign/campaign_loop.hpp"
#include "campaign/shared_search.hpp"

namespace heddle::campaign {

class SearchCampaign final : public CampaignLoop {
 public:
  explicit SearchCampaign(const Settings& settings);

 private:
  void restore(const CampaignState& state) override;
  void start_workers() override;
  WorkHere work_of_workers() const override { return WorkHere::searching; }
  void prepare(channel::Request& request, const Slot& slot) override;
  void read_findings(Slot& slot) override { search_.read(slot, number_of(slot)); }
  void worker_ended(Slot& slot) override;
  void direct_workers(Clock::time_point now) override;
  void add_progress(LiveProgress& live) override { search_.add_to(live, slots_); }

  void begin_saving() override { search_.ask_for_ends(slots_); }
  bool is_ready_to_save(Clock::time_point now) override;
  bool has_done_all() const override;
  bool save_to(ResumePoint& point) override { return search_.save(point); }
  void add_to(CampaignState& state) const override;
  void finish_results() override { search_.finish(); }
  void add_to(findings::Results& results) const override;

  void continue_search(Clock::time_point now);
  bool was_killed_from_outside(const Slot& slot) const;

  SharedSearch search_;
};

}  // namespace heddle::campaign
