#include "campaign/campaign.hpp"

#include "campaign/sampling_campaign.hpp"
#include "campaign/search_campaign.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::campaign {

Result<findings::Results> run_campaign(const Settings& settings) {
  const bool is_search = strategies::is_exhaustive(settings.run.strategy.view());
  if (is_search && settings.mode == channel::Mode::test) return SearchCampaign(settings).run();
  return SamplingCampaign(settings).run();
}

}  // namespace heddle::campaign
