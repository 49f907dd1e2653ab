// An explanation while it is made: its text, and the events that will be its steps.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "story/execution_log.hpp"
#include "story/racing_events.hpp"

namespace heddle::story {

class Draft {
 public:
  Draft(const findings::Finding& of, const ExecutionLog& execution);

  /// The event will be a step.
  void matter(EventNumber event) { matters_.insert(event); }
  bool has_steps() const { return !matters_.empty(); }
  void set_text(std::map<EventNumber, std::string> texts) { texts_ = std::move(texts); }
  /// The newest event of the thread that shows the finding will be a step.
  void add_last_event();
  /// Stale reads, and what they miss, will be steps.
  void add_stale_reads();
  /// Appends a sentence to the cause. Accesses in a loop give the same sentence many times: once is enough.
  void add_cause(const std::string& sentence);
  /// Makes the steps. `racing` is never left out.
  void add_steps(const RacingEvents& racing);

  std::string thread_of(EventNumber event) const;
  bool is_alone() const { return out.counts.threads < 2; }

  const findings::Finding& finding;
  const ExecutionLog& log;
  findings::Explanation out;
  std::optional<ThreadNumber> failing;  ///< the thread that shows the finding

 private:
  std::string reference(const std::vector<EventNumber>& events, EventNumber event) const;

  std::set<EventNumber> matters_;
  std::map<EventNumber, std::string> texts_;  ///< of steps that are more than their event says
  std::set<std::string> causes_;              ///< those that add_cause() was given
};

}  // namespace heddle::story
