// Completions for the shells bash, zsh and fish. They are generated from the tables that --help uses.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace heddle::cli {

/// The part of a completion file that completes the options of one command. `shell` is bash, zsh or fish.
std::string completion_part(const CLI::App& app, const std::string& command, const std::string& shell);

}  // namespace heddle::cli
