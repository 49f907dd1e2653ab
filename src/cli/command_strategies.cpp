// heddle help --strategies: what the registry knows, for scripts that run every strategy.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "base/result.hpp"
#include "cli/commands.hpp"
#include "cli/strategy_list.hpp"

namespace heddle::cli {

int command_strategies() {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for_each_strategy([&](const char* name, const char* help, std::span<const strategies::Parameter> parameters) {
    Json strategy = {{"name", name}, {"help", help}, {"parameters", Json::array()}};
    for (const strategies::Parameter& parameter : parameters) {
      Json values = Json::array();
      for (const double value : parameter.values) {
        if (parameter.type == strategies::Parameter::Type::word)
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

}  // namespace heddle::cli
