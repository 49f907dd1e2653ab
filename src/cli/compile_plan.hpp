// What the compiler wrapper does with a command line, as a list of commands. Nothing is run here.
//
// A step that compiles gets -fsanitize=thread; a step that links gets libheddle.so in the place of that option,
// since the compiler would link its own run-time library for it. A command that does both is therefore split: one
// compilation a source into a temporary object, and one link with the objects where the sources stood.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trace/result.hpp"

namespace heddle::cli {

struct Toolchain {
  std::vector<std::string> compiler;  ///< the command, perhaps with words in front (ccache g++)
  bool is_clang = false;
  std::string library;  ///< libheddle.so; empty: there is none
  std::string include;  ///< heddle's headers; empty: they are where the compiler looks anyway
};

using CommandLine = std::vector<std::string>;

struct CompilePlan {
  std::vector<CommandLine> steps;  ///< to be run in order until one fails
};

/// `scratch_folder` is called, once, if temporary objects are needed: their folder.
Result<CompilePlan> plan_compilation(const std::vector<std::string>& arguments, const Toolchain& toolchain,
                                     const std::function<std::string()>& scratch_folder);

/// Replaces every @file by the arguments in it, as gcc does; one that cannot be read stays as it is.
std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments);

}  // namespace heddle::cli
