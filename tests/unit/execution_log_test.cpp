// The log of an execution, from records as a worker writes them.
#include "story/execution_log.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "channel/execution_record.hpp"

namespace heddle::story {
namespace {

using channel::LoggedEvent;
using graph::MemoryOrder;
using GraphKind = graph::EventKind;

constexpr std::uint64_t flag = 0x1000, data = 0x2000;

/// Writes records, and decodes them.
class Records {
 public:
  Records() : words_(1 << 16), writer_(words_) {}

  template <typename Record>
  Records& add(const Record& record) {
    EXPECT_TRUE(writer_.add(record));
    return *this;
  }
  DecodedLog decode() const {
    findings::Symbolizer symbolizer;
    return decode_execution_log(std::as_bytes(writer_.words()), findings::ModuleMap(), symbolizer);
  }

 private:
  std::vector<std::uint64_t> words_;
  channel::RecordWriter writer_;
};

LoggedEvent event(std::uint32_t number, GraphKind kind, std::uint32_t thread, std::uint32_t index, MemoryOrder order) {
  LoggedEvent event;
  event.number = number;
  event.kind = kind;
  event.thread = thread;
  event.index = index;
  event.order = order;
  event.location = 0;
  event.size = 4;
  return event;
}

/// T0 writes `data` plainly and stores 1 and 2 to `flag`; T0.1 reads 1, although 2 is there, and then `data`.
Records stale_message(MemoryOrder store_order, MemoryOrder load_order) {
  Records records;
  records.add(channel::LogHead{4, 0});
  records.add(channel::LoggedThread{0, "T0", 0, 0}).add(channel::LoggedThread{1, "T0.1", 0, 0});
  records.add(channel::LoggedLocation{0, flag, 4, {}});
  LoggedEvent init = event(0, GraphKind::init, channel::log_nothing, 0, MemoryOrder::plain);
  LoggedEvent first = event(1, GraphKind::store, 0, 2, store_order);
  first.written[0] = 1;
  first.mo_position = 1;
  LoggedEvent second = event(2, GraphKind::store, 0, 4, MemoryOrder::relaxed);
  second.written[0] = 2;
  second.mo_position = 2;
  LoggedEvent load = event(3, GraphKind::load, 1, 2, load_order);
  load.reads_from = 1;
  load.read[0] = 1;
  records.add(init).add(first).add(second).add(load);
  records.add(channel::LoggedPlainAccess{channel::AccessKind::write, 1, 0, 1, data, 4, true, 42, {}, {}});
  const std::array<std::uint64_t, 1> clock = {load_order == MemoryOrder::acquire ? 2U : 0U};
  records.add(channel::LoggedPlainAccess{channel::AccessKind::read, 4, 1, 3, data, 4, true, 42, {}, clock});
  records.add(channel::LoggedPlainAccess{channel::AccessKind::read, 4, 1, 3, 0x3000, 4, true, 7, {}, clock});
  records.add(channel::LoggedDecision{0, 3, 0, 2, 1, true});
  records.add(channel::LoggedDecision{1, 3, 1, 3, 1, false});
  return records;
}

TEST(ExecutionLogTest, PlainAccessesToSharedMemoryStandBetweenTheEvents) {
  const auto decoded = stale_message(MemoryOrder::relaxed, MemoryOrder::relaxed).decode();
  ASSERT_TRUE(decoded.log.has_value()) << decoded.why_not;
  std::vector<EventKind> kinds;
  for (const Event& event : decoded.log->events) kinds.push_back(event.kind);
  EXPECT_EQ(kinds, (std::vector{EventKind::init, EventKind::plain_write, EventKind::store, EventKind::store,
                                EventKind::load, EventKind::plain_read}));
  EXPECT_EQ(decoded.log->events[1].written, graph::Value{42});
}

TEST(ExecutionLogTest, AStaleReadNamesTheWritesThatItMissed) {
  const auto decoded = stale_message(MemoryOrder::relaxed, MemoryOrder::relaxed).decode();
  ASSERT_TRUE(decoded.log.has_value());
  const Event& load = decoded.log->events[4];
  EXPECT_TRUE(load.is_stale());
  EXPECT_EQ(load.missed, std::vector<EventNumber>{3});
  EXPECT_EQ(load.reads_from, EventNumber{2});
  EXPECT_EQ(load.options, 3U);
  EXPECT_EQ(decoded.log->stale_reads, 1U);
}

TEST(ExecutionLogTest, ASwitchFromAThreadThatCouldContinueIsAPreemption) {
  const auto decoded = stale_message(MemoryOrder::relaxed, MemoryOrder::relaxed).decode();
  ASSERT_TRUE(decoded.log.has_value());
  EXPECT_TRUE(decoded.log->events[4].is_switch);
  EXPECT_TRUE(decoded.log->events[4].is_preemption);
  EXPECT_EQ(decoded.log->switches, 1U);
}

TEST(ExecutionLogTest, ReleaseAndAcquireSynchronise) {
  const auto weak = stale_message(MemoryOrder::release, MemoryOrder::relaxed).decode();
  ASSERT_TRUE(weak.log.has_value());
  EXPECT_TRUE(weak.log->events[4].synchronises_with.empty());
  EXPECT_FALSE(weak.log->happens_before(1, 5));
  const auto strong = stale_message(MemoryOrder::release, MemoryOrder::acquire).decode();
  ASSERT_TRUE(strong.log.has_value());
  EXPECT_EQ(strong.log->events[4].synchronises_with, std::vector<EventNumber>{2});
  EXPECT_TRUE(strong.log->happens_before(1, 5));
}

TEST(ExecutionLogTest, AnExecutionThatIsTooLongHasASentenceInsteadOfALog) {
  Records records;
  records.add(channel::LogHead{20000, 1});
  const auto decoded = records.decode();
  EXPECT_FALSE(decoded.log.has_value());
  EXPECT_NE(decoded.why_not.find("too long"), std::string::npos);
}

TEST(ExecutionLogTest, RecordsThatDoNotFitTogetherAreNoLog) {
  Records records;
  records.add(channel::LogHead{1, 0});
  records.add(channel::LoggedThread{0, "T0", 0, 0});
  LoggedEvent load = event(0, GraphKind::load, 0, 2, MemoryOrder::relaxed);
  load.reads_from = 77;
  records.add(load);
  EXPECT_FALSE(records.decode().log.has_value());
}

}  // namespace
}  // namespace heddle::story
