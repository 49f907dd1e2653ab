#include "report/json.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "findings/lasting_key.hpp"
#include "report/story.hpp"
#include "report/text.hpp"
#include "run/values.hpp"

namespace heddle::report {

namespace {

using Json = nlohmann::ordered_json;
using findings::DataAddress;
using findings::Finding;

Json stack_json(const findings::Stack& stack) {
  Json frames = Json::array();
  for (const findings::Frame& frame : stack.frames) {
    Json json = Json::object();
    if (!frame.function.empty()) json["function"] = json_text(frame.function);
    if (!frame.file.empty()) json["file"] = json_text(frame.file);
    if (frame.line != 0) json["line"] = frame.line;
    if (frame.column != 0) json["column"] = frame.column;
    if (!frame.module.empty()) {
      json["module"] = json_text(frame.module);
      json["pc"] = fmt::format("{:#x}", frame.offset);
    }
    if (frame.inlined) json["inlined"] = true;
    frames.push_back(std::move(json));
  }
  return frames;
}

void put_text(Json& json, const char* name, const std::string& value) {
  if (!value.empty()) json[name] = json_text(value);
}
void put_stack(Json& json, const findings::Stack& stack) {
  if (!stack.frames.empty()) json["stack"] = stack_json(stack);
}
void put_address(Json& json, const DataAddress& address) {
  if (address.symbol.empty()) return;
  json["symbol"] = json_text(address.symbol);
  json["offset"] = address.offset;
}

Json access_json(const findings::Access& access) {
  Json json = {{"what", channel::name_of(access.kind)}, {"size", access.size}};
  put_text(json, "order", order_name(access.order));
  put_text(json, "thread", access.thread);
  put_address(json, access.address);
  put_stack(json, access.stack);
  return json;
}

Json object_json(const findings::MemoryObject& object) {
  Json json = Json::object();
  put_text(json, "place", place_name(object.place));
  put_address(json, object.address);
  if (object.place == findings::Place::heap || object.place == findings::Place::mapped) {
    json["offset"] = object.address.value - object.block;
    json["block_size"] = object.block_size;
  }
  put_text(json, "thread", object.thread);
  put_stack(json, object.stack);
  return json;
}

/// Names the objects that threads wait for: by the variable, or by a number in the order of appearance.
class ObjectNames {
 public:
  std::string name(const DataAddress& address) {
    if (!address.symbol.empty()) {
      return address.offset == 0 ? json_text(address.symbol)
                                 : fmt::format("{}+{}", json_text(address.symbol), address.offset);
    }
    const auto number = numbers_.try_emplace(address.value, numbers_.size() + 1).first->second;
    return fmt::format("object {}", number);
  }

 private:
  std::map<std::uint64_t, std::size_t> numbers_;
};

Json threads_json(const Finding& finding) {
  Json threads = Json::array();
  ObjectNames names;
  for (const findings::ThreadState& thread : finding.threads) {
    Json json = Json::object();
    put_text(json, "thread", thread.thread);
    put_text(json, "state", state_text(thread));
    if (thread.object) json["object"] = names.name(*thread.object);
    put_text(json, "held_by", thread.held_by);
    put_stack(json, thread.stack);
    threads.push_back(std::move(json));
  }
  return threads;
}

/// The numbers of the calls in the set.
Json numbers_json(std::uint64_t set) {
  Json numbers = Json::array();
  for (unsigned i = 0; i < 64; ++i)
    if ((set >> i & 1) != 0) numbers.push_back(i);
  return numbers;
}

Json calls_json(const Finding& finding) {
  Json calls = Json::array();
  for (const findings::HistoryCall& call : finding.calls)
    calls.push_back({{"thread", json_text(call.thread)},
                     {"call", json_text(call.text)},
                     {"before", numbers_json(call.before)},
                     {"reasons", numbers_json(call.reasons)},
                     {"is_unexplained", call.is_unexplained}});
  return calls;
}

Json place_json(const findings::SourcePlace& place) {
  Json json = Json::object();
  put_text(json, "file", place.file);
  if (place.line != 0) json["line"] = place.line;
  if (place.column != 0) json["column"] = place.column;
  put_text(json, "function", place.function);
  return json;
}

Json counts_json(const findings::ExecutionCounts& counts) {
  Json json = {{"switches", counts.switches}, {"stale_reads", counts.stale_reads}, {"events", counts.events}};
  if (counts.threads != 0) json["threads"] = counts.threads;
  return json;
}

Json step_json(const findings::StoryStep& step) {
  Json json = {{"event", step.event}, {"text", json_text(step.text)}, {"operation", json_text(step.operation)}};
  put_text(json, "thread", step.thread);
  put_text(json, "variable", step.variable);
  put_text(json, "type", step.type);
  put_text(json, "order", step.order);
  put_text(json, "value", step.value);
  if (step.is_stale) json["stale"] = true;
  if (step.bytes) json["bytes"] = {{"offset", step.bytes->offset}, {"size", step.bytes->size}};
  json["place"] = place_json(step.place);
  return json;
}

Json fix_json(const findings::FixCheck& fix) {
  if (!fix.why_not.empty()) return {{"checked", false}, {"why_not", fix.why_not}};
  return {{"checked", true}, {"executions", fix.executions}, {"proved", fix.is_proved}};
}

Json explanation_json(const findings::Explanation& explanation) {
  if (!explanation.why_not.empty()) {
    Json json = {{"why_not", json_text(explanation.why_not)}};
    if (explanation.did_not_replay) json["did_not_replay"] = true;
    return json;
  }
  Json json = {{"nature", findings::name_of(explanation.nature)},
               {"diagnosis", json_text(diagnosis_text(explanation))},
               {"minimal", counts_json(explanation.counts)}};
  if (explanation.tries != 0) {
    json["before"] = counts_json(explanation.before);
    json["tries"] = explanation.tries;
    if (explanation.stopped_by_time) json["stopped_by_time"] = true;
  }
  json["steps"] = Json::array();
  for (const findings::StoryStep& step : explanation.steps) json["steps"].push_back(step_json(step));
  for (const findings::ModelVerdict& verdict : explanation.models)
    json["models"].push_back({{"model", verdict.model},
                              {"shows", verdict.shows},
                              {"proved", verdict.is_proved},
                              {"executions", verdict.executions}});
  put_text(json, "cause", explanation.cause);
  put_text(json, "advice", explanation.advice);
  for (const findings::SuggestedChange& change : explanation.changes)
    json["changes"].push_back({{"place", place_json(change.place)},
                               {"operation", json_text(change.operation)},
                               {"variable", json_text(change.variable)},
                               {"from", change.from},
                               {"to", change.to}});
  if (!explanation.changes.empty()) json["fix"] = fix_json(explanation.fix);
  return json;
}

Json finding_json(const Finding& finding) {
  Json json = {{"kind", channel::name_of(finding.kind)},
               {"key", fmt::format("{:016x}", finding.key)},
               {"lasting_key", findings::lasting_key_text(finding)},
               {"message", json_text(finding.message)},
               {"headline", json_text(headline(finding))},
               {"count", finding.count},
               {"first_execution", finding.execution}};
  // An address may differ from run to run; the message holds none.
  if (headline_shows_address(finding)) json["headline"] = json["message"];
  if (finding.kind == findings::FindingKind::exit_status) json["exit_status"] = finding.exit_status;
  if (finding.is_known) json["known"] = true;
  if (finding.is_warning) json["warning"] = true;
  put_text(json, "strategy", finding.strategy);
  put_text(json, "trace", finding.trace);
  put_text(json, "thread", finding.thread);
  put_stack(json, finding.stack);
  for (const findings::Access& access : finding.accesses) json["accesses"].push_back(access_json(access));
  if (finding.object) json["object"] = object_json(*finding.object);
  if (!finding.threads.empty()) json["threads"] = threads_json(finding);
  if (!finding.cycle.empty()) json["cycle"] = finding.cycle;
  if (!finding.calls.empty()) json["calls"] = calls_json(finding);
  for (const findings::Consequence& consequence : finding.leads_to)
    json["leads_to"].push_back({{"kind", channel::name_of(consequence.kind)},
                                {"key", fmt::format("{:016x}", consequence.key)},
                                {"message", json_text(consequence.message)},
                                {"count", consequence.count}});
  json["events"] = finding.events;
  put_text(json, "needs", early_end_text(finding));
  for (const std::string& note : finding.notes) json["notes"].push_back(json_text(note));
  for (const Finding& variant : finding.variants) json["variants"].push_back(finding_json(variant));
  if (finding.explanation) json["explanation"] = explanation_json(*finding.explanation);
  put_text(json, "output", finding.output);
  return json;
}

Json learnt_json(const findings::Learnt& learnt) {
  Json json = Json::object();
  for (const findings::Learnt::Length& length : learnt.lengths)
    json[length.parameter] = {{"usual", length.usual}, {"longest", length.longest}};
  for (const findings::Learnt::Part& part : learnt.parts) {
    json[part.choice].push_back({{"value", part.value},
                                 {"executions", part.executions},
                                 {"buggy", part.buggy},
                                 {"new_graphs", part.new_graphs}});
  }
  return json;
}

Json coverage_json(const findings::Coverage& coverage) {
  Json json = {{"over_time", Json::array()},
               {"last_new_graph", coverage.last_new_graph},
               {"buggy_graphs", coverage.buggy_graphs}};
  for (const findings::Coverage::Point& point : coverage.over_time)
    json["over_time"].push_back({{"executions", point.executions}, {"graphs", point.graphs}});
  if (!coverage.frequencies.empty()) {
    json["frequencies"] = coverage.frequencies;
    json["seen_once"] = coverage.seen_once;
    json["seen_twice"] = coverage.seen_twice;
  }
  if (coverage.reads_from_pairs) json["reads_from_pairs"] = *coverage.reads_from_pairs;
  if (coverage.mean_plan != 0) json["mean_plan_events"] = coverage.mean_plan;
  if (coverage.chance_of_new) json["chance_of_new_graph"] = *coverage.chance_of_new;
  if (coverage.unseen) json["unseen_graphs_at_least"] = *coverage.unseen;
  return json;
}

Json search_json(const findings::Search& search) {
  Json json = {{"executions", search.executions},
               {"graphs", search.graphs()},
               {"waiting", search.waiting},
               {"buggy", search.buggy},
               {"finished", search.is_finished}};
  put_text(json, "left_out", search.gaps.text());
  return json;
}

void put_specification(Json& json, const run::RunSpecification& specification) {
  for (const run::Field& field : run::fields()) {
    if ((field.uses & run::json) == 0) continue;
    Json& value = json[key_of(field)];
    switch (field.member.type) {
      case run::Type::number:
      case run::Type::size: value = field.member.get(specification); break;
      case run::Type::flag: value = field.member.get(specification) != 0; break;
      default: value = json_text(format_value(field, specification));
    }
  }
}

}  // namespace

std::string json_report(const findings::RunDescription& run, const findings::Results& results,
                        const std::string& version) {
  const findings::Statistics& s = results.statistics;
  Json args = Json::array();
  for (const std::string& argument : run.args) args.push_back(json_text(argument));
  Json json = {
      {"schema_version", schema_version}, {"version", version}, {"program", json_text(run.program)}, {"args", args}};
  put_specification(json, run.specification);
  if (!run.specification.shard.empty()) json["shard"] = json_text(run.specification.shard.c_str());
  json["isolation"] = run::isolation_name(results.isolation);  // what was used, not what was asked for
  put_text(json, "isolation_reason", results.isolation_reason);
  put_text(json, "warning", results.warning);
  // The exhaustive search counts complete executions, and meets no graph twice. Executions that a bound or a limit
  // ended are in cut_off only.
  const std::uint64_t complete = s.executions - s.blocked - s.cut_off;
  json["executions"] = results.is_exhaustive ? complete : s.executions;
  json["buggy"] = s.buggy;
  json["blocked"] = s.blocked;
  json["cut_off"] = s.cut_off;
  json["distinct_graphs"] = results.is_exhaustive ? complete : s.distinct_graphs;
  if (!results.is_exhaustive) json["graphs_hash"] = fmt::format("{:016x}", s.graphs_hash);
  json["events"] = s.events;
  json["escapes"] = s.escapes;
  if (!results.coverage.over_time.empty()) json["coverage"] = coverage_json(results.coverage);
  if (!results.learnt.parts.empty()) json["learnt"] = learnt_json(results.learnt);
  json["findings"] = Json::array();
  for (const Finding& finding : results.findings) json["findings"].push_back(finding_json(finding));
  for (const findings::Suppressed& entry : results.suppressed)
    json["suppressed"].push_back(
        {{"suppression", json_text(entry.suppression)}, {"findings", entry.findings}, {"times", entry.times}});
  if (results.findings_dropped != 0) json["findings_dropped"] = results.findings_dropped;
  for (const findings::ProgramOutput& output : results.outputs) {
    json["outputs"].push_back({{"execution", output.execution}, {"text", json_text(output.text)}});
  }
  if (results.interrupted) json["interrupted"] = true;
  put_text(json, "incomplete", results.incomplete);
  put_text(json, "stopped_by_limit", results.stopped_by_limit);
  if (results.clients.count != 0)
    json["clients"] = {{"count", results.clients.count}, {"bounds", json_text(results.clients.bounds)}};
  if (results.is_exhaustive) {
    json["all_explored"] = findings::is_all_explored(results);
    for (const std::string& sentence : results.bounds.sentences()) json["bounds"].push_back(sentence);
    json["estimate"] = {{"before", results.estimate}, {"total", findings::estimated_total(results)}};
    json["explored"] = results.explored;
    json["abandoned"] = results.abandoned;
    if (results.switches_explored) json["switches_explored"] = *results.switches_explored;
  }
  if (results.search.executions != 0) {
    json["all_explored"] = results.search.is_proof();
    json["search"] = search_json(results.search);
  }
  const findings::ProofGaps& gaps = results.is_exhaustive ? results.gaps : results.search.gaps;
  const bool is_finished =
      results.is_exhaustive ? results.search_finished && s.cut_off == 0 : results.search.is_finished;
  if (is_finished)
    for (const std::string& sentence : gaps.sentences()) json["no_proof"].push_back(json_text(sentence));
  put_text(json, "failure", results.failure);
  json["seconds"] = s.seconds;
  json["rate"] = s.rate();
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::report
