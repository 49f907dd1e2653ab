#include "cli/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/option_entries.hpp"

namespace heddle::cli {

namespace {

constexpr std::size_t text_column = 30;
constexpr std::size_t line_width = 100;

/// Lines of at most line_width - text_column characters, each after the first with the indentation.
std::string wrapped(std::string_view text) {
  std::string result;
  std::size_t column = text_column;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column + word.size() > line_width) {
      result += "\n" + std::string(text_column, ' ');
      column = text_column;
    } else if (column != text_column) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string escaped_for_table(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

/// "`-n`, `--runs N`"
std::string markdown_names(const OptionEntry& option) {
  const std::string letter = option.letter.empty() ? "" : fmt::format("`-{}`, ", option.letter);
  return fmt::format("{}`--{}{}{}`", letter, option.name, option.values.empty() ? "" : " ",
                     escaped_for_table(option.values));
}

}  // namespace

std::string Help::make_usage(const CLI::App*, std::string) const { return "usage: " + usage_ + "\n"; }

std::string Help::make_option(const CLI::Option* option, bool is_positional) const {
  std::string names = "  " + make_option_name(option, is_positional);
  if (!is_positional && !option->get_type_name().empty()) names += " " + option->get_type_name();
  std::string text = option->get_description();
  if (!option->get_default_str().empty()) text += fmt::format(" [{}]", option->get_default_str());
  return help_entry(names, text);
}

std::string help_entry(const std::string& names, const std::string& text) {
  const std::string gap = names.size() + 2 <= text_column ? std::string(text_column - names.size(), ' ')
                                                          : "\n" + std::string(text_column, ' ');
  return names + gap + wrapped(text) + "\n";
}

std::string markdown_options(const CLI::App& app) {
  std::string table = "| option | default | |\n|---|---|---|\n";
  for (const OptionEntry& option : option_entries(app))
    table += fmt::format("| {} |{}| {} |\n", markdown_names(option),
                         option.fallback.empty() ? " " : fmt::format(" `{}` ", option.fallback),
                         escaped_for_table(option.help));
  return table;
}

std::string parse_error_text(const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return text.substr(0, text.find(':')) + " needs a value";
  return text;
}

}  // namespace heddle::cli
