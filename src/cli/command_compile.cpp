// heddle c++ and heddle cc: call the compiler with heddle's instrumentation and library.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "campaign/workers/path_search.hpp"
#include "cli/commands.hpp"
#include "cli/compile_plan.hpp"
#include "cli/compiler_arguments.hpp"
#include "cli/installation.hpp"
#include "findings/elf_symbols.hpp"

namespace heddle::cli {

namespace {

namespace fs = std::filesystem;

std::string resolved(const std::string& path) {
  char buffer[PATH_MAX];
  return ::realpath(path.c_str(), buffer) != nullptr ? buffer : path;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto space = text.find(' ');
    if (space != 0) words.emplace_back(text.substr(0, space));
    text = space == text.npos ? std::string_view{} : text.substr(space + 1);
  }
  return words;
}

/// The compiler that the environment variable names, otherwise the first one in PATH that is not heddle itself.
Result<CommandLine> find_compiler(Language language, const std::string& own_executable) {
  const char* variable = language == Language::cxx ? "HEDDLE_CXX" : "HEDDLE_CC";
  const auto is_heddle = [&](const std::string& path) { return resolved(path) == own_executable; };
  if (const char* choice = std::getenv(variable); choice != nullptr && *choice != '\0') {
    CommandLine words = campaign::find_executable(choice) ? CommandLine{choice} : split_words(choice);
    const auto path = words.empty() ? std::nullopt : campaign::find_executable(words[0]);
    if (!path)
      return usage_problem(
          fmt::format("{} names the compiler '{}', which does not exist; name another one", variable, choice));
    if (is_heddle(*path)) return usage_problem(fmt::format("{} names heddle itself; name a compiler", variable));
    words[0] = *path;
    return words;
  }
  using Names = std::array<const char*, 3>;
  for (const char* name : language == Language::cxx ? Names{"c++", "g++", "clang++"} : Names{"cc", "gcc", "clang"}) {
    if (const auto path = campaign::find_executable(name); path && !is_heddle(*path)) return CommandLine{*path};
  }
  return test_problem(fmt::format("there is no compiler in PATH: install g++ or clang, or name one in {}", variable));
}

/// What the compiler prints for an option that asks for information.
std::string output_of(const CommandLine& compiler, const char* option) {
  std::string command;
  for (const std::string& word : compiler) command += "'" + word + "' ";
  std::string answer;
  if (FILE* pipe = ::popen((command + option + " 2>/dev/null").c_str(), "r"); pipe != nullptr) {
    char buffer[512];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) answer.append(buffer, count);
    ::pclose(pipe);
  }
  return answer;
}

std::string major_version(const CommandLine& compiler) {
  const std::string answer = output_of(compiler, "-dumpversion");
  return answer.substr(0, answer.find_first_not_of("0123456789"));
}

bool is_clang(const CommandLine& compiler) {
  for (const std::string& name :
       {fs::path(compiler.back()).filename().string(), fs::path(resolved(compiler.back())).filename().string()}) {
    if (name.find("clang") != name.npos) return true;
    if (name.find("g++") != name.npos || name.find("gcc") != name.npos) return false;
  }
  return output_of(compiler, "--version").find("clang") != std::string::npos;
}

[[noreturn]] void execute(const CommandLine& line) {
  std::vector<char*> words;
  for (const std::string& word : line) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  fmt::print(stderr, "heddle: cannot run {}: {}\n", line[0], std::strerror(errno));
  ::_exit(static_cast<int>(ExitCode::cannot_test));
}

// For the signal handler: the step that runs, and the signal that was received.
volatile std::sig_atomic_t running_child = 0;
volatile std::sig_atomic_t signal_received = 0;

void forward_signal(int signal) {
  signal_received = signal;
  if (running_child > 0) ::kill(running_child, signal);
}

/// A folder for temporary objects, which is removed at the end.
class ScratchFolder {
 public:
  ~ScratchFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& make() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, forward_signal);
    const char* base = std::getenv("TMPDIR");
    std::string name = fmt::format("{}/heddle-XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp");
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
    return path_;
  }
  bool missing() const { return path_.empty(); }

 private:
  std::string path_;
};

/// Runs one step. Returns its exit code, or 128 plus the number of the signal that ended it.
int run_step(const CommandLine& line) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    execute(line);
  }
  if (child < 0) {
    return report_problem(test_problem(fmt::format("cannot start the compiler: {}", std::strerror(errno))));
  }
  running_child = child;
  if (signal_received != 0) ::kill(child, signal_received);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running_child = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// The pass of --plain=relaxed for this compiler.
Result<std::string> find_plugin(const Toolchain& toolchain) {
  if (!toolchain.is_clang)
    return usage_problem(
        fmt::format("--plain=relaxed needs clang, and the compiler is {}: name clang in HEDDLE_CC or HEDDLE_CXX",
                    toolchain.compiler.back()));
  const std::string version = major_version(toolchain.compiler);
  const fs::path folder = fs::path(toolchain.library).parent_path() / "heddle";
  std::error_code error;
  const fs::path plugin = folder / fmt::format("plain-relaxed-{}.so", version);
  if (fs::exists(plugin, error)) return plugin.string();
  return test_problem(
      fmt::format("--plain=relaxed needs a plugin for clang {}, which this heddle was built without: build heddle "
                  "where llvm-{}-dev is installed, or choose another clang in HEDDLE_CC or HEDDLE_CXX",
                  version, version));
}

/// Names the objects among the linked files that were compiled without heddle: races in them are not found.
void warn_of_uninstrumented(const CompilePlan& plan) {
  constexpr std::size_t most_names = 5;
  std::string names;
  std::size_t count = 0;
  for (const std::string& file : plan.linked_files)
    for (const std::string& object : findings::uninstrumented_objects(file))
      if (count++ < most_names) names += (names.empty() ? "" : ", ") + object;
  if (count == 0) return;
  if (count > most_names) names += fmt::format(" and {} more", count - most_names);
  fmt::print(stderr,
             "heddle: warning: {} {} not instrumented: heddle does not see the accesses to memory there; compile with "
             "heddle cc or heddle c++\n",
             names, count == 1 ? "is" : "are");
}

int run_steps(const CompilePlan& plan) {
  for (const CommandLine& step : plan.steps) {
    const int code = signal_received == 0 ? run_step(step) : 128 + signal_received;
    if (code != 0) return code;
  }
  return 0;
}

}  // namespace

int command_compile(Language language, const std::vector<std::string>& arguments) {
  const Installation installation = find_installation();
  auto compiler = find_compiler(language, installation.executable);
  if (!compiler) return report_problem(compiler.problem());
  Toolchain toolchain{*compiler, is_clang(*compiler), installation.library.value_or(""),
                      installation.include.value_or("")};
  std::vector<std::string> expanded = expand_response_files(arguments);
  const auto plain = take_plain_option(expanded);
  if (!plain) return report_problem(plain.problem());
  if (*plain == PlainMode::relaxed) {
    const auto plugin = find_plugin(toolchain);
    if (!plugin) return report_problem(plugin.problem());
    toolchain.plugin = *plugin;
  }
  ScratchFolder scratch;
  bool needs_scratch = false;
  const auto plan = plan_compilation(expanded, toolchain, [&] {
    needs_scratch = true;
    return scratch.make();
  });
  if (!plan) return report_problem(plan.problem());
  if (needs_scratch && scratch.missing()) {
    return report_problem(
        test_problem("cannot create a folder for temporary objects: set TMPDIR to a folder that can be written"));
  }
  warn_of_uninstrumented(*plan);
  if (!needs_scratch && plan->steps.size() == 1) execute(plan->steps[0]);
  return run_steps(*plan);
}

int command_archiver(const std::string& tool, const std::vector<std::string>& arguments) {
  const auto compiler = find_compiler(Language::c, find_installation().executable);
  if (!compiler) return report_problem(compiler.problem());
  // llvm-ar-16 is the one of clang 16; llvm-ar may belong to another version.
  const auto versioned = campaign::find_executable(tool + "-" + major_version(*compiler));
  std::string path = versioned.value_or("");
  if (path.empty()) path = output_of(*compiler, ("-print-prog-name=" + tool).c_str());
  path.erase(path.find_last_not_of('\n') + 1);
  CommandLine line{path.empty() ? tool : path};
  line.insert(line.end(), arguments.begin(), arguments.end());
  execute(line);
}

int command_compile_options(const std::string& compiler) {
  if (compiler != "gcc" && compiler != "clang")
    return report_problem(usage_problem("write heddle help --compile-options gcc, or clang"));
  for (const std::string& option : instrumentation_options(compiler == "clang")) fmt::print("{}\n", option);
  return static_cast<int>(ExitCode::no_bug);
}

}  // namespace heddle::cli
