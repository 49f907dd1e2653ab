#include "session/reports/page.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "picture/page.hpp"
#include "report/json.hpp"
#include "session/explain.hpp"
#include "session/replay.hpp"

namespace heddle::session {

namespace {

// Each picture needs a replay, and makes the page larger.
constexpr std::size_t most_pictures = 20;

findings::RunDescription description_of(const campaign::Subject& subject) {
  return {subject.program_name, subject.args, subject.run};
}

/// Repeats the execution of the finding and draws it. Findings that the campaign did not explain get the story of
/// their execution as it is.
std::optional<picture::FindingPicture> draw(const campaign::Subject& subject, run::Isolation isolation,
                                            const findings::Finding& finding) {
  if (!findings::is_bug(finding) || !finding.recorded) return std::nullopt;
  const auto replay = Replay::of_finding(subject, isolation, finding);
  if (!replay) return std::nullopt;
  const auto replayed = run(*replay);
  if (!replayed || !replayed->log.log) return std::nullopt;
  if (finding.explanation)
    return picture::FindingPicture{finding.key, picture::make_picture(finding, *replayed->log.log), {}};
  findings::Results explained;
  findings::Finding& copy = explained.findings.emplace_back(finding);
  if (finding.kind != findings::FindingKind::leak) explain_replay(*replay, copy, replayed->log);
  auto picture = picture::make_picture(copy, *replayed->log.log);
  return picture::FindingPicture{finding.key, std::move(picture),
                                 report::json_report(description_of(subject), explained, HEDDLE_VERSION)};
}

}  // namespace

Result<std::string> campaign_page(const campaign::Subject& subject, const findings::Results& results) {
  picture::PageContent content;
  content.title = fmt::format("heddle: {}", subject.program_name);
  content.report = report::json_report(description_of(subject), results, HEDDLE_VERSION);
  content.relations = {picture::Relation::rf, picture::Relation::sw};
  for (const findings::Finding& finding : results.findings) {
    if (content.pictures.size() == most_pictures) break;
    if (auto picture = draw(subject, results.isolation, finding)) content.pictures.push_back(std::move(*picture));
  }
  return picture::campaign_page(content);
}

}  // namespace heddle::session
