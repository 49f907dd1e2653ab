// The help pages of the commands, as plain text and as Markdown, and the wording of CLI11's errors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace heddle::cli {

/// Formats a help page. The values and the default of an option come from its type_name() and default_str().
class Help final : public CLI::Formatter {
 public:
  explicit Help(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;

 private:
  std::string usage_;
};

/// Names in the first column, and the text beside or below them.
std::string help_entry(const std::string& names, const std::string& text);

/// The options of a command as the table that docs/cli.md contains.
std::string markdown_options(const CLI::App& app);

std::string parse_error_text(const CLI::ParseError& error);

}  // namespace heddle::cli
