#include "campaign/settings.hpp"

namespace heddle::campaign {

channel::Request make_request(const Settings& settings, std::uint64_t first, std::uint64_t stride) {
  channel::Request request{};
  request.run = settings.run;
  // A worker does not know which findings are suppressed. The driver stops it behind the first bug.
  if (!settings.suppressions.empty()) request.run.stop_on_bug = false;
  request.mode = settings.mode;
  request.first_execution = first;
  request.stride = stride;
  request.end_execution = settings.end_execution;
  request.gate = no_end;
  request.check = settings.check;
  request.finding_key = settings.minimization.finding_key;
  request.most_tries = settings.minimization.most_tries;
  request.most_tried_events = settings.minimization.most_events;
  request.recording = settings.recording;
  request.debug_step = settings.debug_step;
  request.has_cycles = settings.has_cycles ? 1 : 0;
  return request;
}

}  // namespace heddle::campaign
