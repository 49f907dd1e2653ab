#pragma once

#include <string>

#include "campaign/settings.hpp"
#include "findings/finding.hpp"

namespace heddle::session {

/// What a command shows while a task runs. A task without an observer shows nothing.
class Observer {
 public:
  virtual ~Observer() = default;

  /// A task consists of one or more campaigns, one after the other.
  virtual void begin_campaign() {}
  virtual void end_campaign() {}
  /// Called at every step of a campaign.
  virtual void show_progress(const campaign::LiveProgress& /*live*/) {}
  /// A bug that this campaign has not shown yet. It has symbols, and its trace is on disk. Returns whether the user has
  /// been told: then the trace stays.
  virtual bool show_bug(const findings::Finding& /*finding*/) { return false; }
  /// A sentence for a user who did not ask for --quiet.
  virtual void show_note(const std::string& /*text*/) {}
  /// A sentence for every user.
  virtual void show_warning(const std::string& /*text*/) {}
};

}  // namespace heddle::session
