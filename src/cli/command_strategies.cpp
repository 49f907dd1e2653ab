// heddle help --strategies: what the registry knows, for scripts that run every strategy.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

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
      Json values = std::vector(parameter.values.begin(), parameter.values.end());
      if (parameter.type == strategies::Parameter::Type::word) {
        values = std::vector<std::string>(parameter.words.begin(), parameter.words.end());
        if (parameter.open_word != nullptr) values.push_back(parameter.open_word);
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
