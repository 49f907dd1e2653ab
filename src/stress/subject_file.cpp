#include "stress/subject_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace heddle::stress {

namespace fs = std::filesystem;

namespace {

constexpr const char* harness_name = "harness.c";
constexpr int head_lines = 5;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    if (word != "*/") words.push_back(word);
  return words;
}

/// Whether a name that starts with `prefix` can match the pattern.
bool fits(const std::string& pattern, const std::string& prefix) {
  const std::string start = pattern.substr(0, pattern.find('*'));
  const std::size_t common = std::min(start.size(), prefix.size());
  return start.compare(0, common, prefix, 0, common) == 0 &&
         (start.size() != pattern.size() || pattern.size() >= prefix.size());
}

Compilation flags_for(const SubjectFile& file, const Compiler& compiler, Compilation how) {
  for (const auto& [machine, flag] : file.flags)
    if (machine == compiler.machine) how.flags.push_back(flag);
  return how;
}

/// Without the harness if the file is in C++.
std::vector<std::string> subject_command(const SubjectFile& file, const Compiler& compiler, const Compilation& how) {
  std::vector<std::string> command = c_command(compiler, how, file.path);
  if (!file.is_cxx()) return command;
  command[0] = compiler.cxx;
  command[1] = "-std=c++20";
  return command;
}

}  // namespace

bool SubjectFile::is_cxx() const {
  const std::string ending = fs::path(path).extension().string();
  return ending == ".cpp" || ending == ".cc" || ending == ".cxx";
}

bool SubjectFile::may_match(const std::vector<std::string>& patterns) const {
  if (prefixes.empty() || patterns.empty()) return true;
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return fits(pattern, prefix); });
  });
}

Result<SubjectFile> read_subject_file(const std::string& path) {
  SubjectFile file;
  file.path = path;
  if (path.ends_with(".litmus"))
    return usage_problem(fmt::format("{0} is a litmus test: write heddle stress --litmus {0}", path));
  std::error_code error;
  std::ifstream in(path);
  if (!fs::is_regular_file(path, error) || !in)
    return usage_problem(fmt::format("{} cannot be read: it should be a C or C++ file with subjects", path));
  std::string line;
  for (int i = 0; i < head_lines && std::getline(in, line); ++i) {
    std::smatch parts;
    if (std::regex_search(line, parts, std::regex("subjects: (.*)"))) file.prefixes = words_of(parts[1]);
    if (!std::regex_search(line, parts, std::regex(R"(flags\((\w+)\): (.*))"))) continue;
    for (const std::string& word : words_of(parts[2])) file.flags.emplace_back(parts[1], word);
  }
  return file;
}

Result<std::vector<SubjectFile>> own_subject_files(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if ((ending == ".c" || ending == ".cpp") && entry.path().filename() != harness_name)
      paths.push_back(entry.path().string());
  }
  if (paths.empty())
    return test_problem(fmt::format("there are no subjects in {}: is heddle installed completely?", folder));
  std::sort(paths.begin(), paths.end());
  std::vector<SubjectFile> files;
  for (const std::string& path : paths) {
    auto file = read_subject_file(path);
    if (!file) return file.problem();
    files.push_back(std::move(*file));
  }
  return files;
}

std::optional<std::string> compile_subjects(const SubjectFile& file, const Compiler& compiler, const Compilation& how,
                                            const std::string& harness, const std::string& program) {
  const Compilation with_flags = flags_for(file, compiler, how);
  std::vector<std::string> command = subject_command(file, compiler, with_flags);
  if (!file.is_cxx()) return compile(command, program);
  std::vector<std::string> harness_command = c_command(compiler, with_flags, harness);
  harness_command.emplace_back("-c");
  const std::string object = program + ".harness.o";
  if (auto error = compile(harness_command, object)) return error;
  command.push_back(object);
  return compile(command, program);
}

std::optional<std::string> subjects_to_assembly(const SubjectFile& file, const Compiler& compiler,
                                                const Compilation& how, const std::string& assembly) {
  std::vector<std::string> command = subject_command(file, compiler, flags_for(file, compiler, how));
  command.emplace_back("-S");
  return compile(command, assembly);
}

}  // namespace heddle::stress
