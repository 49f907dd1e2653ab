// Turns the command line of the compiler wrapper into a list of commands. Runs nothing.
//
// A step that compiles gets -fsanitize=thread. A step that links gets libheddle.so instead, because with that option
// the compiler would link its own run-time library. A command that compiles and links is therefore split: one
// compilation of each source into a temporary object, and one link with the objects in the place of the sources.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace heddle::cli {

struct Toolchain {
  std::vector<std::string> compiler;  ///< may be more than one word: ccache g++
  bool is_clang = false;
  std::string library;   ///< path of libheddle.so; empty if it was not found
  std::string include;   ///< folder of heddle's headers; empty if it was not found
  std::string plugin{};  ///< the pass of --plain=relaxed; empty: plain accesses stay plain
};

using CommandLine = std::vector<std::string>;

struct CompilePlan {
  std::vector<CommandLine> steps;         ///< run in this order, up to the first that fails
  std::vector<std::string> linked_files;  ///< objects, archives and libraries that the command names and links
};

/// The options that instrument a compilation with gcc or clang. gcc also needs -include heddle/gcc_builtins.h.
CommandLine instrumentation_options(bool is_clang);

/// `scratch_folder` creates a folder for temporary objects. It is called at most once, if there are any.
Result<CompilePlan> plan_compilation(const std::vector<std::string>& arguments, const Toolchain& toolchain,
                                     const std::function<std::string()>& scratch_folder);

/// Replaces every @file by the arguments in the file, as gcc does. A file that cannot be read is left as it is.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

}  // namespace heddle::cli
