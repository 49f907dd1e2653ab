#include "report/orders_sarif.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "report/orders_words.hpp"
#include "report/sarif_parts.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

using orders::AuditedSite;
using orders::OrderAnswer;
using orders::OrderQuestion;
using orders::OrderResults;
using orders::OrderSite;
using orders::SiteVerdict;
using Json = SarifJson;

constexpr const char* too_weak = "order-too-weak";
constexpr const char* too_strong = "order-too-strong";
constexpr const char* not_atomic = "access-not-atomic";

class OrdersSarif {
 public:
  OrdersSarif(const OrderResults& results, const std::string& folder) : results_(results), folder_(folder) {}

  std::string write(const std::string& version) {
    if (results_.question == OrderQuestion::audit)
      for (const AuditedSite& audited : results_.audit) add(audited);
    else if (!results_.answers.empty())
      add(results_.answers.front());
    for (const orders::OrderBug& bug : results_.incurable)
      for (const orders::PlainAccess& access : bug.plain)
        if (access.place.line != 0) add(bug, access);
    Json rules = Json::array(
        {rule(too_weak, "The memory order of an atomic operation is too weak: the program has a bug.", "error"),
         rule(too_strong, "The memory order of an atomic operation is stronger than the tested programs need.", "note"),
         rule(not_atomic, "The access races, and no memory order of another operation cures that.", "error")});
    const char* command = results_.question == OrderQuestion::audit ? "orders"
                          : results_.question == OrderQuestion::fix ? "fix"
                                                                    : "weaken";
    std::string line = fmt::format("heddle {}", command);
    for (const std::string& program : results_.programs) line += " --client " + shell_word(program);
    Json invocation = {{"executionSuccessful", !results_.was_interrupted},
                       {"commandLine", printable(line, Controls::escape)}};
    return sarif_log(std::move(rules), std::move(invocation), std::move(list_), version, folder_);
  }

 private:
  static Json rule(const char* id, const char* description, const char* level) {
    return {{"id", id}, {"shortDescription", sarif_message(description)}, {"defaultConfiguration", {{"level", level}}}};
  }

  static std::size_t index_of(std::string_view rule) { return rule == too_weak ? 0 : rule == too_strong ? 1 : 2; }

  void add(const char* rule, const findings::SourcePlace& place, const std::string& text, Json fixes = {}) {
    Json location = {{"physicalLocation", sarif_location(place.file, place.line, place.column, folder_)}};
    if (!place.function.empty())
      location["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", printable(place.function, Controls::escape)}, {"kind", "function"}}});
    Json result = {{"ruleId", rule},
                   {"ruleIndex", index_of(rule)},
                   {"level", std::string_view(rule) == too_strong ? "note" : "error"},
                   {"message", sarif_message(text)},
                   {"locations", Json::array({location})}};
    if (!fixes.is_null()) result["fixes"] = std::move(fixes);
    list_.push_back(std::move(result));
  }

  void add(const AuditedSite& audited) {
    const OrderSite& site = results_.sites[audited.site];
    const auto order = site.order();
    if (site.place.line == 0 || !order) return;
    const std::string what = fmt::format("{} ({})", orders::name_of(site.operation), orders::name_of(*order));
    const std::string why = fmt::format("{}: {}", what, verdict_text(audited));
    const std::string reason = reason_text(audited, site);
    const std::string text = reason.empty() ? why : fmt::format("{} ({})", why, reason);
    switch (audited.verdict) {
      case SiteVerdict::too_weak: add(too_weak, site.place, text); break;
      case SiteVerdict::too_strong:
      case SiteVerdict::not_needed: add(too_strong, site.place, text + ". " + scope_text(results_)); break;
      default: break;
    }
  }

  /// The changes of one answer belong together: the first one has the edits of all.
  void add(const OrderAnswer& answer) {
    const bool is_fix = results_.question == OrderQuestion::fix;
    const orders::SourceDiff diff = orders::source_diff(answer, results_.sites);
    Json fixes = {};
    if (!diff.files.empty() && diff.by_hand.empty())
      fixes =
          Json::array({{{"description", sarif_message("change the memory orders")}, {"artifactChanges", edits(diff)}}});
    for (const orders::SiteChange& change : answer.changes) {
      const OrderSite& site = results_.sites[change.site];
      if (site.place.line == 0) continue;
      add(is_fix ? too_weak : too_strong, site.place,
          fmt::format("{}: {} ({}). {}", operation_text(change, site), change_text(change),
                      certificates_text(answer.certificates), scope_text(results_)),
          std::exchange(fixes, {}));
    }
  }

  Json edits(const orders::SourceDiff& diff) const {
    Json changes = Json::array();
    for (const orders::EditedFile& file : diff.files) {
      Json replacements = Json::array();
      for (const orders::TextEdit& edit : file.edits) {
        Json replacement = {
            {"deletedRegion", {{"byteOffset", edit.range.begin}, {"byteLength", edit.range.end - edit.range.begin}}}};
        if (!edit.text.empty()) replacement["insertedContent"] = {{"text", edit.text}};
        replacements.push_back(std::move(replacement));
      }
      changes.push_back({{"artifactLocation", sarif_artifact(file.path, folder_)}, {"replacements", replacements}});
    }
    return changes;
  }

  void add(const orders::OrderBug& bug, const orders::PlainAccess& access) {
    add(not_atomic, access.place, fmt::format("{}: {} has to become atomic", bug.message, access.what));
  }

  const OrderResults& results_;
  const std::string& folder_;
  Json list_ = Json::array();
};

}  // namespace

std::string orders_sarif(const OrderResults& results, const std::string& version, const std::string& folder) {
  return OrdersSarif(results, folder).write(version);
}

}  // namespace heddle::report
