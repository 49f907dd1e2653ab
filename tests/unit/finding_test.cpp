// Findings in the driver: decoded from typed records, or made for a worker that died.
#include "findings/finding.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <array>

#include "campaign/output_folder.hpp"
#include "channel/process_end.hpp"
#include "findings/module_map.hpp"

namespace heddle::findings {
namespace {

std::array<std::uint64_t, 256> buffer;

TEST(Finding, IsDecodedFromItsRecords) {
  const std::array<std::uint64_t, 2> stack{0x401000, 0x402000};
  channel::RecordWriter writer(buffer);
  writer.add(channel::FindingHead{.kind = FindingKind::race, .events = 17, .message = "not ordered"});
  writer.add(channel::FindingAccess{AccessKind::write, graph::MemoryOrder::plain, 4, 0x5000, "T0.1", stack});
  writer.add(channel::FindingAccess{AccessKind::atomic_read, graph::MemoryOrder::relaxed, 4, 0x5000, "T0.2", {}});
  writer.add(channel::ObjectRecord{Place::heap, 0x5000, 0x4ff8, 24, "T0", stack});
  const auto finding = decode_finding(writer.words());
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, FindingKind::race);
  EXPECT_TRUE(is_bug(*finding));
  EXPECT_EQ(finding->message, "not ordered");
  EXPECT_EQ(finding->events, 17U);
  ASSERT_EQ(finding->accesses.size(), 2U);
  EXPECT_EQ(finding->accesses[0].stack.pcs, std::vector<std::uint64_t>(stack.begin(), stack.end()));
  EXPECT_EQ(finding->accesses[1].order, graph::MemoryOrder::relaxed);
  ASSERT_TRUE(finding->object);
  EXPECT_EQ(finding->object->block, 0x4ff8U);
}

TEST(Finding, NeedsAHead) {
  channel::RecordWriter writer(buffer);
  writer.add(channel::CycleRecord{"T0"});
  EXPECT_FALSE(decode_finding(writer.words()));
  EXPECT_FALSE(decode_finding({}));
}

TEST(Finding, SaysThatItCameAfterARace) {
  channel::RecordWriter writer(buffer);
  writer.add(channel::FindingHead{.kind = FindingKind::crash, .after_race = true, .message = "SIGFPE"});
  EXPECT_EQ(decode_finding(writer.words())->message, "SIGFPE (after a data race in the same execution)");
}

TEST(Finding, TheSameDeathIsTheSameBugInEveryExecution) {
  const auto death = [](int status, std::uint64_t execution) {
    return process_end(channel::ProcessEndFinding(status, execution), execution);
  };
  const Finding one = death(SIGKILL, 3), other = death(SIGKILL, 9), exit = death(7 << 8, 3);
  EXPECT_EQ(one.key, other.key);
  EXPECT_NE(one.key, exit.key);
  EXPECT_FALSE(one.recorded);
  EXPECT_EQ(
      one.message,
      "the program was killed by signal 9 (Killed) in execution 3, perhaps because the machine ran out of memory");
  EXPECT_EQ(exit.message, "the program ended with exit status 7");
  EXPECT_EQ(exit.kind, FindingKind::exit_status);
  EXPECT_EQ(exit.exit_status, 7);
}

TEST(Finding, AnExitStatusOfZeroIsAnOrdinaryEnd) {
  const auto is_finding = [](int wait_status, run::ExitStatus wanted) {
    return channel::ProcessEndFinding(wait_status, 3).is_finding(wanted);
  };
  EXPECT_FALSE(is_finding(0, run::ExitStatus::zero));
  EXPECT_TRUE(is_finding(7 << 8, run::ExitStatus::zero));
  EXPECT_FALSE(is_finding(7 << 8, run::ExitStatus::any));
  EXPECT_TRUE(is_finding(SIGKILL, run::ExitStatus::any));
}

TEST(Finding, AHangIsALimitAndNoBug) {
  const Finding finding = hang(4, 0.5);
  EXPECT_EQ(finding.kind, FindingKind::limit);
  EXPECT_EQ(finding.limit, LimitKind::hang);
  EXPECT_FALSE(is_bug(finding));
}

TEST(Finding, EvidenceIsAllThatRepeatsTheExecution) {
  Finding finding, simplest;
  finding.decisions = "first";
  finding.racy_sites = {0x10};
  simplest.decisions = "simplest";
  simplest.racy_sites = {0x20, 0x30};
  static_cast<Evidence&>(finding) = simplest;
  const trace::TraceFile trace = campaign::make_trace({}, run::Isolation::reset, finding);
  EXPECT_EQ(trace.decisions, "simplest");
  EXPECT_EQ(trace.run.racy_sites.view(), "20,30");
}

TEST(ModuleMap, FindsTheModuleOfAnAddress) {
  channel::RecordWriter writer(buffer);
  writer.add(channel::ModuleRecord{"/bin/prog", 0x1000, 0x1000, 0x3000, "abc"});
  writer.add(channel::ModuleRecord{"/lib/empty.so", 0x5000, 0x5000, 0x5000, ""});
  writer.add(channel::ModuleRecord{"/lib/libx.so", 0x6000, 0x6000, 0x7000, ""});
  const ModuleMap map = ModuleMap::decode(writer.words());
  EXPECT_EQ(map.find(0x2fff)->path, "/bin/prog");
  EXPECT_EQ(map.find(0x3000), nullptr);
  EXPECT_EQ(map.find(0x5000), nullptr);
  EXPECT_EQ(map.find(0x6000)->path, "/lib/libx.so");
}

}  // namespace
}  // namespace heddle::findings
