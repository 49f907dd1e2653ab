#include "cli/campaign_page.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/explain_run.hpp"
#include "cli/replay_run.hpp"
#include "picture/page.hpp"
#include "report/json.hpp"

namespace heddle::cli {

namespace {

// Each picture needs a replay, and makes the page larger.
constexpr std::size_t most_pictures = 20;

findings::RunDescription description_of(const campaign::Settings& settings) {
  return {settings.program_name, settings.args, settings.run};
}

/// Repeats the execution of the finding and draws it. Findings that the campaign did not explain get the story of
/// their execution as it is.
std::optional<picture::FindingPicture> draw(const campaign::Settings& settings, run::Isolation isolation,
                                            const findings::Finding& finding) {
  if (!findings::is_bug(finding) || !finding.recorded) return std::nullopt;
  const auto replayed = replay_settings(settings, isolation, finding);
  if (!replayed) return std::nullopt;
  const auto replay = replay_with_log(*replayed);
  if (!replay || !replay->log.log) return std::nullopt;
  if (finding.explanation)
    return picture::FindingPicture{finding.key, picture::make_picture(finding, *replay->log.log), {}};
  findings::Results explained;
  findings::Finding& copy = explained.findings.emplace_back(finding);
  if (finding.kind != findings::FindingKind::leak) explain_replay(*replayed, copy, replay->log);
  auto picture = picture::make_picture(copy, *replay->log.log);
  return picture::FindingPicture{finding.key, std::move(picture),
                                 report::json_report(description_of(settings), explained, HEDDLE_VERSION)};
}

}  // namespace

Result<std::string> campaign_page(const campaign::Settings& settings, const findings::Results& results) {
  picture::PageContent content;
  content.title = fmt::format("heddle: {}", settings.program_name);
  content.report = report::json_report(description_of(settings), results, HEDDLE_VERSION);
  content.relations = {picture::Relation::rf, picture::Relation::sw};
  for (const findings::Finding& finding : results.findings) {
    if (content.pictures.size() == most_pictures) break;
    if (auto picture = draw(settings, results.isolation, finding)) content.pictures.push_back(std::move(*picture));
  }
  return picture::campaign_page(content);
}

}  // namespace heddle::cli
