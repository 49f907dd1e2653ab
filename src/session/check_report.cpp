#include "session/check_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "campaign/output_folder.hpp"
#include "campaign/result_merger.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "findings/groups.hpp"
#include "findings/symbolizer.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::session {

namespace {

std::string parent_file(const char* name) { return fmt::format("/proc/{}/{}", ::getppid(), name); }

/// Finds the program and its arguments, so that a replay can start it again.
Result<campaign::Subject> describe_parent(const channel::Request& request) {
  campaign::Subject subject;
  subject.run = request.run;
  std::error_code error;
  subject.program_name = std::filesystem::read_symlink(parent_file("exe"), error).string();
  auto program = campaign::inspect_program(subject.program_name);
  if (!program) return program.problem();
  subject.program = *program;
  const auto command_line = read_whole_file(parent_file("cmdline"));
  if (!command_line) return command_line.problem();
  for (std::size_t begin = 0; begin < command_line->size();) {
    const std::size_t end = std::min(command_line->find('\0', begin), command_line->size());
    subject.args.push_back(command_line->substr(begin, end - begin));
    begin = end + 1;
  }
  if (!subject.args.empty()) subject.args.erase(subject.args.begin());
  subject.check = request.check;
  return subject;
}

findings::Results collect(campaign::ChannelMemory& channel, const run::RunSpecification& run) {
  campaign::LearningRounds rounds;
  campaign::ResultMerger merger(rounds);
  auto fresh = channel.new_findings();
  std::vector<campaign::ResultMerger::Announced> announced;
  announced.reserve(fresh.size());
  for (const findings::Finding& finding : fresh) announced.push_back({finding.key, finding.count, finding.first_count});
  merger.add_findings(std::move(fresh),
                      std::make_shared<findings::ModuleMap>(findings::ModuleMap::decode(channel.modules())));
  merger.add_worker(channel, announced);
  findings::Results results = merger.finish(run.stop_on_bug, {});
  if (!run.stop_on_bug) results.learnt = campaign::describe(channel.totals(), channel.plan());
  findings::Symbolizer symbolizer;
  for (findings::Finding& finding : results.findings) symbolizer.symbolize(finding);
  findings::group_by_root(results.findings, results.statistics.executions);
  return results;
}

}  // namespace

Result<CheckReported> run(const CheckReport& task) {
  auto channel = campaign::ChannelMemory::attach(task.channel);
  if (!channel) return channel.problem();
  auto subject = describe_parent(channel->request());
  if (!subject) return subject.problem();
  CheckReported reported{std::move(*subject), {}, {}};
  reported.results = collect(*channel, reported.subject.run);
  reported.unwritten = campaign::OutputFolder(task.folder).write_traces(reported.subject, reported.results);
  return reported;
}

}  // namespace heddle::session
