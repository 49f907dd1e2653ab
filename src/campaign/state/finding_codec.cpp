#include "campaign/state/finding_codec.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "campaign/state/bad_value.hpp"

namespace heddle::campaign {

namespace {

using Json = nlohmann::json;

template <typename T>
Json write(const T& value);
template <typename T>
void read(const Json& json, T& value);

// ---- the members, in any order ----------------------------------------------------------------------------------

template <typename Member>
void list_members(findings::Frame& frame, Member member) {
  member("function", frame.function);
  member("file", frame.file);
  member("line", frame.line);
  member("column", frame.column);
  member("module", frame.module);
  member("offset", frame.offset);
  member("inlined", frame.inlined);
  member("function_line", frame.function_line);
}

template <typename Member>
void list_members(findings::Stack& stack, Member member) {
  member("pcs", stack.pcs);
  member("frames", stack.frames);
}

template <typename Member>
void list_members(channel::FramePlace& place, Member member) {
  member("pc", place.pc);
  member("from_cfa", place.from_cfa);
  member("from_stack", place.from_stack);
}

template <typename Member>
void list_members(findings::DataAddress& address, Member member) {
  member("value", address.value);
  member("symbol", address.symbol);
  member("offset", address.offset);
  member("type", address.type);
  member("frame", address.frame);
}

template <typename Member>
void list_members(findings::Access& access, Member member) {
  member("kind", access.kind);
  member("size", access.size);
  member("order", access.order);
  member("thread", access.thread);
  member("address", access.address);
  member("stack", access.stack);
}

template <typename Member>
void list_members(findings::MemoryObject& object, Member member) {
  member("address", object.address);
  member("place", object.place);
  member("block", object.block);
  member("block_size", object.block_size);
  member("thread", object.thread);
  member("stack", object.stack);
}

template <typename Member>
void list_members(findings::ThreadState& thread, Member member) {
  member("thread", thread.thread);
  member("activity", thread.activity);
  member("what", thread.what);
  member("object", thread.object);
  member("held_by", thread.held_by);
  member("stack", thread.stack);
}

template <typename Member>
void list_members(channel::EarlyEnd& end, Member member) {
  member("kind", end.kind);
  member("nanoseconds", end.nanoseconds);
  member("place", end.place);
}

/// The path of the trace, variants and the explanation come after the campaign. The modules have served their purpose
/// when the finding has its names.
template <typename Member>
void list_members(findings::Finding& finding, Member member) {
  member("kind", finding.kind);
  member("limit", finding.limit);
  member("message", finding.message);
  member("message_names_kind", finding.message_names_kind);
  member("is_warning", finding.is_warning);
  member("exit_status", finding.exit_status);
  member("thread", finding.thread);
  member("stack", finding.stack);
  member("accesses", finding.accesses);
  member("object", finding.object);
  member("threads", finding.threads);
  member("cycle", finding.cycle);
  member("events", finding.events);
  member("graph_events", finding.graph_events);
  member("early_end", finding.early_end);
  member("races", finding.races);
  member("racy_sites", finding.racy_sites);
  member("key", finding.key);
  member("execution", finding.execution);
  member("count", finding.count);
  member("first_count", finding.first_count);
  member("is_timely", finding.is_timely);
  member("is_without_race", finding.is_without_race);
  member("strategy", finding.strategy);
  member("output", finding.output);
  member("decisions", finding.decisions);
  member("recorded", finding.recorded);
  member("is_suppressed", finding.is_suppressed);
  member("notes", finding.notes);
  member("has_names", finding.has_names);
}

template <typename Member>
void list_members(findings::Learnt::Part& part, Member member) {
  member("choice", part.choice);
  member("value", part.value);
  member("executions", part.executions);
  member("buggy", part.buggy);
  member("new_graphs", part.new_graphs);
}

template <typename Member>
void list_members(findings::Learnt::Length& length, Member member) {
  member("parameter", length.parameter);
  member("usual", length.usual);
  member("longest", length.longest);
}

template <typename Member>
void list_members(findings::Learnt& learnt, Member member) {
  member("parts", learnt.parts);
  member("lengths", learnt.lengths);
}

template <typename T>
concept Listed = requires(T& value) {
  list_members(value, [](const char*, auto&) {});
};

// ---- values -----------------------------------------------------------------------------------------------------

template <typename T>
Json write_value(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(write(value));
  return json;
}

template <typename T>
Json write_value(const std::optional<T>& value) {
  return value ? write(*value) : Json();
}

template <typename T>
Json write_value(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return static_cast<std::uint64_t>(value);
  else
    return value;
}

template <typename T>
void read_value(const Json& json, std::vector<T>& values) {
  if (!json.is_array()) throw BadValue{};
  for (const Json& element : json) read(element, values.emplace_back());
}

template <typename T>
void read_value(const Json& json, std::optional<T>& value) {
  if (!json.is_null()) read(json, value.emplace());
}

template <typename T>
void read_value(const Json& json, T& value) {
  if constexpr (std::is_enum_v<T>) {
    const auto number = json.get<std::uint64_t>();
    if (!json.is_number_unsigned() || number > static_cast<std::uint64_t>(channel::last_enumerator<T>))
      throw BadValue{};
    value = static_cast<T>(number);
  } else {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) throw BadValue{};
    } else if constexpr (std::is_unsigned_v<T>) {
      if (!json.is_number_unsigned()) throw BadValue{};
    }
    json.get_to(value);
  }
}

template <typename T>
Json write(const T& value) {
  if constexpr (Listed<T>) {
    Json json = Json::object();
    list_members(const_cast<T&>(value), [&](const char* name, const auto& member) { json[name] = write(member); });
    return json;
  } else {
    return write_value(value);
  }
}

template <typename T>
void read(const Json& json, T& value) {
  if constexpr (Listed<T>)
    list_members(value, [&](const char* name, auto& member) { read(json.at(name), member); });
  else
    read_value(json, value);
}

}  // namespace

nlohmann::json encode_finding(const findings::Finding& finding) { return write(finding); }

findings::Finding decode_finding(const nlohmann::json& json) {
  findings::Finding finding;
  read(json, finding);
  return finding;
}

nlohmann::json encode_learnt(const findings::Learnt& learnt) { return write(learnt); }

findings::Learnt decode_learnt(const nlohmann::json& json) {
  findings::Learnt learnt;
  read(json, learnt);
  return learnt;
}

}  // namespace heddle::campaign
