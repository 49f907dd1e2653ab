#include "campaign/output_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "run/values.hpp"

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

std::string OutputFolder::trace_path(const Settings& settings, const findings::Results& results,
                                     const findings::Finding& finding) const {
  const auto short_key = [](const findings::Finding& f) { return f.key >> 32; };
  const auto alike = std::count_if(results.findings.begin(), results.findings.end(),
                                   [&](const findings::Finding& f) { return short_key(f) == short_key(finding); });
  const std::string key = alike > 1 ? fmt::format("{:016x}", finding.key) : fmt::format("{:08x}", short_key(finding));
  const std::string program = fs::path(settings.program.path).filename().string();
  return (fs::path(path_) / fmt::format("{}-{}-{}.trace", program, channel::name_of(finding.kind), key)).string();
}

namespace {

trace::TraceFile make_trace(const Settings& settings, const std::string& isolation, const findings::Finding& finding) {
  trace::TraceFile trace;
  trace.run = settings.run;
  // A strategy that learns chose the parameters of this execution, and automatic isolation chose how to run it.
  if (!finding.strategy.empty()) trace.run.strategy.assign(finding.strategy);
  run::set_isolation(trace.run, isolation);
  trace.program = settings.program.path;
  trace.args = settings.args;
  trace.build_id = settings.program.build_id;
  trace.execution = finding.execution;
  trace.recorded = finding.recorded;
  trace.check = settings.check;
  trace.finding_kind = channel::name_of(finding.kind);
  trace.finding_key = finding.key;
  trace.finding_message = finding.message;
  trace.decisions = finding.decisions;
  return trace;
}

}  // namespace

Outcome OutputFolder::write_traces(const Settings& settings, findings::Results& results) const {
  if (results.findings.empty()) return {};
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) return test_problem(fmt::format("cannot make the folder {}: {}", path_, error.message()));
  for (findings::Finding& finding : results.findings) {
    const std::string path = trace_path(settings, results, finding);
    if (auto problem = trace::write_trace(path, make_trace(settings, results.isolation, finding))) return problem;
    finding.trace = path;
  }
  return {};
}

}  // namespace heddle::campaign
