#include "campaign/state/state_codec.hpp"

#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "campaign/state/bad_value.hpp"
#include "campaign/state/finding_codec.hpp"

namespace heddle::campaign {

using Json = nlohmann::json;

std::uint64_t read_number(const Json& json) {
  if (!json.is_number_unsigned()) throw BadValue{};
  return json.get<std::uint64_t>();
}

namespace {

/// A list of numbers as bytes: there may be millions.
class Words {
 public:
  void add(std::uint64_t word) {
    for (std::size_t i = 0; i < sizeof word; ++i) bytes_.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  }
  Json json() && { return Json::binary(std::move(bytes_)); }

 private:
  std::vector<std::uint8_t> bytes_;
};

class WordReader {
 public:
  /// The list has a multiple of `group` numbers.
  WordReader(const Json& json, std::size_t group) : bytes_(json.get_binary()) {
    if (bytes_.size() % (group * sizeof(std::uint64_t)) != 0) throw BadValue{};
  }
  bool is_at_end() const { return at_ == bytes_.size(); }
  std::size_t left() const { return (bytes_.size() - at_) / sizeof(std::uint64_t); }
  std::uint64_t next() {
    if (left() == 0) throw BadValue{};
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < sizeof word; ++i) word |= std::uint64_t{bytes_[at_++]} << (8 * i);
    return word;
  }

 private:
  const Json::binary_t& bytes_;
  std::size_t at_ = 0;
};

Json counters_json(const Counters& counters) {
  return {counters.executions, counters.buggy, counters.blocked, counters.cut_off, counters.events, counters.escapes};
}

Counters read_counters(const Json& json) {
  const auto at = [&](std::size_t i) { return read_number(json.at(i)); };
  return {at(0), at(1), at(2), at(3), at(4), at(5)};
}

Json findings_json(const std::vector<findings::Finding>& findings) {
  Json json = Json::array();
  for (const findings::Finding& finding : findings) json.push_back(encode_finding(finding));
  return json;
}

std::vector<findings::Finding> read_findings(const Json& json) {
  std::vector<findings::Finding> findings;
  for (const Json& finding : json) findings.push_back(decode_finding(finding));
  return findings;
}

Json corpus_json(const CorpusSummary& corpus) {
  Words graphs, pairs;
  for (const CorpusSummary::Graph& graph : corpus.graphs) {
    graphs.add(graph.hash);
    graphs.add(graph.count);
  }
  for (const std::uint64_t pair : corpus.pairs) pairs.add(pair);
  return {{"exists", corpus.exists},
          {"graphs", std::move(graphs).json()},
          {"pairs", std::move(pairs).json()},
          {"plans", corpus.plans},
          {"planned_events", corpus.planned_events}};
}

CorpusSummary read_corpus(const Json& json) {
  CorpusSummary corpus;
  json.at("exists").get_to(corpus.exists);
  for (WordReader words(json.at("graphs"), 2); !words.is_at_end();) {
    const std::uint64_t hash = words.next();
    corpus.graphs.push_back({hash, words.next()});
  }
  for (WordReader words(json.at("pairs"), 1); !words.is_at_end();) corpus.pairs.push_back(words.next());
  corpus.plans = read_number(json.at("plans"));
  corpus.planned_events = read_number(json.at("planned_events"));
  return corpus;
}

Json outputs_json(const std::vector<findings::ProgramOutput>& outputs) {
  Json json = Json::array();
  for (const findings::ProgramOutput& output : outputs)
    json.push_back({{"execution", output.execution}, {"text", output.text}, {"decisions", output.decisions}});
  return json;
}

Json graphs_json(const std::vector<channel::GraphRecord>& records) {
  Words graphs;
  for (const channel::GraphRecord& record : records) {
    graphs.add(record.hash);
    graphs.add(record.execution);
    graphs.add(record.count << 1 | (record.is_buggy & 1));
  }
  return std::move(graphs).json();
}

std::vector<channel::GraphRecord> read_graphs(const Json& json) {
  std::vector<channel::GraphRecord> records;
  for (WordReader words(json, 3); !words.is_at_end();) {
    channel::GraphRecord record{words.next(), words.next(), 0, 0};
    const std::uint64_t count = words.next();
    record.count = count >> 1;
    record.is_buggy = count & 1;
    records.push_back(record);
  }
  return records;
}

Json gaps_json(const findings::ProofGaps& gaps) { return {{"set", gaps.set.bits()}, {"code", gaps.code}}; }

findings::ProofGaps read_gaps(const Json& json) {
  findings::ProofGaps gaps;
  gaps.set = channel::ProofGaps(static_cast<std::uint32_t>(read_number(json.at("set"))));
  json.at("code").get_to(gaps.code);
  return gaps;
}

Json search_json(const findings::Search& search) {
  return {{"executions", search.executions},
          {"waiting", search.waiting},
          {"buggy", search.buggy},
          {"is_finished", search.is_finished},
          {"gaps", gaps_json(search.gaps)}};
}

findings::Search read_search(const Json& json) {
  findings::Search search;
  search.executions = read_number(json.at("executions"));
  search.waiting = read_number(json.at("waiting"));
  search.buggy = read_number(json.at("buggy"));
  json.at("is_finished").get_to(search.is_finished);
  search.gaps = read_gaps(json.at("gaps"));
  return search;
}

Json sampled_json(const SampledState& state) {
  return {{"counters", counters_json(state.counters)},
          {"findings", findings_json(state.findings)},
          {"outputs", outputs_json(state.outputs)},
          {"graphs", graphs_json(state.graphs)},
          {"search", search_json(state.search)},
          {"searched", graphs_json(state.searched)},
          {"isolation", static_cast<std::uint64_t>(state.isolation)},
          {"isolation_reason", state.isolation_reason},
          {"warning", state.warning},
          {"gaps", gaps_json(state.gaps)},
          {"findings_dropped", state.findings_dropped},
          {"learnt", encode_learnt(state.learnt)},
          {"corpus", corpus_json(state.corpus)}};
}

SampledState read_sampled(const Json& json) {
  SampledState state;
  state.counters = read_counters(json.at("counters"));
  state.findings = read_findings(json.at("findings"));
  for (const Json& output : json.at("outputs"))
    state.outputs.push_back({read_number(output.at("execution")), output.at("text").get<std::string>(),
                             output.at("decisions").get<std::string>()});
  state.graphs = read_graphs(json.at("graphs"));
  state.search = read_search(json.at("search"));
  state.searched = read_graphs(json.at("searched"));
  const std::uint64_t isolation = read_number(json.at("isolation"));
  if (isolation > static_cast<std::uint64_t>(run::Isolation::fork)) throw BadValue{};
  state.isolation = static_cast<run::Isolation>(isolation);
  json.at("isolation_reason").get_to(state.isolation_reason);
  json.at("warning").get_to(state.warning);
  state.gaps = read_gaps(json.at("gaps"));
  state.findings_dropped = read_number(json.at("findings_dropped"));
  state.learnt = decode_learnt(json.at("learnt"));
  state.corpus = read_corpus(json.at("corpus"));
  return state;
}

using SumWords = std::array<std::uint64_t, base::ExactSum::size>;

Json unit_json(const SearchUnit& unit) {
  Words explored;
  for (const std::uint64_t word : std::bit_cast<SumWords>(unit.part.explored)) explored.add(word);
  return {{"number", unit.number},
          {"counters", counters_json(unit.part.counters)},
          {"runs", unit.part.runs},
          {"abandoned", unit.part.abandoned},
          {"dropped", unit.part.dropped},
          {"explored", std::move(explored).json()},
          {"findings", findings_json(unit.part.findings)},
          {"is_explored", unit.is_explored},
          {"is_cut", unit.is_cut},
          {"failure", unit.failure}};
}

SearchUnit read_unit(const Json& json) {
  SearchUnit unit;
  unit.number = read_number(json.at("number"));
  unit.part.counters = read_counters(json.at("counters"));
  unit.part.runs = read_number(json.at("runs"));
  unit.part.abandoned = read_number(json.at("abandoned"));
  unit.part.dropped = read_number(json.at("dropped"));
  WordReader words(json.at("explored"), std::tuple_size_v<SumWords>);
  SumWords sum{};
  for (std::uint64_t& word : sum) word = words.next();
  if (!words.is_at_end()) throw BadValue{};
  unit.part.explored = std::bit_cast<base::ExactSum>(sum);
  unit.part.findings = read_findings(json.at("findings"));
  json.at("is_explored").get_to(unit.is_explored);
  json.at("is_cut").get_to(unit.is_cut);
  json.at("failure").get_to(unit.failure);
  return unit;
}

Json bytes_json(const std::string& bytes) { return Json::binary({bytes.begin(), bytes.end()}); }

std::string read_bytes(const Json& json) {
  const Json::binary_t& bytes = json.get_binary();
  return {bytes.begin(), bytes.end()};
}

Json task_json(const SavedTask& task) {
  Words gifts;
  for (const channel::GiftRecord& gift : task.gifts) {
    gifts.add(gift.runs);
    gifts.add(gift.least);
  }
  return {{"result", unit_json(task.result)}, {"is_over", task.is_over}, {"bytes", bytes_json(task.bytes)},
          {"gifts", std::move(gifts).json()}, {"share", task.share},     {"limit", task.limit}};
}

SavedTask read_task(const Json& json) {
  SavedTask task;
  task.result = read_unit(json.at("result"));
  json.at("is_over").get_to(task.is_over);
  task.bytes = read_bytes(json.at("bytes"));
  for (WordReader words(json.at("gifts"), 2); !words.is_at_end();) {
    const std::uint64_t runs = words.next();
    task.gifts.push_back({runs, words.next()});
  }
  json.at("share").get_to(task.share);
  task.limit = read_number(json.at("limit"));
  if (task.bytes.size() > channel::task_capacity ||
      task.gifts.size() > channel::task_gifts_capacity / sizeof(channel::GiftRecord))
    throw BadValue{};
  return task;
}

Json resume_json(const std::optional<ResumePoint>& point) {
  if (!point) return {};
  Json tasks = Json::array();
  for (const SavedTask& task : point->tasks) tasks.push_back(task_json(task));
  return {{"next", point->next},
          {"end", point->end},
          {"has_searched", point->has_searched},
          {"search", point->search},
          {"racy_sites", point->racy_sites},
          {"rounds", bytes_json(point->rounds)},
          {"is_estimated", point->is_estimated},
          {"has_begun_again", point->has_begun_again},
          {"tasks", std::move(tasks)}};
}

std::optional<ResumePoint> read_resume(const Json& json) {
  if (json.is_null()) return {};
  ResumePoint point;
  point.next = read_number(json.at("next"));
  point.end = read_number(json.at("end"));
  json.at("has_searched").get_to(point.has_searched);
  json.at("search").get_to(point.search);
  json.at("racy_sites").get_to(point.racy_sites);
  point.rounds = read_bytes(json.at("rounds"));
  json.at("is_estimated").get_to(point.is_estimated);
  json.at("has_begun_again").get_to(point.has_begun_again);
  for (const Json& task : json.at("tasks")) point.tasks.push_back(read_task(task));
  return point;
}

}  // namespace

nlohmann::json encode_state(const CampaignState& state) {
  Json units = Json::array();
  for (const SearchUnit& unit : state.units) units.push_back(unit_json(unit));
  return {{"sampled", sampled_json(state.sampled)},
          {"is_exhaustive", state.is_exhaustive},
          {"estimate", state.estimate},
          {"unit_count", state.unit_count},
          {"units", std::move(units)},
          {"interrupted", state.interrupted},
          {"stopped_by_limit", state.stopped_by_limit},
          {"failure", state.failure},
          {"seconds", state.seconds},
          {"resume", resume_json(state.resume)}};
}

CampaignState decode_state(const nlohmann::json& json) {
  CampaignState state;
  state.sampled = read_sampled(json.at("sampled"));
  json.at("is_exhaustive").get_to(state.is_exhaustive);
  json.at("estimate").get_to(state.estimate);
  state.unit_count = read_number(json.at("unit_count"));
  for (const Json& unit : json.at("units")) state.units.push_back(read_unit(unit));
  json.at("interrupted").get_to(state.interrupted);
  json.at("stopped_by_limit").get_to(state.stopped_by_limit);
  json.at("failure").get_to(state.failure);
  json.at("seconds").get_to(state.seconds);
  state.resume = read_resume(json.at("resume"));
  return state;
}

}  // namespace heddle::campaign
