#include "campaign/state/shard_file.hpp"

#include <gtest/gtest.h>

#include "run/fields.hpp"
#include "run/values.hpp"

namespace heddle::campaign {

namespace {

findings::Finding example_finding() {
  findings::Finding finding;
  finding.kind = findings::FindingKind::race;
  finding.message = std::string("not \xff UTF-8 and \0 inside", 23);
  finding.thread = "T0.1";
  finding.stack.pcs = {1, ~std::uint64_t{0}};
  finding.stack.frames.push_back({"f()", "/a/b.cpp", 3, 4, "b", 0x1234, true, 2});
  findings::Access access;
  access.kind = findings::AccessKind::write;
  access.size = 8;
  access.order = graph::MemoryOrder::release;
  access.address.frame.from_cfa = -16;
  access.address.symbol = "x";
  finding.accesses = {access, access};
  finding.object.emplace().place = findings::Place::heap;
  findings::ThreadState thread;
  thread.object.emplace().value = 7;
  finding.threads = {thread, {}};
  finding.cycle = {"T0", "T0.1"};
  finding.graph_events = 12;
  finding.early_end.nanoseconds = 5;
  finding.key = 0xfedcba9876543210;
  finding.execution = 9;
  finding.count = 3;
  finding.decisions = std::string("\0\1\2\xff", 4);
  finding.recorded = false;
  finding.notes = {"a note"};
  finding.has_names = true;
  return finding;
}

ShardFile example() {
  ShardFile file;
  file.identity = {"1.2",     run::verify, "./p", {"/x/p", "abc"}, {"a b", ""}, run::default_specification(run::verify),
                   "race:*\n"};
  file.identity.run.seed = 77;
  file.shard = {2, 5};
  file.state.is_exhaustive = true;
  file.state.unit_count = 9;
  file.state.estimate = 1.5;
  file.state.sampled.counters = {1, 2, 3, 4, 5, 6};
  file.state.sampled.findings = {example_finding()};
  file.state.sampled.outputs = {{4, "text", "decisions"}};
  file.state.sampled.graphs = {{~std::uint64_t{0}, 3, 7, 1}, {5, 6, 0, 0}};
  file.state.sampled.isolation = run::Isolation::fork;
  file.state.sampled.learnt.parts = {{"strategy", "pos", 1, 2, 3}};
  file.state.sampled.learnt.lengths = {{"pct:k", 4, 5}};
  file.state.sampled.corpus = {true, {{1, 2}}, {3, 4}, 5, 6};
  file.state.sampled.gaps.set.add(channel::ProofGap::race);
  file.state.sampled.gaps.code = "libring.so";
  SearchUnit unit;
  unit.number = 7;
  unit.part.runs = 11;
  unit.part.explored.add(0.1);
  unit.part.findings = {example_finding()};
  unit.is_cut = true;
  unit.failure = "why";
  file.state.units = {unit};
  file.state.seconds = 2.5;
  SavedTask task;
  task.result = unit;
  task.bytes = std::string("\0branch", 7);
  task.gifts = {{1, ~std::uint64_t{0}}};
  task.share = 0.25;
  task.limit = 8;
  file.state.resume = ResumePoint{.next = 5,
                                  .end = 6,
                                  .searches = 1,
                                  .search = "exhaustive",
                                  .racy_sites = "1000000001234",
                                  .rounds = "bytes",
                                  .is_estimated = true,
                                  .tasks = {task}};
  return file;
}

}  // namespace

TEST(ShardFile, HoldsEverything) {
  const std::string bytes = encode_shard(example());
  const auto file = decode_shard(bytes, "file");
  ASSERT_TRUE(file);
  EXPECT_EQ(encode_shard(*file), bytes);
  EXPECT_EQ(file->identity.difference_from(example().identity), std::nullopt);
  EXPECT_EQ(file->identity.run.seed, 77U);
  const findings::Finding& finding = file->state.units.at(0).part.findings.at(0);
  EXPECT_EQ(finding.message, example_finding().message);
  EXPECT_EQ(finding.decisions, example_finding().decisions);
  EXPECT_EQ(finding.accesses.at(1).address.frame.from_cfa, -16);
  EXPECT_EQ(finding.accesses.at(1).order, graph::MemoryOrder::release);
  EXPECT_EQ(finding.stack.frames.at(0).function_line, 2U);
  EXPECT_FALSE(finding.recorded);
  EXPECT_EQ(file->state.sampled.graphs.at(0).count, 7U);
  EXPECT_EQ(file->state.sampled.graphs.at(0).is_buggy, 1U);
  EXPECT_EQ(file->state.units.at(0).part.explored.rounded(), 0.1);
  const ResumePoint& point = *file->state.resume;
  EXPECT_EQ(point.next, 5U);
  EXPECT_EQ(point.search, "exhaustive");
  EXPECT_EQ(point.racy_sites, "1000000001234");
  EXPECT_TRUE(file->state.sampled.gaps.set.has(channel::ProofGap::race));
  EXPECT_EQ(file->state.sampled.gaps.code, "libring.so");
  EXPECT_EQ(point.rounds, "bytes");
  EXPECT_EQ(point.tasks.at(0).bytes, std::string("\0branch", 7));
  EXPECT_EQ(point.tasks.at(0).gifts.at(0).least, ~std::uint64_t{0});
}

TEST(ShardFile, IsRefusedIfAnyBitDiffersOrBytesAreMissing) {
  const std::string bytes = encode_shard(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(decode_shard(bytes.substr(0, size), "file"));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_FALSE(decode_shard(changed, "file")) << at;
  }
  EXPECT_FALSE(decode_shard(bytes + "x", "file"));
}

TEST(ShardFile, NamesWhatDiffers) {
  const CampaignIdentity here = example().identity;
  CampaignIdentity other = here;
  other.run.seed = 1;
  EXPECT_EQ(here.difference_from(other), "its --seed is 77, and not 1");
  other = here;
  other.run.jobs = 8;  // changes no result
  EXPECT_EQ(here.difference_from(other), std::nullopt);
  other.program.build_id = "def";
  EXPECT_TRUE(here.difference_from(other)->find("another program or build") != std::string::npos);
  other = here;
  other.args = {"a b"};
  EXPECT_EQ(here.difference_from(other), "the program had other arguments");
  other = here;
  other.suppressions = "";
  EXPECT_EQ(here.difference_from(other), "it had other suppressions");
}

}  // namespace heddle::campaign
