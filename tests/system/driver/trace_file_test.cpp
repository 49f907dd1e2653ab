#include "trace/trace_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "command.hpp"

namespace heddle::trace {
namespace {

TraceFile example() {
  TraceFile trace;
  trace.program = "/home/user/prog";
  trace.args = {"plain", "", "with space", std::string("\xff\x00\xfe", 3), "größer"};
  trace.build_id = "0123abcd";
  trace.model = "rc11";
  trace.release_sequence = "cpp20";
  trace.seed = ~0ULL;
  trace.execution = 1ULL << 60;
  trace.strategy = "random:switch=0.1";
  trace.max_events = 1000;
  trace.max_memory = 4ULL << 30;
  trace.timeout_ms = 10'000;
  trace.isolation = "reset";
  trace.stdin_path = "/tmp/in";
  trace.leaks = true;
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
