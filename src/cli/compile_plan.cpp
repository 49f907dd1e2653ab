#include "cli/compile_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "cli/compiler_arguments.hpp"
#include "report/text.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

using Kind = CompilerArgument::Kind;

void append(CommandLine& out, const std::vector<std::string>& words) {
  out.insert(out.end(), words.begin(), words.end());
}

/// Removes `thread` from a list of sanitizers. Returns an empty string if no other sanitizer is in the list.
std::string without_thread(const std::string& word) {
  constexpr std::string_view option = "-fsanitize=";
  if (!word.starts_with(option)) return word;
  std::string kept;
  std::string_view rest = std::string_view(word).substr(option.size());
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    if (name != "thread") kept += (kept.empty() ? "" : ",") + std::string(name);
    rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return kept.empty() ? kept : std::string(option) + kept;
}

bool is_tsan_library(const std::string& word) { return word == "-static-libtsan" || word == "-ltsan"; }

const std::vector<std::string> forced_header{"-include", "heddle/gcc_builtins.h"};

class Planner {
 public:
  Planner(const CompilerCommand& command, const Toolchain& toolchain) : command_(command), toolchain_(toolchain) {}

  CommandLine compile_all(const std::vector<std::string>& arguments) const {
    CommandLine line = compile_start();
    append(line, arguments);
    append(line, compile_end());
    return line;
  }

  CommandLine compile_one(const CompilerArgument& source, const std::string& object) const {
    CommandLine line = compile_start();
    for (const CompilerArgument& argument : command_.arguments) {
      if (argument.kind != Kind::other && argument.kind != Kind::compile_only) continue;
      // The .dwo file would be written beside the temporary object, and removed with it.
      if (argument.words[0] != "-gsplit-dwarf") append(line, argument.words);
    }
    append(line, compile_end());
    const std::string stem = std::filesystem::path(source.words[0]).stem().string();
    if (command_.writes_dependencies && !command_.names_dependency_file) {
      append(line, {"-MF", dependency_file(stem), "-MT", stem + ".o"});
    }
    if (!source.language.empty() && source.language != "none") append(line, {"-x", source.language});
    append(line, {"-c", source.words[0], "-o", object});
    return line;
  }

  /// `objects` are the compiled sources, in the order of the sources.
  CommandLine link(const std::vector<std::string>& objects) const {
    CommandLine line = toolchain_.compiler;
    // libheddle comes first, so that its symbols take precedence over those of other libraries. --no-as-needed keeps it
    // although no object before it refers to it.
    if (!command_.is_relocatable) {
      append(line, {"-Wl,--push-state,--no-as-needed", toolchain_.library, "-Wl,--pop-state"});
    }
    std::size_t next_object = 0;
    for (const CompilerArgument& argument : command_.arguments) {
      if (argument.kind == Kind::source) {
        line.push_back(objects[next_object++]);
      } else if (!(argument.kind == Kind::language || (splits() && argument.kind == Kind::compile_only))) {
        link_argument(argument, line);
      }
    }
    if (turns_lto_off()) line.push_back("-fno-lto");
    if (!command_.is_relocatable) {
      const std::string folder = std::filesystem::path(toolchain_.library).parent_path().string();
      append(line, {"-pthread", "-Wl,-rpath," + folder, "-Wl,--build-id"});
    }
    return line;
  }

 private:
  bool splits() const { return command_.has(Kind::source); }

  /// gcc instruments late: with -flto, at link time, where -fsanitize=thread would link libtsan.
  bool turns_lto_off() const { return command_.has_lto && !toolchain_.is_clang; }

  CommandLine compile_start() const {
    CommandLine line = toolchain_.compiler;
    append(line, instrumentation_options(toolchain_.is_clang));
    // Equal operations of two branches stay two operations, each with its line. clang makes one of them, without a
    // line. This is not for build systems that call the compiler themselves: they drop words that come again, such as
    // -mllvm.
    if (toolchain_.is_clang)
      append(line, {"-mllvm", "-simplifycfg-sink-common=false", "-mllvm", "-simplifycfg-hoist-common=false", "-mllvm",
                    "-enable-tail-merge=false"});
    if (forces_header() && !starts_with_precompiled_header()) append(line, forced_header);
    if (!toolchain_.plugin.empty()) line.push_back("-fpass-plugin=" + toolchain_.plugin);
    if (!command_.has_debug_option) line.push_back("-g");
    if (!toolchain_.include.empty())
      append(line, {"-idirafter", toolchain_.include, "-idirafter", toolchain_.include + "/heddle/compatibility"});
    return line;
  }

  CommandLine compile_end() const {
    CommandLine line;
    if (forces_header() && starts_with_precompiled_header()) append(line, forced_header);
    if (turns_lto_off()) line.push_back("-fno-lto");
    return line;
  }

  bool forces_header() const { return !toolchain_.is_clang && !toolchain_.include.empty(); }

  /// gcc uses a precompiled header only if it comes before everything else. It then contains heddle's header, which was
  /// the first one when the other was precompiled.
  bool starts_with_precompiled_header() const {
    if (command_.has(Kind::header)) return false;
    for (const CompilerArgument& argument : command_.arguments)
      if (argument.words[0] == "-include" && argument.words.size() == 2) return is_precompiled(argument.words[1]);
    return false;
  }

  bool is_precompiled(const std::string& header) const {
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::exists(header + ".gch", error)) return true;
    for (const CompilerArgument& argument : command_.arguments) {
      if (!argument.words[0].starts_with("-I")) continue;
      const std::string folder = argument.words.size() == 2 ? argument.words[1] : argument.words[0].substr(2);
      if (fs::exists(fs::path(folder) / (header + ".gch"), error)) return true;
    }
    return false;
  }

  static void link_argument(const CompilerArgument& argument, CommandLine& line) {
    for (const std::string& word : argument.words) {
      const std::string kept = without_thread(word);
      if (!kept.empty() && !is_tsan_library(kept)) line.push_back(kept);
    }
  }

  /// The name that the compiler would choose if it compiled and linked in one step.
  std::string dependency_file(const std::string& stem) const {
    if (toolchain_.is_clang) {
      const std::filesystem::path output = command_.output.empty() ? stem : command_.output;
      return std::filesystem::path(output).replace_extension(".d").string();
    }
    return fmt::format("{}-{}.d", command_.output.empty() ? "a" : command_.output, stem);
  }

  const CompilerCommand& command_;
  const Toolchain& toolchain_;
};

}  // namespace

CommandLine instrumentation_options(bool is_clang) {
  CommandLine options{"-fsanitize=thread"};
  // Volatile accesses are announced as such: a loop that polls volatile memory waits (engine/memory/plain_memory.hpp).
  append(options, is_clang ? CommandLine{"-mllvm", "-tsan-distinguish-volatile"}
                           : CommandLine{"--param", "tsan-distinguish-volatile=1"});
  if (!is_clang) {
    // gcc warns that ThreadSanitizer does not support fences; heddle does. gcc also expands calls of some functions in
    // place without instrumenting their accesses; heddle sees those of a call. heddle/gcc_builtins.h does the same for
    // builtins.
    options.push_back("-Wno-tsan");
    for (const char* function :
         {"memcpy", "mempcpy", "memmove", "memset", "bzero", "memcmp", "bcmp", "strcpy", "stpcpy", "strncpy", "stpncpy",
          "strcat", "strncat", "strcmp", "strncmp", "sprintf", "snprintf"})
      options.push_back(fmt::format("-fno-builtin-{}", function));
  }
#if defined(__x86_64__)
  // Every access is a call into the runtime. Without the PLT, it takes one jump less.
  options.push_back("-fno-plt");
#endif
  return options;
}

Result<CompilePlan> plan_compilation(const std::vector<std::string>& arguments, const Toolchain& toolchain,
                                     const std::function<std::string()>& scratch_folder) {
  const CompilerCommand command = parse_compiler_command(arguments);
  CompilePlan plan;
  const bool has_inputs = command.has(Kind::source) || command.has(Kind::header) || command.has(Kind::object);
  if (command.information_only || !has_inputs) {
    CommandLine line = toolchain.compiler;
    append(line, arguments);
    plan.steps.push_back(line);
    return plan;
  }
  const Planner planner(command, toolchain);
  if (command.stops_before_link || command.has(Kind::header)) {
    plan.steps.push_back(planner.compile_all(arguments));
    return plan;
  }
  if (command.is_static) {
    return usage_problem("heddle needs a dynamically linked program: leave out -static");
  }
  if (toolchain.library.empty() && !command.is_relocatable) {
    return test_problem(
        "libheddle.so is missing in the folder ../lib beside the folder of the heddle command: "
        "build or install heddle completely");
  }
  std::vector<std::string> objects;
  std::string folder;
  for (const CompilerArgument& argument : command.arguments) {
    if (argument.kind != Kind::source) continue;
    if (folder.empty()) folder = scratch_folder();
    // The number distinguishes sources with the same name in different folders.
    objects.push_back(
        fmt::format("{}/{}-{}.o", folder, objects.size(), std::filesystem::path(argument.words[0]).stem().string()));
    plan.steps.push_back(planner.compile_one(argument, objects.back()));
  }
  plan.steps.push_back(planner.link(objects));
  for (const CompilerArgument& argument : command.arguments)
    if (argument.kind == Kind::object) plan.linked_files.push_back(argument.words[0]);
  return plan;
}

namespace {

void expand(const std::vector<std::string>& arguments, int depth, std::vector<std::string>& out) {
  constexpr int deepest = 16;  // so that a file that names itself ends
  for (const std::string& argument : arguments) {
    if (argument.size() > 1 && argument[0] == '@' && depth < deepest) {
      if (const auto content = read_whole_file(argument.substr(1))) {
        expand(report::shell_words(*content).words, depth + 1, out);
        continue;
      }
    }
    out.push_back(argument);
  }
}

}  // namespace

std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  expand(arguments, 0, out);
  return out;
}

}  // namespace heddle::cli
