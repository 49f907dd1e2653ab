#include "findings/finding.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.hpp"

namespace heddle::findings {

namespace {

using Json = nlohmann::json;

std::string text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::uint64_t number(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// The elements of the array `name`; none if it is missing.
const Json& elements(const Json& object, const char* name) {
  static const Json none = Json::array();
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : none;
}

Stack stack(const Json& object) {
  Stack result;
  for (const Json& pc : elements(object, "stack")) {
    if (pc.is_string()) result.pcs.push_back(parse_address(pc.get<std::string>()));
  }
  return result;
}

DataAddress data_address(const Json& object, const char* name) { return {parse_address(text(object, name)), {}, 0}; }

Access parse_access(const Json& json) {
  return {text(json, "what"),   number(json, "size"),          text(json, "order"),
          text(json, "thread"), data_address(json, "address"), stack(json)};
}

MemoryObject parse_object(const Json& json) {
  MemoryObject object;
  object.address = data_address(json, "address");
  object.place = text(json, "place");
  if (json.contains("block")) object.block = parse_address(text(json, "block"));
  object.block_size = number(json, "block_size");
  object.thread = text(json, "thread");
  object.stack = stack(json);
  return object;
}

ThreadState parse_thread(const Json& json) {
  ThreadState thread;
  thread.thread = text(json, "thread");
  thread.state = text(json, "state");
  if (json.contains("object")) thread.object = data_address(json, "object");
  thread.held_by = text(json, "held_by");
  thread.stack = stack(json);
  return thread;
}

}  // namespace

std::optional<Finding> parse_finding(std::string_view json_text) {
  const Json json = Json::parse(json_text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  Finding finding;
  finding.kind = text(json, "kind");
  if (finding.kind.empty()) return std::nullopt;
  finding.message = text(json, "message");
  finding.thread = text(json, "thread");
  finding.stack = stack(json);
  for (const Json& access : elements(json, "accesses")) {
    if (access.is_object()) finding.accesses.push_back(parse_access(access));
  }
  if (const auto object = json.find("object"); object != json.end() && object->is_object()) {
    finding.object = parse_object(*object);
  }
  for (const Json& thread : elements(json, "threads")) {
    if (thread.is_object()) finding.threads.push_back(parse_thread(thread));
  }
  for (const Json& thread : elements(json, "cycle")) {
    if (thread.is_string()) finding.cycle.push_back(thread.get<std::string>());
  }
  finding.events = number(json, "events");
  return finding;
}

bool is_bug(const Finding& finding) { return finding.kind != "limit" && finding.kind != "output"; }

Finding make_driver_finding(std::string kind, std::string_view cause, std::string message, std::uint64_t execution) {
  Finding finding;
  finding.key = base::hash_text(cause, base::hash_text(kind));
  finding.kind = std::move(kind);
  finding.message = std::move(message);
  finding.execution = execution;
  finding.count = 1;
  finding.recorded = false;
  return finding;
}

}  // namespace heddle::findings
