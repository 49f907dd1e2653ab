#include "session/test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "campaign/state/campaign_state.hpp"
#include "findings/suppressions.hpp"
#include "session/saved_state.hpp"
#include "session/search.hpp"
#include "strategies/strategy_specification.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::session {

namespace {

/// --time bounds the explanations, too. Most take less than a second.
std::chrono::milliseconds share_for_explaining(std::chrono::milliseconds time) {
  constexpr std::chrono::milliseconds most{10'000};
  return std::min(time / 4, most);
}

Outcome read_suppressions(campaign::Subject& subject) {
  const std::string path = subject.run.suppressions.c_str();
  auto text = read_whole_file(path);
  if (!text) return usage_problem(fmt::format("--suppressions: {}", text.problem().text));
  auto parsed = findings::Suppressions::parse(*text);
  if (const auto* wrong = std::get_if<findings::Suppressions::Malformed>(&parsed))
    return usage_problem(fmt::format("--suppressions: line {} of {} is no suppression ({}): {}", wrong->line, path,
                                     wrong->text, wrong->why));
  subject.suppressions = std::get<findings::Suppressions>(std::move(parsed));
  subject.suppressions_text = std::move(*text);
  return {};
}

Result<Searched> run_campaigns(const WatchedCampaign& first) {
  if (strategies::is_exhaustive(first.subject.run.strategy.view())) return run(Search{first});
  auto results = run(first);
  if (!results) return results.problem();
  return Searched{first.subject, std::move(*results)};
}

}  // namespace

Outcome prepare(campaign::Subject& subject) {
  if (auto problem = campaign::OutputFolder(subject.run.out.c_str()).check_writable()) return problem;
  auto program = campaign::inspect_program(subject.program_name);
  if (!program) return program.problem();
  subject.program = *program;
  return subject.run.suppressions.empty() ? Outcome{} : read_suppressions(subject);
}

Result<Tested> run(const Test& test) {
  WatchedCampaign campaign = test.campaign;
  const run::RunSpecification& specification = campaign.subject.run;
  const SavedState saved(test.command, campaign.shard);
  const bool is_shard = !specification.shard.empty();
  std::optional<campaign::CampaignState> state, resumed;
  if (!specification.resume.empty()) {
    auto read = saved.read(campaign);
    if (!read) return read.problem();
    resumed = std::move(*read);
    if (resumed) campaign.continuation.resumed = &*resumed;
    campaign.continuation.on_checkpoint = saved.keeper(campaign.observer);
  }
  const auto start = Clock::now();
  if (specification.explain != run::Explain::none && !is_shard)
    campaign.explaining_time = share_for_explaining(specification.time);
  if (is_shard) campaign.continuation.on_state = [&](campaign::CampaignState last) { state = std::move(last); };
  auto searched = run_campaigns(campaign);
  if (!searched) return searched.problem();
  Tested tested{std::move(searched->subject), std::move(searched->results), {}, {}};
  if (specification.time.count() != 0) tested.deadline = start + specification.time;
  if (state) tested.unsaved = saved.write_shard(tested.subject, std::move(*state));
  return tested;
}

}  // namespace heddle::session
