#include "session/reports/graphs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "picture/drawing.hpp"
#include "report/text.hpp"
#include "session/replay.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::session {

namespace {

namespace fs = std::filesystem;
using findings::Finding;

class GraphShower {
 public:
  GraphShower(const campaign::Subject& subject, const findings::Results& results)
      : subject_(subject), isolation_(results.isolation) {}

  /// The graph of the finding's execution.
  Result<picture::Picture> picture_of(const Finding& finding) const {
    const auto replay = Replay::of_finding(subject_, isolation_, finding);
    if (!replay) return replay.problem();
    const auto repeated = run(*replay);
    if (!repeated) return repeated.problem();
    if (!repeated->log.log) return test_problem(fmt::format("an execution cannot be drawn: {}", repeated->log.why_not));
    return picture::make_picture(finding, *repeated->log.log);
  }

  Outcome write(const picture::Picture& picture, const std::string& title, const std::string& name) const {
    std::error_code error;
    const fs::path folder(subject_.run.dot.c_str());
    fs::create_directories(folder, error);
    if (error) return test_problem(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
    const picture::DrawingOptions options{title, {picture::Relation::rf, picture::Relation::mo}, true};
    return write_file_atomically((folder / name).string(), picture::dot(picture, options));
  }

 private:
  const campaign::Subject& subject_;
  run::Isolation isolation_;
};

std::string program_name(const campaign::Subject& subject) {
  return fs::path(subject.program.path).filename().string();
}

}  // namespace

Result<std::string> show_graphs(const campaign::Subject& subject, findings::Results& results) {
  const run::RunSpecification& run = subject.run;
  const GraphShower shower(subject, results);
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
    if (auto problem = shower.write(*picture, title, fmt::format("{}-graph-{}.dot", program_name(subject), number)))
      return *problem;
  }
  for (const Finding& finding : results.findings) {
    if (run.dot.empty() || !finding.recorded) continue;
    const auto picture = shower.picture_of(finding);
    if (!picture) return picture.problem();
    const std::string name =
        fmt::format("{}-{}-{:08x}.dot", program_name(subject), channel::name_of(finding.kind), finding.key >> 32);
    if (auto problem = shower.write(*picture, report::headline(finding), name)) return *problem;
  }
  if (!run.show_output) results.outputs.clear();
  std::erase_if(results.outputs, [](const auto& output) { return output.text.empty(); });
  return report::printable(text, report::Controls::escape);
}

}  // namespace heddle::session
