// The command line of gcc and clang, as far as the wrapper must understand it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace heddle::cli {

/// An option with its value, or an input.
struct CompilerArgument {
  enum class Kind {
    other,         ///< for every step
    compile_only,  ///< preprocessor options, which a link does not take
    link_only,     ///< options that a compilation does not take; clang warns about them
    source,
    header,    ///< to be precompiled
    object,    ///< objects, archives, libraries, linker scripts
    output,    ///< -o
    language,  ///< -x
  };
  Kind kind = Kind::other;
  std::vector<std::string> words;
  std::string language;  ///< of a source, if -x gave one
};

struct CompilerCommand {
  std::vector<CompilerArgument> arguments;
  bool information_only = false;  ///< --version, -print-...: nothing is compiled
  bool stops_before_link = false;
  bool is_static = false;
  bool is_relocatable = false;  ///< -r: the result is an object, not a program
  bool has_debug_option = false;
  bool has_lto = false;
  bool writes_dependencies = false;  ///< -MD, -MMD
  bool names_dependency_file = false;
  std::string output;

  bool has(CompilerArgument::Kind kind) const;
};

/// What plain accesses to shared memory become.
enum class PlainMode { plain, relaxed };

/// Removes heddle's own option --plain from the arguments. What is left is for the compiler.
Result<PlainMode> take_plain_option(std::vector<std::string>& arguments);

CompilerCommand parse_compiler_command(const std::vector<std::string>& arguments);

}  // namespace heddle::cli
