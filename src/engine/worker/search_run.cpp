#include "engine/worker/search_run.hpp"

namespace heddle::engine {

void SearchRun::run(IsolationChoice& isolation) {
  if (methods_.current().exploration == nullptr) return;  // the model has no optimal search
  if (request_.run.isolation == channel::Isolation::automatic) {
    methods_.make("random");
    const bool is_resettable = isolation.choose(request_.first_execution) == channel::Isolation::reset;
    if (!is_resettable || !methods_.make(request_.run.strategy.view())) return;
  }
  process_.use_isolation(channel::Isolation::reset);
  const auto stage =
      request_.is_long_search != 0 ? strategies::SearchStage::long_search : strategies::SearchStage::short_search;
  strategies::SearchPace pace(stage, request_.search_runs);
  search(request_.first_execution, pace, request_.run.strategy.c_str(), [this](std::uint64_t number) {
    process_.discard_output();
    executor_.execute_begun(number);
    process_.reset();
  });
}

}  // namespace heddle::engine
