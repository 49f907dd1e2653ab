// Manual pages, for man(1). They are generated from the tables that --help uses.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/command_table.hpp"

namespace heddle::cli {

/// The page of a command that lists its options. `command` is the name without "heddle".
std::string manual_page(const CLI::App& app, const std::string& command, const std::string& usage);

/// heddle help --man: the page heddle(1).
int print_overview_manual();
/// heddle help --man c++|cc: the page of a compiler wrapper.
int print_compiler_manual(const Command& command);

}  // namespace heddle::cli
