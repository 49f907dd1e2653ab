#include "campaign/limit_gate.hpp"

#include <gtest/gtest.h>

namespace heddle::campaign {
namespace {

using findings::LimitKind;
using Verdict = LimitGate::Verdict;

const std::set<LimitKind> events{LimitKind::events}, timeout{LimitKind::timeout},
    both{LimitKind::events, LimitKind::timeout};

Settings from_execution(std::uint64_t first) {
  Settings settings;
  settings.first_execution = first;
  return settings;
}

TEST(LimitGate, OpensWhenOneExecutionRunsToItsEnd) {
  LimitGate gate(from_execution(100), false);
  EXPECT_EQ(gate.position(), 103U);
  EXPECT_EQ(gate.update({.executions = 2, .cut_off = 1}, events), Verdict::moved);
  EXPECT_EQ(gate.position(), no_end);
  EXPECT_EQ(gate.update({.executions = 30, .cut_off = 30, .all_wait = true}, events), Verdict::stays);
}

TEST(LimitGate, OpensForABug) {
  LimitGate gate(from_execution(0), false);
  EXPECT_EQ(gate.update({.executions = 2, .cut_off = 2, .buggy = 1}, events), Verdict::moved);
  EXPECT_EQ(gate.position(), no_end);
}

TEST(LimitGate, ThreeExecutionsThatHangEndTheCampaign) {
  LimitGate gate(from_execution(0), false);
  EXPECT_EQ(gate.update({.executions = 2, .cut_off = 2}, timeout), Verdict::stays);
  EXPECT_EQ(gate.update({.executions = 3, .cut_off = 3, .all_wait = true}, timeout), Verdict::ends_campaign);
}

TEST(LimitGate, TenExecutionsWithTooManyEventsEndTheCampaign) {
  LimitGate gate(from_execution(0), false);
  EXPECT_EQ(gate.update({.executions = 3, .cut_off = 3, .all_wait = true}, events), Verdict::moved);
  EXPECT_EQ(gate.position(), 10U);
  EXPECT_EQ(gate.update({.executions = 10, .cut_off = 10, .all_wait = true}, events), Verdict::ends_campaign);
}

TEST(LimitGate, DifferentLimitsDoNotEndTheCampaign) {
  LimitGate gate(from_execution(0), false);
  EXPECT_EQ(gate.update({.executions = 3, .cut_off = 3, .all_wait = true}, both), Verdict::moved);
  EXPECT_EQ(gate.update({.executions = 10, .cut_off = 10, .all_wait = true}, both), Verdict::moved);
  EXPECT_EQ(gate.position(), no_end);
}

TEST(LimitGate, AnExhaustiveSearchHasNone) { EXPECT_EQ(LimitGate(from_execution(0), true).position(), no_end); }

}  // namespace
}  // namespace heddle::campaign
