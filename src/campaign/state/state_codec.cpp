#include "campaign/state/state_codec.hpp"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "campaign/state/bad_value.hpp"

template <>
inline constexpr heddle::run::Isolation heddle::channel::last_enumerator<heddle::run::Isolation> =
    heddle::run::Isolation::fork;

namespace heddle::campaign {

using Json = nlohmann::json;

namespace {

// ---- the members of each type, once for the writer and the reader ------------------------------------------------
// Types that are not here have a function code() of the same kind, because the channel needs it, too.

/// A list of numbers, or of structures of numbers, as bytes: there may be millions.
template <typename T>
struct Packed {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);
  static_assert(std::endian::native == std::endian::little);
  std::vector<T>& values;
};
struct Bytes {
  std::string& text;
};

void list(auto& coder, findings::Frame& frame) {
  coder("function", frame.function)("file", frame.file)("line", frame.line)("column", frame.column);
  coder("module", frame.module)("offset", frame.offset)("inlined", frame.inlined);
  coder("function_line", frame.function_line);
}

void list(auto& coder, findings::Stack& stack) { coder("pcs", stack.pcs)("frames", stack.frames); }

void list(auto& coder, findings::DataAddress& address) {
  coder("value", address.value)("symbol", address.symbol)("offset", address.offset);
  coder("type", address.type)("frame", address.frame);
}

/// The path of the trace, variants and the explanation come after the campaign. The modules are of no use when the
/// finding has its names.
void list(auto& coder, findings::Finding& finding) {
  static_cast<findings::FindingHead&>(finding).code(coder);
  coder("stack", finding.stack)("accesses", finding.accesses)("object", finding.object)("threads", finding.threads);
  coder("cycle", finding.cycle)("calls", finding.calls)("output", finding.output)("decisions", finding.decisions)(
      "races", finding.races);
  coder("racy_sites", finding.racy_sites)("key", finding.key)("execution", finding.execution);
  coder("count", finding.count)("first_count", finding.first_count)("is_timely", finding.is_timely);
  coder("is_without_race", finding.is_without_race)("strategy", finding.strategy)("recorded", finding.recorded);
  coder("is_suppressed", finding.is_suppressed)("notes", finding.notes)("has_names", finding.has_names);
}

void list(auto& coder, findings::Learnt::Part& part) {
  coder("choice", part.choice)("value", part.value)("executions", part.executions)("buggy", part.buggy);
  coder("new_graphs", part.new_graphs);
}

void list(auto& coder, findings::Learnt::Length& length) {
  coder("parameter", length.parameter)("usual", length.usual)("longest", length.longest);
}

void list(auto& coder, findings::Learnt& learnt) { coder("parts", learnt.parts)("lengths", learnt.lengths); }

void list(auto& coder, Counters& counters) {
  coder("executions", counters.executions)("buggy", counters.buggy)("blocked", counters.blocked);
  coder("cut_off", counters.cut_off)("events", counters.events)("escapes", counters.escapes);
}

void list(auto& coder, CorpusSummary& corpus) {
  coder("exists", corpus.exists)("graphs", Packed{corpus.graphs})("pairs", Packed{corpus.pairs});
  coder("plans", corpus.plans)("planned_events", corpus.planned_events);
}

void list(auto& coder, findings::ProgramOutput& output) {
  coder("execution", output.execution)("text", output.text)("decisions", output.decisions);
}

void list(auto& coder, findings::ProofGaps& gaps) { coder("set", gaps.set)("code", gaps.code); }

void list(auto& coder, findings::Search& search) {
  coder("executions", search.executions)("waiting", search.waiting)("buggy", search.buggy);
  coder("is_finished", search.is_finished)("gaps", search.gaps);
}

void list(auto& coder, SampledState& state) {
  coder("counters", state.counters)("findings", state.findings)("outputs", state.outputs);
  coder("graphs", state.graphs)("search", state.search)("searched", state.searched);
  coder("isolation", state.isolation)("isolation_reason", state.isolation_reason)("warning", state.warning);
  coder("gaps", state.gaps)("bounds", state.bounds)("findings_dropped", state.findings_dropped)("learnt", state.learnt);
  coder("corpus", state.corpus);
}

void list(auto& coder, SearchPart& part) {
  coder("counters", part.counters)("runs", part.runs)("abandoned", part.abandoned)("dropped", part.dropped);
  coder("explored", part.explored)("findings", part.findings);
}

void list(auto& coder, SearchUnit& unit) {
  coder("number", unit.number)("part", unit.part)("is_explored", unit.is_explored)("is_cut", unit.is_cut);
  coder("failure", unit.failure);
}

void list(auto& coder, SavedTask& task) {
  coder("result", task.result)("is_over", task.is_over)("bytes", Bytes{task.bytes})("gifts", Packed{task.gifts});
  coder("share", task.share)("limit", task.limit);
}

void list(auto& coder, ResumePoint& point) {
  coder("next", point.next)("end", point.end)("searches", point.searches)("search", point.search);
  coder("racy_sites", point.racy_sites)("rounds", Bytes{point.rounds})("is_estimated", point.is_estimated);
  coder("has_begun_again", point.has_begun_again)("tasks", point.tasks);
}

void list(auto& coder, CampaignState& state) {
  coder("sampled", state.sampled)("is_exhaustive", state.is_exhaustive)("estimate", state.estimate);
  coder("unit_count", state.unit_count)("units", state.units)("interrupted", state.interrupted);
  coder("stopped_by_limit", state.stopped_by_limit)("failure", state.failure)("seconds", state.seconds);
  coder("resume", state.resume);
}

// ---- values -----------------------------------------------------------------------------------------------------

struct Writer;
struct Reader;
template <typename T>
concept Listed = requires(T& value, Reader& reader) {
  list(reader, value);
};
template <typename T>
concept Coded = requires(T& value, Reader& reader) {
  value.code(reader);
};

template <typename T>
Json write(T& value);
template <typename T>
void read(const Json& json, T& value);

struct Writer {
  Json& json;

  template <typename Member>
  Writer& operator()(const char* name, Member&& member) {
    json[name] = write(member);
    return *this;
  }
};

struct Reader {
  const Json& json;

  template <typename Member>
  Reader& operator()(const char* name, Member&& member) {
    read(json.at(name), member);
    return *this;
  }
};

Json write_value(Bytes& bytes) { return Json::binary({bytes.text.begin(), bytes.text.end()}); }
void read_value(const Json& json, Bytes& bytes) {
  bytes.text.assign(json.get_binary().begin(), json.get_binary().end());
}

template <typename T>
Json write_value(Packed<T>& packed) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(packed.values.data());
  return Json::binary({bytes, bytes + packed.values.size() * sizeof(T)});
}
template <typename T>
void read_value(const Json& json, Packed<T>& packed) {
  const Json::binary_t& bytes = json.get_binary();
  if (bytes.size() % sizeof(T) != 0) throw BadValue{};
  packed.values.resize(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(packed.values.data(), bytes.data(), bytes.size());
}

Json write_value(base::ExactSum& sum) {
  std::vector<base::ExactSum> sums{sum};
  Packed packed{sums};
  return write_value(packed);
}
void read_value(const Json& json, base::ExactSum& sum) {
  std::vector<base::ExactSum> sums;
  Packed packed{sums};
  read_value(json, packed);
  if (sums.size() != 1) throw BadValue{};
  sum = sums[0];
}

/// Three numbers a graph.
struct PackedGraph {
  std::uint64_t hash, execution, count_and_bug;
};
Json write_value(std::vector<channel::GraphRecord>& graphs) {
  std::vector<PackedGraph> packed;
  for (const auto& graph : graphs)
    packed.push_back({graph.hash, graph.execution, graph.count << 1 | (graph.is_buggy & 1)});
  Packed list{packed};
  return write_value(list);
}
void read_value(const Json& json, std::vector<channel::GraphRecord>& graphs) {
  std::vector<PackedGraph> all;
  Packed packed{all};
  read_value(json, packed);
  for (const auto& [hash, execution, count_and_bug] : all)
    graphs.push_back({hash, execution, count_and_bug >> 1, count_and_bug & 1});
}

template <typename T>
Json write_value(std::vector<T>& values) {
  Json json = Json::array();
  for (T& value : values) json.push_back(write(value));
  return json;
}
template <typename T>
void read_value(const Json& json, std::vector<T>& values) {
  if (!json.is_array()) throw BadValue{};
  for (const Json& element : json) read(element, values.emplace_back());
}

template <typename T>
Json write_value(std::optional<T>& value) {
  return value ? write(*value) : Json();
}
template <typename T>
void read_value(const Json& json, std::optional<T>& value) {
  if (!json.is_null()) read(json, value.emplace());
}

Json write_value(channel::ProofGaps& gaps) { return gaps.bits(); }
void read_value(const Json& json, channel::ProofGaps& gaps) {
  gaps = channel::ProofGaps(static_cast<std::uint32_t>(read_number(json)));
}

template <typename T>
Json write_value(T& value) {
  if constexpr (std::is_enum_v<T>)
    return static_cast<std::uint64_t>(value);
  else
    return value;
}
template <typename T>
void read_value(const Json& json, T& value) {
  if constexpr (std::is_enum_v<T>) {
    const std::uint64_t number = read_number(json);
    if (number > static_cast<std::uint64_t>(channel::last_enumerator<T>)) throw BadValue{};
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
Json write(T& value) {
  Json json = Json::object();
  Writer writer{json};
  if constexpr (Listed<T>)
    list(writer, value);
  else if constexpr (Coded<T>)
    value.code(writer);
  else
    return write_value(value);
  return json;
}

template <typename T>
void read(const Json& json, T& value) {
  Reader reader{json};
  if constexpr (Listed<T>)
    list(reader, value);
  else if constexpr (Coded<T>)
    value.code(reader);
  else
    read_value(json, value);
}

}  // namespace

std::uint64_t read_number(const Json& json) {
  if (!json.is_number_unsigned()) throw BadValue{};
  return json.get<std::uint64_t>();
}

Json encode_state(const CampaignState& state) { return write(const_cast<CampaignState&>(state)); }

CampaignState decode_state(const Json& json) {
  CampaignState state;
  read(json, state);
  if (!state.resume) return state;
  for (const SavedTask& task : state.resume->tasks)
    if (task.bytes.size() > channel::task_capacity ||
        task.gifts.size() > channel::task_gifts_capacity / sizeof(channel::GiftRecord))
      throw BadValue{};
  return state;
}

}  // namespace heddle::campaign
