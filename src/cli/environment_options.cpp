#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "run/quantities.hpp"
#include "run/values.hpp"

namespace heddle::cli {

namespace {

struct Item {
  std::string text;
  char before;  ///< the separator in front of the item; '\0' for the first item
};

bool is_separator(char c) { return c == ':' || c == ',' || c == ' ' || c == '\t' || c == '\n'; }

std::vector<Item> split_items(const std::string& text) {
  std::vector<Item> items;
  Item item{{}, '\0'};
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        item.text += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (is_separator(c)) {
      if (!item.text.empty()) items.push_back(item);
      item = {{}, c};
    } else {
      item.text += c;
    }
  }
  if (!item.text.empty()) items.push_back(item);
  return items;
}

std::string name_of(const Item& item) {
  std::string name = item.text.substr(0, item.text.find('='));
  while (name.starts_with("-")) name.erase(0, 1);
  return name;
}

constexpr unsigned environment_keys = run::test | run::environment;

std::string all_keys() {
  std::string keys;
  for (const run::Field& field : run::fields()) {
    if ((field.uses & environment_keys) != 0) keys += (keys.empty() ? "" : ", ") + run::key_of(field);
  }
  return keys + ", help";
}

Problem wrong(const std::string& what) { return usage_problem("HEDDLE_OPTIONS: " + what); }

/// What HEDDLE_OPTIONS=help=1 prints.
std::string environment_help() {
  std::string text =
      "HEDDLE_OPTIONS is a list of options, separated by colons: HEDDLE_OPTIONS=runs=500:seed=3\n"
      "Flags take 1 or 0. docs/cli.md says more.\n\nOptions:\n";
  for (const run::Field& field : run::fields()) {
    if ((field.uses & environment_keys) == 0) continue;
    const std::string value = field.is_flag() ? "1" : std::string(field.values);
    const std::string fallback = run::default_text(field);
    text += help_entry(fmt::format("  {}={}", run::key_of(field), value),
                       help_of(field) + (fallback.empty() ? "" : fmt::format(" [{}]", fallback)));
  }
  return text + help_entry("  help=1", "print this page");
}

}  // namespace

Result<GivenValues> values_from_environment(const std::string& text) {
  GivenValues values;
  bool asks_for_help = false;
  GivenValue* strategy = nullptr;  // if the item before this one belongs to it
  for (const Item& item : split_items(text)) {
    const std::string name = name_of(item);
    const run::Field* field = run::find_field(name, environment_keys);
    if (name == "help" && field == nullptr) {
      const auto equals = item.text.find('=');
      const auto flag = run::parse_flag(equals == std::string::npos ? "" : item.text.substr(equals + 1));
      if (!flag) return wrong("write help=1 or help=0");
      asks_for_help = *flag;
      strategy = nullptr;
      continue;
    }
    if (strategy != nullptr && field == nullptr && (item.before == ':' || item.before == ',')) {
      strategy->text += (strategy->text.find(':') == std::string::npos ? ":" : ",") + item.text;
      continue;
    }
    if (field == nullptr) return wrong(fmt::format("there is no option '{}'; the options are: {}", name, all_keys()));
    const auto equals = item.text.find('=');
    if (equals == std::string::npos) {
      return wrong(fmt::format("'{}' has no value: write {}={}", name, name, field->is_flag() ? "1" : "VALUE"));
    }
    std::string value = item.text.substr(equals + 1);
    if (field->is_flag()) {
      const auto flag = run::parse_flag(value);
      if (!flag) return wrong(fmt::format("{}={}: write {}=1 or {}=0", name, value, name, name));
      value = *flag ? "1" : "0";
    }
    GivenValue& given = values[field] = {fmt::format("HEDDLE_OPTIONS: {}", name), value};
    strategy = field->name == "strategy" ? &given : nullptr;
  }
  if (asks_for_help) return help_page(environment_help());
  return values;
}

}  // namespace heddle::cli
