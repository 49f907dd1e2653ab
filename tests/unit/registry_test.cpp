// Every registered strategy is complete: the recipe "Add a strategy" of docs/development.md has been followed.
#include "strategies/registry.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <string>

#include "sampling.hpp"

namespace heddle::strategies {

namespace {

using testing::sample;
using testing::specification_error;
using testing::store_buffering;

const std::filesystem::path root = HEDDLE_SOURCE_FOLDER;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(root / path);
  EXPECT_TRUE(file) << path << " cannot be read";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST(Registry, NamesAreDifferentAndUsable) {
  std::set<std::string> names = {"auto", "exhaustive"};
  for (const StrategyDescriptor* strategy : registered_strategies()) {
    EXPECT_TRUE(names.insert(strategy->name).second) << strategy->name << " is there twice";
    EXPECT_EQ(std::string(strategy->name).find_first_of(":,= "), std::string::npos) << strategy->name;
    EXPECT_FALSE(std::string(strategy->help).empty()) << strategy->name;
    EXPECT_EQ(std::string(strategy->help).find('\n'), std::string::npos) << strategy->name;
  }
}

TEST(Registry, EveryParameterIsConsistent) {
  for (const StrategyDescriptor* strategy : registered_strategies()) {
    EXPECT_LE(strategy->parameters.size(), most_parameters) << strategy->name;
    for (const Parameter& parameter : strategy->parameters) {
      const std::string name = std::string(strategy->name) + ":" + parameter.name;
      EXPECT_LE(parameter.least, parameter.most) << name;
      EXPECT_FALSE(std::string(parameter.help).empty()) << name;
      EXPECT_LE(parameter.values.size(), most_values) << name;
      EXPECT_LE(parameter.first_weights.size(), parameter.values.size()) << name;
      for (const double value : parameter.values) {
        EXPECT_GE(value, parameter.least) << name;
        EXPECT_LE(value, parameter.most) << name;
      }
      if (parameter.default_value) {
        EXPECT_GE(*parameter.default_value, parameter.least) << name;
        EXPECT_LE(*parameter.default_value, parameter.most) << name;
      }
      EXPECT_EQ(parameter.values.empty(), parameter.first_weights.empty()) << name;
      EXPECT_TRUE(parameter.default_value || !parameter.values.empty() || parameter.role == Parameter::Role::length)
          << name << " would have no value";
    }
  }
}

TEST(Registry, TheParserAcceptsEveryStrategyAndItsLimits) {
  for (const StrategyDescriptor* strategy : registered_strategies()) {
    EXPECT_EQ(specification_error(strategy->name), "");
    for (const Parameter& parameter : strategy->parameters) {
      if (parameter.type == Parameter::Type::word) continue;
      std::ostringstream least, most, too_much;
      least << std::fixed << strategy->name << ":" << parameter.name << "="
            << static_cast<std::uint64_t>(parameter.least);
      most << strategy->name << ":" << parameter.name << "=" << static_cast<std::uint64_t>(parameter.most);
      too_much << strategy->name << ":" << parameter.name << "=" << static_cast<std::uint64_t>(parameter.most) + 1;
      EXPECT_EQ(specification_error(least.str().c_str()), "");
      EXPECT_EQ(specification_error(most.str().c_str()), "");
      EXPECT_NE(specification_error(too_much.str().c_str()), "") << too_much.str();
    }
  }
}

TEST(Registry, TheParserAcceptsEveryWordOfAParameterAndNoOther) {
  for (const StrategyDescriptor* strategy : registered_strategies()) {
    for (const Parameter& parameter : strategy->parameters) {
      if (parameter.type != Parameter::Type::word) continue;
      const std::string begin = std::string(strategy->name) + ":" + parameter.name + "=";
      EXPECT_EQ(parameter.words.size(), static_cast<std::size_t>(parameter.most) + 1) << begin;
      EXPECT_NE(specification_error((begin + "nonsense").c_str()), "");
      for (const char* word : parameter.words) EXPECT_EQ(specification_error((begin + word).c_str()), "");
      if (parameter.open_word == nullptr) continue;
      EXPECT_EQ(specification_error((begin + parameter.open_word).c_str()), "");
    }
  }
}

// Both threads read 0 in at least one of seven executions of every strategy. The seed is fixed.
TEST(Registry, EveryStrategyRuns) {
  for (const StrategyDescriptor* strategy : registered_strategies())
    EXPECT_GT(sample(store_buffering(), strategy->name, 200).hits, 5U) << strategy->name;
}

// `directed` is for predicted cycles.
TEST(Registry, EveryStrategyButDirectedIsAMemberOfAuto) {
  ASSERT_EQ(automatic_strategies() + 1, registered_strategies().size());
  EXPECT_STREQ(registered_strategies().back()->name, "directed");
  std::set<std::size_t> drawn;
  const PortfolioScope scope;
  for (std::uint64_t number = 0; number < 100; ++number)
    drawn.insert(assign(first_plan(scope), scope, 1, number).strategy());
  EXPECT_EQ(drawn.size(), automatic_strategies());
  EXPECT_LT(*drawn.rbegin(), automatic_strategies());
}

TEST(Registry, EveryStrategyHasItsFilesATestAndAParagraph) {
  const std::string documentation = contents("docs/strategies.md");
  const std::string tests = contents("tests/unit/CMakeLists.txt");
  for (const StrategyDescriptor* strategy : registered_strategies()) {
    const std::string name = strategy->name;
    EXPECT_TRUE(std::filesystem::exists(root / "src/strategies" / (name + ".cpp"))) << name;
    EXPECT_TRUE(std::filesystem::exists(root / "src/strategies" / (name + ".hpp"))) << name;
    EXPECT_TRUE(contains(tests, name + "_test.cpp")) << name << " has no test in tests/unit/CMakeLists.txt";
    EXPECT_TRUE(contains(documentation, "\n## " + name + "\n")) << name << " has no paragraph in docs/strategies.md";
    EXPECT_TRUE(contains(documentation, "| `" + name + "` |")) << name << " is not in the table of docs/strategies.md";
    for (const Parameter& parameter : strategy->parameters)
      EXPECT_TRUE(contains(documentation, "| `" + name + ":" + parameter.name + "` |"))
          << name << ":" << parameter.name;
  }
}

}  // namespace heddle::strategies
