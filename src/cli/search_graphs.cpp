#include "cli/search_graphs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "campaign/output_folder.hpp"
#include "cli/replay_run.hpp"
#include "findings/symbolizer.hpp"
#include "picture/drawing.hpp"
#include "report/text.hpp"
#include "trace/atomic_file.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;
using findings::Finding;

class GraphShower {
 public:
  GraphShower(const campaign::Settings& settings, const findings::Results& results)
      : settings_(settings), isolation_(results.isolation) {}

  /// The graph of the finding's execution.
  Result<picture::Picture> picture_of(const Finding& finding) const {
    const auto trace =
        trace::decode_trace(trace::encode_trace(campaign::make_trace(settings_, isolation_, finding)), "");
    if (!trace) return trace.problem();
    auto replay = replay_settings(*trace, "the trace", settings_.program.path);
    if (!replay) return replay.problem();
    replay->program_name = settings_.program_name;
    const auto repeated = replay_with_log(*replay);
    if (!repeated) return repeated.problem();
    if (!repeated->log.log) return test_problem(fmt::format("an execution cannot be drawn: {}", repeated->log.why_not));
    return picture::make_picture(finding, *repeated->log.log);
  }

  Outcome write(const picture::Picture& picture, const std::string& title, const std::string& name) const {
    std::error_code error;
    const fs::path folder(settings_.run.dot.c_str());
    fs::create_directories(folder, error);
    if (error) return test_problem(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
    const picture::DrawingOptions options{title, {picture::Relation::rf, picture::Relation::mo}, true};
    return write_file_atomically((folder / name).string(), picture::dot(picture, options));
  }

 private:
  const campaign::Settings& settings_;
  run::Isolation isolation_;
};

std::string program_name(const campaign::Settings& settings) {
  return fs::path(settings.program.path).filename().string();
}

}  // namespace

Result<std::string> show_graphs(const campaign::Settings& settings, findings::Results& results) {
  const run::RunSpecification& run = settings.run;
  const GraphShower shower(settings, results);
  std::string text;
  std::uint64_t number = 0;
  const bool draws_all = !run.dot.empty() && run.dot_graphs == run::DotGraphs::all;
  for (const findings::ProgramOutput& output : results.outputs) {
    ++number;
    if (number > run.print_graphs && !draws_all) break;
    Finding execution;
    execution.kind = findings::FindingKind::output;
    execution.execution = output.execution;
    execution.decisions = output.decisions;
    const auto picture = shower.picture_of(execution);
    if (!picture) return picture.problem();
    const std::string title = fmt::format("heddle: graph {}, of execution {}", number, output.execution);
    if (number <= run.print_graphs) text += picture::listing(*picture, title);
    if (!draws_all) continue;
    if (auto problem = shower.write(*picture, title, fmt::format("{}-graph-{}.dot", program_name(settings), number)))
      return *problem;
  }
  for (const Finding& finding : results.findings) {
    if (run.dot.empty() || !finding.recorded) continue;
    const auto picture = shower.picture_of(finding);
    if (!picture) return picture.problem();
    const std::string name =
        fmt::format("{}-{}-{:08x}.dot", program_name(settings), channel::name_of(finding.kind), finding.key >> 32);
    if (auto problem = shower.write(*picture, report::headline(finding), name)) return *problem;
  }
  if (!run.show_output) results.outputs.clear();
  std::erase_if(results.outputs, [](const auto& output) { return output.text.empty(); });
  return report::printable(text, report::Controls::escape);
}

}  // namespace heddle::cli
