// Which atomic operations a program executes, with which orders, and how often.
#pragma once

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "orders/site_list.hpp"
#include "session/order_trials.hpp"

namespace heddle::session {

class SiteCounter {
 public:
  /// Counts are added to the list.
  SiteCounter(orders::SiteList& sites, const TrialBudget& budget, Deadline deadline)
      : sites_(sites), budget_(budget), deadline_(deadline) {}

  /// By a search that runs the program for each execution and, if that does not end, by samples.
  Outcome count(const campaign::Subject& program);

 private:
  campaign::Settings settings(const campaign::Subject& program, const char* strategy);

  orders::SiteList& sites_;
  const TrialBudget& budget_;
  Deadline deadline_;
};

}  // namespace heddle::session
