#include "prediction/directed_cycle.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace heddle::prediction {

namespace {

Label label_at(unsigned line, AccessKind kind, std::vector<std::uint64_t> sites) {
  Label label;
  label.kind = kind;
  label.file = "/source/queue.c";
  label.line = line;
  label.sites = std::move(sites);
  return label;
}

const std::vector<Label> labels = {label_at(1, AccessKind::store, {0xabc}), label_at(2, AccessKind::store, {1, 2}),
                                   label_at(3, AccessKind::load, {0xffffffffffffffff}),
                                   label_at(4, AccessKind::load, {7})};
const strategies::Cycle cycle = {.size = 3, .pairs = {{3, 2, 0}, {0, 0, 1}, {2, 1, 0}}};

}  // namespace

TEST(DirectedCycle, ItsTextIsReadBack) {
  const DirectedCycle directed = directed_cycle(cycle, labels);
  EXPECT_EQ(directed.cycle, (strategies::Cycle{.size = 3, .pairs = {{0, 1, 0}, {2, 2, 1}, {1, 3, 0}}}));
  EXPECT_EQ(directed.sites, (std::vector<std::vector<std::uint64_t>>{{7}, {0xffffffffffffffff}, {0xabc}, {1, 2}}));
  const auto read = parse_cycle(to_text(directed));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, directed);
}

TEST(DirectedCycle, TextsThatAreNoCycleAreRefused) {
  const std::string text = to_text(directed_cycle(cycle, labels));
  for (const char* wrong : {"", "1", "1 0-1", "1 0-1 2-3", "1 0-1 1-0 0=1", "1 0-1 1-0 1=1 0=2", "1 0-1 1-0 0=1 1=",
                            "x 0-1 1-0 0=1 1=2", "1 0-1 1-0 0=1 1=2 ", "1 0-1 1-0 0=1 1=2 0-1", "1 0-1 1-0  0=1 1=2",
                            "1 0 0 0 0 0 0 0 0 0 0=1", "1 0-1 1-0 0=1 1=2,x", "1 0-99999999999 1-0 0=1 1=2"})
    EXPECT_FALSE(parse_cycle(wrong)) << wrong;
  EXPECT_TRUE(parse_cycle("1 0-1 1-0 0=1 1=2"));
  for (std::size_t size = 0; size < text.size(); ++size) parse_cycle(text.substr(0, size));  // no crash
}

TEST(DirectedCycle, TheTableFindsItsLabels) {
  auto table = std::make_unique<strategies::CycleTable>();
  write_table({cycle}, labels, *table);
  EXPECT_EQ(table->site_count, 5U);
  for (std::uint32_t label = 0; label < labels.size(); ++label)
    for (const std::uint64_t site : labels[label].sites) EXPECT_EQ(table->find_label(site), label);
  EXPECT_EQ(table->find_label(5), strategies::no_label);
  EXPECT_EQ(table->find_label(0), strategies::no_label);
}

// A trace made from another numbering of labels names the cycle in the same way.
TEST(DirectedCycle, ItsNameDoesNotDependOnTheNumbersOfLabels) {
  const std::vector<Label> reversed(labels.rbegin(), labels.rend());
  strategies::Cycle renumbered = cycle;
  for (std::uint32_t i = 0; i < cycle.size; ++i) {
    renumbered.pairs[i].first = 3 - cycle.pairs[i].first;
    renumbered.pairs[i].second = 3 - cycle.pairs[i].second;
  }
  EXPECT_EQ(directed_cycle(cycle, labels), directed_cycle(renumbered, reversed));
}

}  // namespace heddle::prediction
