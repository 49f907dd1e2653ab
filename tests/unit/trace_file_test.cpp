#include "trace/trace_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "command.hpp"
#include "run/fields.hpp"

namespace heddle::trace {
namespace {

TraceFile example() {
  TraceFile trace;
  trace.program = "/home/user/prog";
  trace.args = {"plain", "", "with space", std::string("\xff\x00\xfe", 3), "größer"};
  trace.build_id = "0123abcd";
  trace.run = run::default_specification(run::test);
  trace.run.strategy.assign("random:switch=0.1");
  trace.run.model.assign("sc");
  trace.run.release_sequence = run::ReleaseSequence::c11;
  trace.run.rmw = run::RmwBarrier::full;
  trace.run.seed = ~0ULL;
  trace.run.isolation = run::Isolation::fork;
  trace.run.max_events = 1000;
  trace.run.max_memory = (4ULL << 30) + 1;
  trace.run.timeout = std::chrono::milliseconds(1500);
  trace.run.stdin_path.assign("/tmp/\xff");
  trace.run.leaks = true;
  trace.execution = 1ULL << 60;
  trace.recorded = false;
  trace.finding_kind = "race";
  trace.finding_key = 0xfedcba9876543210;
  trace.finding_message = "data race on \x80";
  trace.decisions = std::string("\x00\x01\x02\xff", 4);
  return trace;
}

TEST(TraceFile, WhatIsWrittenIsRead) {
  const auto read = decode_trace(encode_trace(example()), "t");
  ASSERT_TRUE(read) << read.problem().text;
  EXPECT_EQ(*read, example());
}

TEST(TraceFile, FieldsThatAReplayDoesNotNeedHaveTheirDefaultsWhenRead) {
  TraceFile trace = example();
  trace.run.runs = 7;
  trace.run.jobs = 3;
  const auto read = decode_trace(encode_trace(trace), "t");
  ASSERT_TRUE(read) << read.problem().text;
  EXPECT_EQ(read->run.runs, 1000u);
  EXPECT_EQ(read->run.jobs, 1u);
}

TEST(TraceFile, EveryTruncationIsNoticed) {
  const std::string bytes = encode_trace(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto read = decode_trace(std::string_view(bytes).substr(0, size), "t");
    ASSERT_FALSE(read) << "at " << size;
    EXPECT_EQ(read.problem().exit_code, ExitCode::cannot_test);
    if (size > 0) {
      EXPECT_NE(read.problem().text.find("truncated"), std::string::npos) << size << ": " << read.problem().text;
    }
  }
}

TEST(TraceFile, EveryFlippedBitIsNoticed) {
  const std::string bytes = encode_trace(example());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string wrong = bytes;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decode_trace(wrong, "t")) << "bit " << bit;
  }
}

TEST(TraceFile, MoreBytesThanThereShouldBeAreNoticed) {
  EXPECT_FALSE(decode_trace(encode_trace(example()) + "x", "t"));
}

TEST(TraceFile, ForeignFilesAreCalledForeign) {
  for (const std::string& bytes : {std::string(),
                                   std::string("\x7f"
                                               "ELF and so on"),
                                   std::string(1000, '\0')}) {
    const auto read = decode_trace(bytes, "file");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.problem().text, "file is not a heddle trace");
  }
}

TEST(TraceFile, AnotherVersionIsNamed) {
  std::string bytes = encode_trace(example());
  bytes[8] = 9;
  const auto read = decode_trace(bytes, "file");
  ASSERT_FALSE(read);
  EXPECT_NE(read.problem().text.find("version 9"), std::string::npos);
  EXPECT_NE(read.problem().text.find("record it again"), std::string::npos);
}

TEST(TraceFile, IsWrittenWholeOrNotAtAll) {
  const tests::TemporaryFolder folder;
  EXPECT_FALSE(write_trace(folder.file("a.trace"), example()).has_value());
  EXPECT_EQ(folder.files(), std::vector<std::string>{"a.trace"});
  EXPECT_TRUE(read_trace(folder.file("a.trace")));
  EXPECT_TRUE(write_trace(folder.file("missing/a.trace"), example()).has_value());
  std::filesystem::create_directory(folder.file("folder.trace"));
  EXPECT_TRUE(write_trace(folder.file("folder.trace"), example()).has_value());
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"a.trace", "folder.trace"}));
}

}  // namespace
}  // namespace heddle::trace
