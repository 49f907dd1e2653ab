#include "stress/compiler.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <regex>

#include "stress/process.hpp"

namespace heddle::stress {

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The first line that says "error", or else the first line.
std::string error_line(const std::string& text) {
  const auto at = text.find("error");
  if (at == std::string::npos) return first_line(text);
  const auto start = text.rfind('\n', at);
  return first_line(text.substr(start == std::string::npos ? 0 : start + 1));
}

}  // namespace

std::string cxx_name(const std::string& c_name) {
  const auto slash = c_name.rfind('/') + 1;
  const std::string folder = c_name.substr(0, slash), base = c_name.substr(slash);
  if (base.starts_with("musl-")) return "";
  if (base == "cc") return folder + "c++";
  for (const auto& [c, cxx] : {std::pair{"clang", "clang++"}, std::pair{"gcc", "g++"}}) {
    const std::regex pattern(fmt::format("(.*-)?{}(-[0-9.]+)?", c));
    std::smatch parts;
    if (std::regex_match(base, parts, pattern)) return folder + parts[1].str() + cxx + parts[2].str();
  }
  return "";
}

Result<Compiler> find_compiler(const std::string& name) {
  if (find_command(name).empty())
    return test_problem(fmt::format("the compiler {} is not installed, or not in PATH", name));
  Compiler compiler;
  compiler.name = name;
  const CommandEnd version = run_process({name, "--version"});
  if (!version.succeeded()) return test_problem(fmt::format("{} --version failed: is it a compiler?", name));
  compiler.version = first_line(version.output);
  const CommandEnd machine = run_process({name, "-dumpmachine"});
  if (machine.succeeded()) compiler.machine = machine.output.substr(0, machine.output.find_first_of("-\n"));
  const std::string cxx = cxx_name(name);
  if (!cxx.empty() && !find_command(cxx).empty()) compiler.cxx = cxx;
  return compiler;
}

Result<std::vector<std::string>> parse_levels(const std::vector<std::string>& words) {
  std::vector<std::string> levels;
  for (std::string word : words) {
    if (word.starts_with("-")) word.erase(0, 1);
    if (!std::regex_match(word, std::regex("O(|[0-3]|s|g|z|fast)")))
      return usage_problem(fmt::format("--opt takes levels such as O0,O2, not '{}'", word));
    levels.push_back(word);
  }
  return levels;
}

std::vector<std::string> c_command(const Compiler& compiler, const Compilation& how, const std::string& source) {
  std::vector<std::string> command{compiler.name, "-std=c11", "-" + how.level, "-I" + how.include, "-pthread"};
  command.insert(command.end(), how.flags.begin(), how.flags.end());
  command.push_back(source);
  return command;
}

std::optional<std::string> compile(const std::vector<std::string>& command, const std::string& output) {
  std::vector<std::string> words = command;
  words.insert(words.end(), {"-o", output});
  const CommandEnd end = run_process(words);
  if (end.succeeded()) return std::nullopt;
  if (!end.started) return "the compiler could not be started";
  const std::string line = error_line(end.errors);
  return line.empty() ? fmt::format("{} ended with exit code {}", command[0], end.exit_code) : line;
}

std::string own_machine() {
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "";
}

}  // namespace heddle::stress
