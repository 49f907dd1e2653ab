#include "cli/option_entries.hpp"

#include <algorithm>
#include <string_view>

#include "cli/run_options.hpp"
#include "cli/strategy_list.hpp"

namespace heddle::cli {

namespace {

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> words;
  while (true) {
    const auto at = text.find(separator);
    words.emplace_back(text.substr(0, at));
    if (at == text.npos) return words;
    text.remove_prefix(at + separator.size());
  }
}

std::vector<std::string> strategy_words() {
  std::vector<std::string> words;
  for_each_strategy([&](const strategies::StrategyDescriptor& strategy) { words.emplace_back(strategy.name); });
  return words;
}

}  // namespace

std::vector<OptionEntry> option_entries(const CLI::App& app) {
  std::vector<OptionEntry> entries;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || option == app.get_help_ptr() || option->get_group().empty()) continue;
    const std::string letter = option->get_snames().empty() ? "" : option->get_snames()[0];
    entries.push_back({letter, option->get_lnames()[0], option->get_type_name(), option->get_default_str(),
                       option->get_description()});
  }
  return entries;
}

ValueChoices choices_for(const OptionEntry& option) {
  using Kind = ValueChoices::Kind;
  if (option.name == "model") return {Kind::words, split(model_names(), ", ")};
  if (option.name == "strategy" && option.values.starts_with("NAME")) return {Kind::words, strategy_words()};
  if (option.values.find('|') != std::string::npos) return {Kind::words, split(option.values, "|")};
  if (option.values == "FILE" || option.values == "PATH") return {Kind::files, {}};
  if (option.values == "DIR") return {Kind::folders, {}};
  return {};
}

}  // namespace heddle::cli
