// heddle help --strategies and heddle help --markdown strategies: what the registry knows, for scripts and
// documentation.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/strategy_list.hpp"

namespace heddle::cli {

using strategies::Parameter;

namespace {

std::string number_text(double value) { return value < strategies::no_switch_bound ? fmt::format("{}", value) : "N"; }

}  // namespace

std::string values_text(const Parameter& parameter) {
  if (parameter.type == Parameter::Type::word)
    return fmt::format("{}{}{}", fmt::join(parameter.words, "|"), parameter.open_word == nullptr ? "" : "|",
                       parameter.open_word == nullptr ? "" : parameter.open_word);
  const bool is_flag = parameter.type == Parameter::Type::whole_number && parameter.least == 0 && parameter.most == 1;
  return fmt::format("{}{}{}", parameter.least, is_flag ? "|" : "..", number_text(parameter.most));
}

std::string default_text(const Parameter& parameter) {
  if (!parameter.default_value) return "";
  if (parameter.type == Parameter::Type::word)
    return parameter.words[static_cast<std::size_t>(*parameter.default_value)];
  return number_text(*parameter.default_value);
}

int command_strategies() {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for_each_strategy([&](const strategies::StrategyDescriptor& described) {
    Json strategy = {{"name", described.name}, {"help", described.help}, {"parameters", Json::array()}};
    for (const Parameter& parameter : described.parameters) {
      Json values = Json::array();
      for (const double value : parameter.values) {
        if (parameter.type == Parameter::Type::word)
          values.push_back(parameter.words[static_cast<std::size_t>(value)]);
        else
          values.push_back(value);
      }
      strategy["parameters"].push_back({{"name", parameter.name},
                                        {"help", parameter.help},
                                        {"least", parameter.least},
                                        {"most", parameter.most},
                                        {"values", std::move(values)}});
    }
    list.push_back(std::move(strategy));
  });
  fmt::print("{}\n", list.dump(2));
  return static_cast<int>(ExitCode::no_bug);
}

int command_strategy_table() {
  fmt::print("| parameter | values | default | meaning |\n|---|---|---|---|\n");
  for_each_strategy([](const strategies::StrategyDescriptor& strategy) {
    for (const Parameter& parameter : strategy.parameters) {
      std::string values;
      for (const char c : values_text(parameter)) {
        if (c == '|') values += '\\';
        values += c;
      }
      const std::string by_default = default_text(parameter);
      fmt::print("| `{}:{}` | {} | {} | {} |\n", strategy.name, parameter.name, values,
                 by_default.empty() ? "learnt" : by_default, parameter.help);
    }
  });
  return static_cast<int>(ExitCode::no_bug);
}

}  // namespace heddle::cli
