#include "report/sarif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "findings/lasting_key.hpp"
#include "report/places.hpp"
#include "report/sarif_parts.hpp"
#include "report/story.hpp"
#include "report/text.hpp"
#include "run/values.hpp"

namespace heddle::report {

namespace {

using Json = SarifJson;
using findings::Finding;
using findings::FindingKind;

std::string text(const std::string& bytes) { return printable(bytes, Controls::escape); }
Json message(const std::string& bytes) { return sarif_message(bytes); }

const char* description_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::race: return "Two threads access the same memory, one of them writes, and nothing orders them.";
    case FindingKind::assertion: return "An assertion of the program failed.";
    case FindingKind::crash: return "The program crashed.";
    case FindingKind::deadlock: return "Threads wait for each other, and none can continue.";
    case FindingKind::livelock: return "Threads run, but none makes progress.";
    case FindingKind::use_after_free: return "Memory is accessed after it was freed.";
    case FindingKind::double_free: return "Memory is freed twice.";
    case FindingKind::leak: return "Memory is still allocated at the end.";
    case FindingKind::stack_overflow: return "The stack of a thread is full.";
    case FindingKind::uncaught_exception: return "An exception left a thread.";
    case FindingKind::exit_status: return "The program ended with an exit status other than 0.";
    case FindingKind::lock_order: return "Threads take the same locks in different orders, so that they may deadlock.";
    case FindingKind::descriptor_race:
      return "A file descriptor is closed while another thread may use it, and nothing orders the two.";
    case FindingKind::thread_leak: return "A thread is neither joined nor detached.";
    case FindingKind::signal_unsafe: return "A signal handler calls a function that is not safe there.";
    case FindingKind::signal_errno: return "A signal handler changes errno.";
    case FindingKind::linearizability: return "No order of the calls of a data structure explains what they returned.";
    case FindingKind::limit: return "An execution reached a limit and was not run to its end.";
    default: return "The program misused a function or an object.";
  }
}

class Writer {
 public:
  Writer(const findings::RunDescription& run, const findings::Results& results, const std::string& folder)
      : run_(run), results_(results), folder_(folder) {}

  std::string write(const std::string& version) {
    Json results = Json::array();
    for (const Finding& finding : results_.findings)
      if (channel::is_bug(finding.kind)) results.push_back(result(finding));
    Json rules = Json::array();
    for (const FindingKind kind : rules_)
      rules.push_back({{"id", channel::name_of(kind)},
                       {"shortDescription", message(description_of(kind))},
                       {"defaultConfiguration", {{"level", "error"}}}});
    return sarif_log(std::move(rules), invocation(), std::move(results), version, folder_);
  }

 private:
  Json invocation() const {
    std::string command = "heddle test " + shell_word(run_.program);
    Json arguments = Json::array({text(run_.program)});
    for (const std::string& argument : run_.args) {
      command += " " + shell_word(argument);
      arguments.push_back(text(argument));
    }
    Json json = {{"executionSuccessful", results_.failure.empty()},
                 {"commandLine", text(command)},
                 {"arguments", arguments},
                 {"workingDirectory", {{"uri", "file://" + uri_path(folder_ + "/")}}}};
    Json notes = Json::array();
    const auto note = [&](const char* level, const std::string& what) {
      if (!what.empty()) notes.push_back({{"level", level}, {"message", message(what)}});
    };
    note("error", results_.failure);
    note("warning", results_.warning);
    note("warning", results_.incomplete);
    note("warning", results_.stopped_by_limit);
    for (const Finding& finding : results_.findings)
      if (finding.kind == FindingKind::limit) note("warning", headline(finding) + limit_advice(finding));
    if (!notes.empty()) json["toolExecutionNotifications"] = notes;
    return json;
  }

  Json physical(const std::string& file, unsigned line, unsigned column) const {
    return sarif_location(file, line, column, folder_);
  }

  Json location(const SourcePlace& place) const {
    Json json = {{"physicalLocation", physical(place.file, place.line, place.column)}};
    if (!place.function.empty())
      json["logicalLocations"] = Json::array({{{"fullyQualifiedName", text(place.function)}, {"kind", "function"}}});
    if (!place.what.empty()) json["message"] = message(place.what);
    return json;
  }

  void add_stack(Json& stacks, const findings::Stack& stack, const std::string& what) const {
    Json frames = Json::array();
    for (const findings::Frame& frame : stack.frames) {
      Json place = Json::object();
      if (!frame.file.empty() && frame.line != 0)
        place["physicalLocation"] = physical(frame.file, frame.line, frame.column);
      if (!frame.function.empty())
        place["logicalLocations"] = Json::array({{{"fullyQualifiedName", text(frame.function)}}});
      Json json = {{"location", place}};
      if (!frame.module.empty()) json["module"] = text(frame.module);
      frames.push_back(json);
    }
    if (!frames.empty()) stacks.push_back({{"message", message(what)}, {"frames", frames}});
  }

  Json stacks(const Finding& finding) const {
    Json json = Json::array();
    for (const findings::Access& access : finding.accesses)
      add_stack(json, access.stack, fmt::format("{} by thread {}", access_text(access), access.thread));
    add_stack(json, finding.stack, fmt::format("thread {}", finding.thread));
    for (const findings::ThreadState& thread : finding.threads)
      add_stack(json, thread.stack, fmt::format("thread {} {}", thread.thread, state_text(thread)));
    return json;
  }

  /// The story of the finding: a flow for each thread, whose steps have their place in the order of execution.
  Json code_flow(const findings::Explanation& explanation) const {
    Json flows = Json::array();
    for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
      const findings::StoryStep& step = explanation.steps[i];
      Json place = Json::object();
      if (!step.place.file.empty() && step.place.line != 0)
        place = location({step.place.file, step.place.line, step.place.column, step.place.function, {}});
      place["message"] = message(step.thread + " " + step.text);
      const auto of_thread = [&](const Json& flow) { return flow["id"] == text(step.thread); };
      auto flow = std::find_if(flows.begin(), flows.end(), of_thread);
      if (flow == flows.end())
        flow = flows.insert(flows.end(), Json{{"id", text(step.thread)}, {"locations", Json::array()}});
      (*flow)["locations"].push_back({{"location", place}, {"executionOrder", i + 1}});
    }
    std::string cause = explanation.cause;
    if (!explanation.advice.empty()) cause += (cause.empty() ? "" : "; ") + fix_text(explanation);
    Json json = {{"threadFlows", flows}};
    if (!cause.empty()) json["message"] = message(cause);
    return json;
  }

  std::size_t rule(FindingKind kind) {
    for (std::size_t i = 0; i < rules_.size(); ++i)
      if (rules_[i] == kind) return i;
    rules_.push_back(kind);
    return rules_.size() - 1;
  }

  Json result(const Finding& finding) {
    const std::string headline_text =
        headline_shows_address(finding) ? finding.message : headline(finding);  // the same in every run
    Json json = {{"ruleId", channel::name_of(finding.kind)},
                 {"ruleIndex", rule(finding.kind)},
                 {"level", finding.is_warning ? "warning" : "error"},
                 {"message", message(headline_text)},
                 {"partialFingerprints",
                  {{"heddle/v1", fmt::format("{:016x}", finding.key)},
                   {"heddleLasting/v1", findings::lasting_key_text(finding)}}}};
    if (results_.has_baseline) json["baselineState"] = finding.is_known ? "unchanged" : "new";
    if (finding.count != 0) json["occurrenceCount"] = finding.count;
    if (const auto place = place_of(finding)) json["locations"] = Json::array({location(*place)});
    Json related = Json::array();
    for (const SourcePlace& place : related_places(finding)) {
      related.push_back(location(place));
      related.back()["id"] = related.size();
    }
    if (!related.empty()) json["relatedLocations"] = related;
    if (Json list = stacks(finding); !list.empty()) json["stacks"] = list;
    if (finding.explanation && !finding.explanation->steps.empty())
      json["codeFlows"] = Json::array({code_flow(*finding.explanation)});
    if (finding.is_suppressed) json["suppressions"] = Json::array({{{"kind", "external"}}});
    Json properties = {{"executions", results_.statistics.executions}, {"firstExecution", finding.execution}};
    if (!finding.strategy.empty()) properties["strategy"] = text(finding.strategy);
    if (!finding.trace.empty()) {
      properties["trace"] = text(finding.trace);
      properties["replay"] = text("heddle replay " + shell_word(finding.trace));
    }
    json["properties"] = properties;
    return json;
  }

  const findings::RunDescription& run_;
  const findings::Results& results_;
  const std::string& folder_;
  std::vector<FindingKind> rules_;
};

}  // namespace

std::string sarif_report(const findings::RunDescription& run, const findings::Results& results,
                         const std::string& version, const std::string& folder) {
  return Writer(run, results, folder).write(version);
}

}  // namespace heddle::report
