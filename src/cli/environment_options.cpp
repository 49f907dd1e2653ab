#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/test_options.hpp"

namespace heddle::cli {

namespace {

constexpr auto value_options =
    std::to_array<std::string_view>({"strategy", "model", "release-sequence", "runs", "time", "jobs", "seed",
                                     "isolation", "max-events", "max-memory", "timeout", "json", "out", "stdin"});
constexpr auto flag_options = std::to_array<std::string_view>({"stop-on-bug", "show-output", "leaks", "aslr", "quiet"});

bool contains(const auto& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

struct Item {
  std::string text;
  char before;  ///< the separator in front of it; '\0' for the first
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

std::string option_name(const std::string& item) {
  std::string name = item.substr(0, item.find('='));
  while (name.starts_with("-")) name.erase(0, 1);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

Result<bool> flag_value(const std::string& name, const std::string& value) {
  if (value == "1" || value == "true" || value == "yes" || value == "on") return true;
  if (value == "0" || value == "false" || value == "no" || value == "off") return false;
  return usage_problem(fmt::format("HEDDLE_OPTIONS: {}={}: write {}=1 or {}=0", name, value, name, name));
}

std::string all_names() {
  std::string names;
  for (const auto name : value_options) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  for (const auto name : flag_options) names += fmt::format(", {}", name);
  return names;
}

}  // namespace

Result<std::vector<std::string>> arguments_from_environment(const std::string& text) {
  std::vector<std::string> arguments;
  bool in_strategy = false;
  bool has_parameters = false;
  for (const Item& item : split_items(text)) {
    const std::string name = option_name(item.text);
    const bool known = contains(value_options, name) || contains(flag_options, name);
    if (in_strategy && !known && (item.before == ':' || item.before == ',')) {
      arguments.back() += (has_parameters ? "," : ":") + item.text;
      has_parameters = true;
      continue;
    }
    in_strategy = false;
    if (!known) {
      return usage_problem(
          fmt::format("HEDDLE_OPTIONS: there is no option '{}'; the options are: {}", name, all_names()));
    }
    const auto equals = item.text.find('=');
    if (equals == std::string::npos) {
      return usage_problem(fmt::format("HEDDLE_OPTIONS: '{}' has no value: write {}=VALUE", item.text, item.text));
    }
    const std::string value = item.text.substr(equals + 1);
    if (contains(flag_options, name)) {
      const auto on = flag_value(name, value);
      if (!on) return on.problem();
      if (*on) arguments.push_back("--" + name);
      continue;
    }
    arguments.push_back("--" + name);
    arguments.push_back(value);
    in_strategy = name == "strategy";
    has_parameters = value.find(':') != std::string::npos;
  }
  return arguments;
}

}  // namespace heddle::cli
