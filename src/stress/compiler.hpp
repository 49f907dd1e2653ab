// Compilers under test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace heddle::stress {

struct Compiler {
  std::string name;     ///< as the user wrote it
  std::string cxx;      ///< the C++ compiler that belongs to it; empty: there is none
  std::string version;  ///< the first line of --version
  std::string machine;  ///< "x86_64", "aarch64"; empty: it did not say
};

/// Asks the compiler for its version and machine.
Result<Compiler> find_compiler(const std::string& name);

/// "clang++-14" for "clang-14", "aarch64-linux-gnu-g++" for "aarch64-linux-gnu-gcc"; empty if the name does not say.
std::string cxx_name(const std::string& c_name);

/// What to compile, and how.
struct Compilation {
  std::string level;               ///< "O2"
  std::vector<std::string> flags;  ///< of the user
  std::string include;             ///< the folder that has heddle/stress.h
};

/// From "O0,O2" or "-O0,-O2".
Result<std::vector<std::string>> parse_levels(const std::vector<std::string>& words);

/// Compiles and links. Returns nothing, or the first error of the compiler.
std::optional<std::string> compile(const std::vector<std::string>& command, const std::string& output);

/// The command that compiles the C file, up to -o.
std::vector<std::string> c_command(const Compiler& compiler, const Compilation& how, const std::string& source);

/// The processor of the machine that heddle runs on.
std::string own_machine();

}  // namespace heddle::stress
