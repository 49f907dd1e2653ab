#include <gtest/gtest.h>

#include <string>

#include "sampling.hpp"
#include "strategies/strategy.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::strategies {

namespace {

using testing::specification_error;

StrategySpecification parsed(const std::string& text) {
  SpecificationError error;
  const auto result = parse_strategy(text, error);
  EXPECT_TRUE(result) << text << ": " << error.text;
  return result.value_or(StrategySpecification{});
}

std::string round_trip(const std::string& text) { return parsed(text).to_text().text; }

}  // namespace

TEST(StrategySpecification, AcceptsANameAndParameters) {
  EXPECT_EQ(specification_error("random"), "");
  EXPECT_EQ(specification_error("random:switch=0.25"), "");
}

TEST(StrategySpecification, SaysWhatIsWrong) {
  EXPECT_NE(specification_error("radnom").find("there is no strategy 'radnom'"), std::string::npos);
  EXPECT_NE(specification_error("").find("there is no strategy ''"), std::string::npos);
  EXPECT_EQ(specification_error("random:swithc=1"), "random has no parameter 'swithc'; it has: switch");
  EXPECT_EQ(specification_error("random:switch"), "the parameter 'switch' has no value: write key=value");
  EXPECT_EQ(specification_error("random:switch=2"), "switch=2: this is not a number from 0 to 1");
  EXPECT_EQ(specification_error("pos:d=1"), "pos has no parameters, but was given 'd=1'");
  for (const char* wrong : {"random:switch=", "random:switch=2", "random:switch=-1", "random:switch=0.5x",
                            "random:switch=nan", "random:switch=0.1,switch=often"})
    EXPECT_NE(specification_error(wrong), "") << wrong;
}

TEST(StrategySpecification, NamesEveryStrategyIfThereIsNoneOfThisName) {
  const std::string error = specification_error("nothing");
  EXPECT_NE(error.find("auto"), std::string::npos);
  EXPECT_NE(error.find("exhaustive"), std::string::npos);
  for (const StrategyDescriptor* strategy : registered_strategies())
    EXPECT_NE(error.find(strategy->name), std::string::npos) << strategy->name;
}

TEST(StrategySpecification, KnowsTheExhaustiveSearchWithAndWithoutBounds) {
  EXPECT_TRUE(parsed("exhaustive").is_exhaustive());
  EXPECT_TRUE(parsed("exhaustive:loop=100").is_exhaustive());
  EXPECT_FALSE(parsed("auto").is_exhaustive());
  EXPECT_FALSE(parsed("pct").is_exhaustive());
  const SearchBounds bounds = parsed("exhaustive:loop=100,values=2,symmetry=1").bounds();
  EXPECT_EQ(bounds.events, 0U);
  EXPECT_EQ(bounds.loop, 100U);
  EXPECT_EQ(bounds.spurious, 1U);
  EXPECT_EQ(bounds.values, 2U);
  EXPECT_EQ(bounds.symmetry, 1U);
  EXPECT_EQ(parsed("pct:d=3,k=9").bounds().events, 0U) << "its parameters are no bounds";
}

TEST(StrategySpecification, SaysWhatIsWrongWithBounds) {
  EXPECT_EQ(specification_error("exhaustive:depth=3"),
            "exhaustive has no parameter 'depth'; it has: events, loop, spurious, values, symmetry, weak, arrivals, "
            "switches, undone, readers, native");
  EXPECT_EQ(specification_error("exhaustive:loop"), "the parameter 'loop' has no value: write key=value");
  EXPECT_EQ(specification_error("exhaustive:values=0"), "values=0: this is not a whole number from 1 to 999999999");
  EXPECT_EQ(specification_error("exhaustive:loop=many"), "loop=many: this is not a whole number from 0 to 999999999");
}

TEST(StrategySpecification, LearnsWhatIsNeitherGivenNorHasADefault) {
  for (const char* learns : {"auto", "pct", "pct:d=3", "pct:k=9", "pctwm", "pctwm:d=2,k=9"})
    EXPECT_TRUE(parsed(learns).learns()) << learns;
  for (const char* fixed : {"random", "pct:d=3,k=9", "pctwm:d=2,k=9,h=1", "pos", "exhaustive", "exhaustive:loop=3"})
    EXPECT_FALSE(parsed(fixed).learns()) << fixed;
}

TEST(StrategySpecification, HasATextThatIsReadBack) {
  for (const char* text : {"auto", "random", "random:switch=0.05", "pct", "pct:d=3,k=20", "pctwm:d=0,h=4",
                           "pctwm:d=32,k=1000000000,h=1000000000", "pos", "exhaustive", "exhaustive:loop=3",
                           "exhaustive:events=999999999,loop=999999999,spurious=999999999,values=999999999,symmetry=1"})
    EXPECT_EQ(round_trip(text), text);
  EXPECT_EQ(round_trip("random:switch=1"), "random") << "a default value";
  EXPECT_EQ(round_trip("pct:k=20,d=3"), "pct:d=3,k=20") << "in the order of the descriptor";
}

}  // namespace heddle::strategies
