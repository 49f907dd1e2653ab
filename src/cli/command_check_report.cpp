// heddle check-report: libheddle starts this command when a heddle::check has findings. The process of the check is the
// parent, and its channel is inherited. The command finds symbols, writes traces, and prints what
// abi/start/check_result.cpp reads: the number of findings, six lines for each of them, and the report.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "campaign/output_folder.hpp"
#include "campaign/result_merger.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "cli/commands.hpp"
#include "findings/groups.hpp"
#include "findings/symbolizer.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

std::string parent_file(const char* name) { return fmt::format("/proc/{}/{}", ::getppid(), name); }

/// Finds the program and its arguments, so that a replay can start it again.
Result<campaign::Settings> describe_parent(const channel::Request& request) {
  campaign::Settings settings;
  settings.run = request.run;
  std::error_code error;
  settings.program_name = std::filesystem::read_symlink(parent_file("exe"), error).string();
  auto program = campaign::inspect_program(settings.program_name);
  if (!program) return program.problem();
  settings.program = *program;
  const auto command_line = read_whole_file(parent_file("cmdline"));
  if (!command_line) return command_line.problem();
  for (std::size_t begin = 0; begin < command_line->size();) {
    const std::size_t end = std::min(command_line->find('\0', begin), command_line->size());
    settings.args.push_back(command_line->substr(begin, end - begin));
    begin = end + 1;
  }
  if (!settings.args.empty()) settings.args.erase(settings.args.begin());
  settings.check = request.check;
  return settings;
}

findings::Results collect(campaign::ChannelMemory& channel, const campaign::Settings& settings) {
  campaign::LearningRounds rounds;
  campaign::ResultMerger merger(rounds);
  auto fresh = channel.new_findings();
  std::vector<campaign::ResultMerger::Announced> announced;
  announced.reserve(fresh.size());
  for (const findings::Finding& finding : fresh) announced.push_back({finding.key, finding.count, finding.first_count});
  merger.add_findings(std::move(fresh),
                      std::make_shared<findings::ModuleMap>(findings::ModuleMap::decode(channel.modules())));
  merger.add_worker(channel, announced);
  findings::Results results = merger.finish(settings.run.stop_on_bug, {});
  if (!settings.run.stop_on_bug) results.learnt = campaign::describe(channel.totals(), channel.plan());
  findings::Symbolizer symbolizer;
  for (findings::Finding& finding : results.findings) symbolizer.symbolize(finding);
  findings::group_by_root(results.findings, results.statistics.executions);
  return results;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

int command_check_report(const std::vector<std::string>& arguments) {
  int fd = -1;
  if (arguments.size() != 3 ||
      std::from_chars(arguments[0].data(), arguments[0].data() + arguments[0].size(), fd).ec != std::errc{}) {
    return report_problem(
        usage_problem("check-report is an internal command that libheddle starts; it is not for users"));
  }
  const std::string& out = arguments[1];
  const std::string& name = arguments[2];
  auto channel = campaign::ChannelMemory::attach(fd);
  if (!channel) return report_problem(channel.problem());
  const auto settings = describe_parent(channel->request());
  if (!settings) return report_problem(settings.problem());
  findings::Results results = collect(*channel, *settings);
  const auto trace_problem = campaign::OutputFolder(out).write_traces(*settings, results);

  fmt::print("{}\n", results.findings.size());
  for (const findings::Finding& finding : results.findings) {
    fmt::print("{}\n{}\n{}\n{}\n{}\n{}\n", channel::name_of(finding.kind), one_line(report::headline(finding)),
               one_line(finding.trace), finding.execution, finding.count,
               finding.strategy.empty() ? settings->run.strategy.c_str() : finding.strategy);
  }
  const auto& figures = results.statistics;
  for (const findings::Finding& finding : results.findings)
    fmt::print("{}", report::finding_text(finding, figures.executions, report::Colour::never));
  fmt::print("{}", report::learnt_text(results));
  if (trace_problem) fmt::print("heddle: no trace was written: {}\n", trace_problem->text);
  fmt::print("heddle: {}: {} executions, {} buggy, seed {}, strategy {}, model {}\n", name, figures.executions,
             figures.buggy, settings->run.seed, settings->run.strategy.view(), settings->run.model.view());
  return 0;
}

}  // namespace heddle::cli
