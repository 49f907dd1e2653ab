// The files that a campaign leaves for other processes: the result of a shard, and the state of --resume.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "campaign/state/campaign_state.hpp"
#include "campaign/state/shard_file.hpp"
#include "run/fields.hpp"
#include "session/watched_campaign.hpp"

namespace heddle::session {

class SavedState {
 public:
  SavedState(run::Use command, campaign::Shard shard) : command_(command), shard_(shard) {}

  /// --resume: the state in the folder; nothing if there is none. A search that had begun again continues with the
  /// strategy that it had then.
  Result<std::optional<campaign::CampaignState>> read(WatchedCampaign& campaign) const;
  /// For Continuation::on_checkpoint: writes the state. A state that cannot be written does not end the campaign.
  std::function<void(const campaign::Subject&, campaign::CampaignState)> keeper(Observer& observer) const;
  Outcome write_shard(const campaign::Subject& subject, campaign::CampaignState state) const;

 private:
  campaign::ShardFile file_of(const campaign::Subject& subject, campaign::CampaignState state) const;

  run::Use command_;
  campaign::Shard shard_;
};

}  // namespace heddle::session
