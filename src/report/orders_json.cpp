#include "report/orders_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "orders/cost.hpp"
#include "report/json.hpp"
#include "report/orders_words.hpp"
#include "report/text.hpp"

namespace heddle::report {

namespace {

using Json = nlohmann::ordered_json;
using graph::MemoryOrder;
using orders::AuditedSite;
using orders::Certificate;
using orders::Judgement;
using orders::OrderAnswer;
using orders::OrderBug;
using orders::OrderQuestion;
using orders::OrderResults;
using orders::OrderSite;

const char* name_of(OrderQuestion question) {
  switch (question) {
    case OrderQuestion::audit: return "orders";
    case OrderQuestion::fix: return "fix";
    case OrderQuestion::weaken: return "weaken";
  }
  return "";
}

const char* name_of(Judgement judgement) {
  switch (judgement) {
    case Judgement::right: return "right";
    case Judgement::wrong: return "wrong";
    case Judgement::unknown: return "unknown";
  }
  return "";
}

void add_place(Json& json, const findings::SourcePlace& place) {
  if (place.line != 0) {
    json["file"] = json_text(place.file);
    json["line"] = place.line;
    if (place.column != 0) json["column"] = place.column;
  }
  if (!place.function.empty()) json["function"] = json_text(place.function);
}

Json certificates_json(const std::vector<Certificate>& certificates) {
  Json list = Json::array();
  for (const Certificate& certificate : certificates) {
    Json json = {{"proved", certificate.is_proved},
                 {certificate.is_proved ? "graphs" : "executions", certificate.executions}};
    if (certificate.unseen && !certificate.is_proved) json["unseen"] = *certificate.unseen;
    list.push_back(std::move(json));
  }
  return list;
}

Json bugs_json(const std::vector<OrderBug>& bugs) {
  Json list = Json::array();
  for (const OrderBug& bug : bugs) {
    Json json = {{"program", bug.program},
                 {"kind", bug.kind},
                 {"key", fmt::format("{:016x}", bug.key)},
                 {"headline", json_text(bug.message)}};
    if (!bug.trace.empty()) json["trace"] = json_text(bug.trace);
    for (const orders::PlainAccess& access : bug.plain) {
      Json plain = {{"access", json_text(access.what)}};
      add_place(plain, access.place);
      json["to_become_atomic"].push_back(std::move(plain));
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json site_json(const OrderSite& site) {
  Json json = Json::object();
  if (site.place.line == 0) {
    json["module"] = json_text(site.path);
    json["offset"] = fmt::format("{:#x}", site.offset);
  }
  add_place(json, site.place);
  if (!site.wrapper.empty()) json["wrapper"] = json_text(site.wrapper);
  json["operation"] = orders::name_of(site.operation);
  const auto order = site.order();
  json["order"] = order ? Json(orders::name_of(*order)) : Json(nullptr);
  json["executed"] = site.executed;
  json["programs"] = Json::array();
  for (std::size_t i = 0; i < site.programs.size(); ++i)
    if (site.programs[i]) json["programs"].push_back(i);
  return json;
}

void add_verdict(Json& json, const AuditedSite& audited) {
  json["verdict"] = orders::name_of(audited.verdict);
  if (audited.enough) json["enough"] = orders::name_of(*audited.enough);
  json["weaker"] = Json::array();
  for (const orders::WeakerOrder& weaker : audited.weaker) {
    Json one = {{"order", orders::name_of(weaker.order)}, {"judgement", name_of(weaker.judgement)}};
    if (!weaker.bugs.empty()) one["bugs"] = bugs_json(weaker.bugs);
    if (!weaker.certificates.empty()) one["certificates"] = certificates_json(weaker.certificates);
    if (!weaker.problem.empty()) one["problem"] = json_text(weaker.problem);
    json["weaker"].push_back(std::move(one));
  }
}

Json cost_json(orders::SiteOperation operation, MemoryOrder order) {
  const orders::SiteCost cost = orders::cost_of(operation, order);
  return {{"x86_64", cost.x86}, {"armv8_0", cost.arm}, {"armv8_1", cost.arm_lse}};
}

Json answer_json(const OrderAnswer& answer, const OrderResults& results) {
  Json json = {{"cost", answer.cost},
               {"proved", answer.is_proved()},
               {"certificates", certificates_json(answer.certificates)},
               {"orders", json_text(answer.orders)},
               {"changes", Json::array()}};
  for (const orders::SiteChange& change : answer.changes)
    json["changes"].push_back({{"site", change.site},
                               {"operation", orders::name_of(change.operation)},
                               {"from", orders::name_of(change.from)},
                               {"to", orders::name_of(change.to)},
                               {"instructions_before", cost_json(change.operation, change.from)},
                               {"instructions_after", cost_json(change.operation, change.to)}});
  const orders::SourceDiff diff = orders::source_diff(answer, results.sites);
  std::string all;
  for (const orders::EditedFile& file : diff.files) all += orders::unified_diff(file, working_folder());
  json["diff"] = json_text(all);
  json["by_hand"] = Json::array();
  for (const orders::ChangeByHand& by_hand : diff.by_hand)
    json["by_hand"].push_back(
        {{"change", by_hand.change}, {"why", json_text(by_hand.why)}, {"line", json_text(by_hand.line)}});
  return json;
}

}  // namespace

std::string orders_json(const OrderResults& results, const std::string& version) {
  Json json = {{"schema_version", schema_version}, {"version", version}, {"question", name_of(results.question)}};
  json["programs"] = Json::array();
  for (const std::string& program : results.programs) json["programs"].push_back(json_text(program));
  json["cost"] = results.cost;
  json["certificates"] = certificates_json(results.own);
  json["bugs"] = bugs_json(results.bugs);
  json["incurable"] = bugs_json(results.incurable);
  json["sites"] = Json::array();
  for (const OrderSite& site : results.sites.all()) json["sites"].push_back(site_json(site));
  for (const AuditedSite& audited : results.audit) add_verdict(json["sites"][audited.site], audited);
  if (results.question == OrderQuestion::audit) {
    const orders::MutationScore score = orders::mutation_score(results);
    json["mutation_score"] = {{"needed", score.needed}, {"judged", score.judged}};
  } else {
    json["answers"] = Json::array();
    for (const OrderAnswer& answer : results.answers) json["answers"].push_back(answer_json(answer, results));
    json["complete"] = results.is_complete;
  }
  if (results.was_interrupted) json["interrupted"] = true;
  json["search"] = {{"trials", results.counts.trials},
                    {"executions", results.counts.executions},
                    {"excluded", results.counts.excluded},
                    {"witnesses", results.counts.witnesses},
                    {"unknown", results.unknown}};
  json["scope"] = scope_text(results);
  json["seconds"] = results.seconds;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::report
