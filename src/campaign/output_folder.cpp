#include "campaign/output_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "run/values.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::campaign {

namespace fs = std::filesystem;

namespace {

fs::path nearest_existing(fs::path path) {
  std::error_code error;
  path = fs::absolute(path, error);
  while (path.has_relative_path() && !fs::exists(path, error)) path = path.parent_path();
  return path;
}

}  // namespace

Outcome check_file_writable(const std::string& path, const char* option) {
  std::error_code error;
  if (path.empty()) return usage_problem(fmt::format("{} needs the name of a file", option));
  if (fs::is_directory(path, error)) return usage_problem(fmt::format("{}: {} is a folder; name a file", option, path));
  if (fs::exists(path, error)) {
    if (::access(path.c_str(), W_OK) == 0) return {};
    return usage_problem(fmt::format("{}: cannot write {}: {}", option, path, std::strerror(errno)));
  }
  const fs::path folder = fs::absolute(path, error).parent_path();
  if (!fs::is_directory(folder, error)) {
    return usage_problem(
        fmt::format("{}: cannot write {}: the folder {} does not exist", option, path, folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return usage_problem(fmt::format("{}: cannot write {}: {}", option, path, std::strerror(errno)));
}

Outcome OutputFolder::check_writable() const {
  std::error_code error;
  if (path_.empty()) return usage_problem("--out needs the name of a folder");
  const fs::path existing = nearest_existing(path_);
  if (!fs::is_directory(existing, error)) {
    return usage_problem(fmt::format("--out: {} is not a folder", existing.string()));
  }
  if (::access(existing.c_str(), W_OK | X_OK) == 0) return {};
  return usage_problem(
      fmt::format("--out: cannot write in {}: {}; name another folder", existing.string(), std::strerror(errno)));
}

std::string OutputFolder::trace_path(const Subject& subject, const findings::Finding& finding, KeyLength length) const {
  const std::string key =
      length == KeyLength::full ? fmt::format("{:016x}", finding.key) : fmt::format("{:08x}", finding.key >> 32);
  const std::string program = fs::path(subject.program.path).filename().string();
  return (fs::path(path_) / fmt::format("{}-{}-{}.trace", program, channel::name_of(finding.kind), key)).string();
}

trace::TraceFile make_trace(const Subject& subject, run::Isolation isolation, const findings::Finding& finding) {
  trace::TraceFile trace;
  trace.run = subject.run;
  if (!finding.racy_sites.empty()) trace.run.racy_sites.assign("");
  for (const std::uint64_t site : finding.racy_sites)
    trace.run.racy_sites.append(fmt::format("{}{:x}", trace.run.racy_sites.empty() ? "" : ",", site));
  trace.program = subject.program.path;
  trace.args = subject.args;
  trace.build_id = subject.program.build_id;
  trace.execution = finding.execution;
  const std::string& strategy = finding.told ? finding.told->strategy : finding.strategy;
  if (finding.told) {
    trace.execution = finding.told->number;
    trace.run.model.assign(finding.told->model);
  }
  // A strategy that learns chose the parameters of this execution, and automatic isolation chose how to run it.
  if (!strategy.empty()) trace.run.strategy.assign(strategy);
  trace.run.isolation = strategies::is_exhaustive(trace.run.strategy.view()) ? run::Isolation::reset : isolation;
  trace.recorded = finding.recorded;
  trace.check = subject.check;
  trace.finding_kind = channel::name_of(finding.kind);
  trace.finding_key = finding.key;
  trace.finding_message = finding.message;
  trace.decisions = finding.decisions;
  return trace;
}

Outcome OutputFolder::write(const Subject& subject, findings::Finding& finding, const Written& wanted) {
  const auto known = written_.find(finding.key);
  if (known == written_.end() || known->second != wanted) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) return test_problem(fmt::format("cannot make the folder {}: {}", path_, error.message()));
    if (auto problem = trace::write_trace(wanted.path, make_trace(subject, wanted.isolation, finding))) return problem;
    written_[finding.key] = wanted;
  }
  finding.trace = wanted.path;
  return {};
}

Outcome OutputFolder::write_trace(const Subject& subject, run::Isolation isolation, findings::Finding& finding) {
  std::string path = trace_path(subject, finding, KeyLength::first_half);
  for (const auto& [key, other] : written_)
    if (key != finding.key && other.path == path) path = trace_path(subject, finding, KeyLength::full);
  return write(subject, finding, {path, finding.execution, isolation, finding.decisions, finding.racy_sites});
}

Outcome OutputFolder::write_traces(const Subject& subject, findings::Results& results) {
  std::map<std::uint64_t, std::uint64_t> alike;  // findings by the first half of their key
  for (const findings::Finding& finding : results.findings) ++alike[finding.key >> 32];
  std::map<std::uint64_t, Written> left_over = written_;
  for (findings::Finding& finding : results.findings) {
    const KeyLength length = alike[finding.key >> 32] > 1 ? KeyLength::full : KeyLength::first_half;
    const Written wanted{trace_path(subject, finding, length), finding.execution, results.isolation, finding.decisions,
                         finding.racy_sites};
    if (auto problem = write(subject, finding, wanted)) return problem;
    std::erase_if(left_over, [&](const auto& entry) { return entry.second.path == wanted.path; });
  }
  std::error_code error;
  for (const auto& [key, trace] : left_over)
    if (!kept_.contains(trace.path)) fs::remove(trace.path, error);
  return {};
}

}  // namespace heddle::campaign
