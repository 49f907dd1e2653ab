#include "session/watched_campaign.hpp"

#include "campaign/campaign.hpp"
#include "findings/groups.hpp"
#include "findings/symbolizer.hpp"

namespace heddle::session {

Result<findings::Results> run(const WatchedCampaign& watched) {
  Observer& observer = watched.observer;
  campaign::OutputFolder& folder = watched.folder;
  campaign::Settings settings(watched.subject, watched.continuation);
  settings.shard = watched.shard;
  if (settings.run.runs != 0) settings.end_execution = settings.run.runs;
  settings.places = watched.places;
  settings.explaining_time = watched.explaining_time;
  findings::Symbolizer symbolizer;
  findings::LiveBugs bugs;
  settings.on_progress = [&](campaign::LiveProgress live) {
    live.bugs = bugs.count();
    observer.show_progress(live);
  };
  settings.on_finding = [&](findings::Finding finding, run::Isolation isolation) {
    // If the trace cannot be written, the end of the campaign tries again and reports why.
    const bool has_trace = !folder.write_trace(settings, isolation, finding);
    symbolizer.symbolize(finding);
    const bool is_new = bugs.is_new(finding);
    // With --stop-on-bug, another worker may still find an earlier bug, which then is the only one.
    if (!has_trace || !is_new || settings.run.stop_on_bug) return;
    if (observer.show_bug(finding)) folder.keep_trace(finding);
  };
  observer.begin_campaign();
  auto results = campaign::run_campaign(settings);
  observer.end_campaign();
  return results;
}

}  // namespace heddle::session
