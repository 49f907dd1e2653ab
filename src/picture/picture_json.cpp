#include "picture/picture_json.hpp"

#include <nlohmann/json.hpp>

#include "picture/edges.hpp"
#include "report/text.hpp"

namespace heddle::picture {

namespace {

using Json = nlohmann::ordered_json;

std::string text(const std::string& bytes) { return report::printable(bytes, report::Controls::escape); }

void put(Json& json, const char* name, const std::string& value) {
  if (!value.empty()) json[name] = text(value);
}

const char* name_of(Lane::Kind kind) {
  switch (kind) {
    case Lane::Kind::initial_values: return "initial";
    case Lane::Kind::thread: return "thread";
    case Lane::Kind::outside: return "outside";
  }
  return "";
}

Json event_json(const Picture& picture, const Event& event) {
  Json json = {{"number", event.number}, {"lane", event.lane}, {"kind", story::name_of(event.kind)}};
  json["label"] = text(event.label);
  json["action"] = text(event.action);
  put(json, "order", event.order);
  put(json, "read", event.read);
  put(json, "written", event.written);
  if (event.location) json["location"] = *event.location;
  put(json, "place", event.short_place);
  put(json, "function", report::short_function_name(event.place.function));
  for (std::size_t i = 0; i < picture.files.size(); ++i) {
    if (picture.files[i].path != event.place.file) continue;
    json["file"] = i;
    json["line"] = event.place.line;
  }
  if (!event.steps.empty()) json["steps"] = event.steps;
  if (event.matters) json["matters"] = true;
  if (event.reads_from) json["readsFrom"] = *event.reads_from;
  if (!event.missed.empty()) json["missed"] = event.missed.size();
  if (event.is_switch) json["switch"] = true;
  if (event.options > 1) json["options"] = event.options;
  return json;
}

}  // namespace

std::string picture_json(const Picture& picture) {
  Json json = {{"eventsOfExecution", picture.events_of_execution}, {"lanes", Json::array()}};
  for (const Lane& lane : picture.lanes)
    json["lanes"].push_back({{"kind", name_of(lane.kind)}, {"label", text(lane.label)}});
  json["locations"] = Json::array();
  for (const Location& location : picture.locations) {
    Json entry = {{"name", text(location.name)}};
    put(entry, "type", location.type);
    json["locations"].push_back(std::move(entry));
  }
  json["files"] = Json::array();
  for (const SourceFile& file : picture.files) {
    Json lines = Json::object();
    for (const auto& [number, line] : file.lines) lines[std::to_string(number)] = text(line);
    json["files"].push_back({{"path", text(report::short_path(file.path))}, {"lines", std::move(lines)}});
  }
  json["events"] = Json::array();
  for (const Event& event : picture.events) json["events"].push_back(event_json(picture, event));
  json["relations"] = Json::object();
  for (const Relation relation :
       {Relation::rf, Relation::mo, Relation::fr, Relation::sw, Relation::hb, Relation::missed, Relation::unordered})
    json["relations"][picture::name_of(relation)] = {{"meaning", meaning_of(relation)}, {"edges", Json::array()}};
  for (const Edge& edge : edges_between(picture, std::vector<bool>(picture.events.size(), true)))
    json["relations"][picture::name_of(edge.relation)]["edges"].push_back({edge.from, edge.to});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heddle::picture
