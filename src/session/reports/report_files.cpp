#include "session/reports/report_files.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "report/annotations.hpp"
#include "report/json.hpp"
#include "report/junit.hpp"
#include "report/sarif.hpp"
#include "session/reports/page.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::session {

namespace {

std::string working_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

}  // namespace

Outcome write_report_files(const campaign::Subject& subject, const findings::Results& results) {
  const findings::RunDescription run{subject.program_name, subject.args, subject.run};
  Outcome first_problem;
  const auto write = [&](const run::Text& path, const std::string& content) {
    auto problem = write_file_atomically(path.c_str(), content);
    if (problem && !first_problem) first_problem = problem;
  };
  if (!subject.run.json.empty()) write(subject.run.json, report::json_report(run, results, HEDDLE_VERSION));
  if (!subject.run.junit.empty())
    write(subject.run.junit, report::junit_report(run, results, HEDDLE_VERSION, std::chrono::system_clock::now()));
  if (!subject.run.sarif.empty())
    write(subject.run.sarif, report::sarif_report(run, results, HEDDLE_VERSION, working_folder()));
  if (subject.run.html.empty()) return first_problem;
  const auto page = campaign_page(subject, results);
  if (page)
    write(subject.run.html, *page);
  else if (!first_problem)
    first_problem = page.problem();
  return first_problem;
}

std::string annotations(const campaign::Subject& subject, const findings::Results& results) {
  if (subject.run.annotations == run::Annotations::none) return {};
  // GitHub takes paths relative to the repository.
  const char* repository = std::getenv("GITHUB_WORKSPACE");
  return report::github_annotations(results, repository != nullptr ? repository : working_folder());
}

}  // namespace heddle::session
