#include "cli/compiler_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::cli {

namespace {

using Kind = CompilerArgument::Kind;

template <std::size_t size>
bool is_one_of(std::string_view text, const std::array<std::string_view, size>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}
template <std::size_t size>
bool starts_with_one_of(std::string_view text, const std::array<std::string_view, size>& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// True for options whose value is the next word.
bool takes_a_word(std::string_view option) {
  static constexpr auto options = std::to_array<std::string_view>({"-o",
                                                                   "-x",
                                                                   "-I",
                                                                   "-L",
                                                                   "-l",
                                                                   "-D",
                                                                   "-U",
                                                                   "-A",
                                                                   "-B",
                                                                   "-F",
                                                                   "-G",
                                                                   "-T",
                                                                   "-u",
                                                                   "-z",
                                                                   "-e",
                                                                   "-b",
                                                                   "-V",
                                                                   "-include",
                                                                   "-imacros",
                                                                   "-isystem",
                                                                   "-iquote",
                                                                   "-idirafter",
                                                                   "-iprefix",
                                                                   "-iwithprefix",
                                                                   "-iwithprefixbefore",
                                                                   "-isysroot",
                                                                   "-imultilib",
                                                                   "-iframework",
                                                                   "-ivfsoverlay",
                                                                   "-include-pch",
                                                                   "--sysroot",
                                                                   "-MF",
                                                                   "-MT",
                                                                   "-MQ",
                                                                   "-Xlinker",
                                                                   "-Xassembler",
                                                                   "-Xpreprocessor",
                                                                   "-Xclang",
                                                                   "-Xanalyzer",
                                                                   "-Xopenmp-target",
                                                                   "-mllvm",
                                                                   "-target",
                                                                   "-arch",
                                                                   "-framework",
                                                                   "-gcc-toolchain",
                                                                   "--param",
                                                                   "-aux-info",
                                                                   "-dumpbase",
                                                                   "-dumpbase-ext",
                                                                   "-dumpdir",
                                                                   "-wrapper",
                                                                   "-rpath",
                                                                   "-resource-dir",
                                                                   "-working-directory",
                                                                   "-fmodule-file",
                                                                   "-index-store-path"});
  return is_one_of(option, options);
}

bool is_information(std::string_view option) {
  static constexpr auto options = std::to_array<std::string_view>(
      {"--version", "-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs", "--help", "--target-help"});
  static constexpr auto prefixes = std::to_array<std::string_view>({"-print-", "--print-", "--help="});
  return is_one_of(option, options) || starts_with_one_of(option, prefixes);
}

bool stops_before_link(std::string_view option) {
  static constexpr auto options =
      std::to_array<std::string_view>({"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile", "-emit-ast",
                                       "--compile", "--assemble", "--preprocess"});
  return is_one_of(option, options);
}

bool is_link_only(std::string_view option) {
  static constexpr auto options = std::to_array<std::string_view>({"-shared",
                                                                   "--shared",
                                                                   "-rdynamic",
                                                                   "-s",
                                                                   "-pie",
                                                                   "-no-pie",
                                                                   "-nostdlib",
                                                                   "-nodefaultlibs",
                                                                   "-nostartfiles",
                                                                   "-nolibc",
                                                                   "-static-libgcc",
                                                                   "-static-libstdc++",
                                                                   "-static-libasan",
                                                                   "-Xlinker",
                                                                   "-T",
                                                                   "-u",
                                                                   "-z",
                                                                   "-e",
                                                                   "-L",
                                                                   "-rpath"});
  static constexpr auto prefixes = std::to_array<std::string_view>({"-Wl,", "-L", "-fuse-ld="});
  return is_one_of(option, options) || starts_with_one_of(option, prefixes);
}

bool is_compile_only(std::string_view option) {
  static constexpr auto options =
      std::to_array<std::string_view>({"-MD", "-MMD", "-MP", "-MG", "-MF", "-MT", "-MQ", "-include", "-imacros",
                                       "-isystem", "-iquote", "-idirafter", "-include-pch", "-Xpreprocessor"});
  static constexpr auto prefixes =
      std::to_array<std::string_view>({"-I", "-D", "-U", "-MF", "-MT", "-MQ", "-Wp,", "-isystem", "-iquote"});
  return is_one_of(option, options) || starts_with_one_of(option, prefixes);
}

Kind input_kind(std::string_view name, std::string_view language) {
  if (!language.empty() && language != "none") return language.ends_with("-header") ? Kind::header : Kind::source;
  static constexpr auto sources =
      std::to_array<std::string_view>({"c",    "i", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C",  "ii", "ixx",
                                       "cppm", "m", "mi", "mm", "M",   "mii", "s",   "S",   "sx", "ll", "bc"});
  static constexpr auto headers =
      std::to_array<std::string_view>({"h", "hh", "hp", "hxx", "hpp", "HPP", "h++", "H", "tcc"});
  const auto dot = name.rfind('.');
  const std::string_view extension = dot == name.npos ? std::string_view{} : name.substr(dot + 1);
  if (is_one_of(extension, sources)) return Kind::source;
  if (is_one_of(extension, headers)) return Kind::header;
  return Kind::object;
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  CompilerCommand run() {
    for (next_ = 0; next_ < arguments_.size();) {
      const std::string& word = arguments_[next_++];
      if (word.size() > 1 && word[0] == '-') {
        option(word);
      } else {
        add({input_kind(word, language_), {word}, language_});
      }
    }
    return std::move(command_);
  }

 private:
  void add(CompilerArgument argument) { command_.arguments.push_back(std::move(argument)); }

  /// The value of an option, which follows its letters directly or is the next word.
  std::string value_of(const std::string& word, std::size_t letters, CompilerArgument& argument) {
    if (word.size() > letters) return word.substr(letters);
    if (next_ == arguments_.size()) return {};  // the compiler reports the missing value
    argument.words.push_back(arguments_[next_]);
    return arguments_[next_++];
  }

  void option(const std::string& word) {
    CompilerArgument argument{Kind::other, {word}, {}};
    note(word);
    if (word == "-o" || (word.starts_with("-o") && !word.starts_with("-object"))) {
      argument.kind = Kind::output;
      command_.output = value_of(word, 2, argument);
    } else if (word.starts_with("-x")) {
      argument.kind = Kind::language;
      language_ = value_of(word, 2, argument);
    } else if (word.starts_with("-l")) {
      argument.kind = Kind::object;  // keeps its place between the objects
      value_of(word, 2, argument);
    } else {
      if (takes_a_word(word)) value_of(word, word.size(), argument);
      if (is_link_only(word)) argument.kind = Kind::link_only;
      if (is_compile_only(word)) argument.kind = Kind::compile_only;
    }
    add(std::move(argument));
  }

  void note(std::string_view word) {
    command_.information_only |= is_information(word);
    command_.stops_before_link |= stops_before_link(word);
    command_.is_static |= word == "-static" || word == "--static" || word == "-static-pie";
    command_.is_relocatable |= word == "-r" || word == "-Wl,-r" || word == "-Wl,--relocatable";
    command_.has_debug_option |= word.starts_with("-g") && !word.starts_with("-gcc-toolchain");
    command_.has_lto |= word.starts_with("-flto");
    command_.writes_dependencies |= word == "-MD" || word == "-MMD";
    command_.names_dependency_file |= word.starts_with("-MF");
  }

  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  std::string language_;
  CompilerCommand command_;
};

}  // namespace

bool CompilerCommand::has(CompilerArgument::Kind kind) const {
  return std::any_of(arguments.begin(), arguments.end(), [&](const auto& a) { return a.kind == kind; });
}

Result<PlainMode> take_plain_option(std::vector<std::string>& arguments) {
  constexpr std::string_view option = "--plain";
  PlainMode accesses = PlainMode::plain;
  std::string wrong;
  std::erase_if(arguments, [&](std::string_view word) {
    if (word != option && !(word.starts_with(option) && word[option.size()] == '=')) return false;
    if (word == "--plain=relaxed")
      accesses = PlainMode::relaxed;
    else if (wrong.empty())
      wrong = word;
    return true;
  });
  if (!wrong.empty())
    return usage_problem(fmt::format(
        "'{}' is not an option: write --plain=relaxed to turn plain accesses into relaxed atomics, or leave it out",
        wrong));
  return accesses;
}

CompilerCommand parse_compiler_command(const std::vector<std::string>& arguments) { return Parser(arguments).run(); }

}  // namespace heddle::cli
