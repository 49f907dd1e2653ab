// The typed records between worker and driver: what one side writes, the other side reads.
#include "channel/finding_record.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace heddle::channel {
namespace {

constexpr std::array<std::uint64_t, 3> stack{0x401000, 0x402000, 0x7fff00001234};

std::array<std::uint64_t, 256> buffer;

FindingHead example_head() {
  return {.kind = FindingKind::limit,
          .limit = LimitKind::memory,
          .after_race = true,
          .message_names_kind = false,
          .events = 12345678901ULL,
          .thread = "T0.1",
          .message = "nine bytes and more, \xff included"};
}
FindingAccess example_access() {
  return {AccessKind::atomic_write, graph::MemoryOrder::acq_rel, 8, 0x5000, "T0.2", stack};
}

TEST(FindingRecords, AreReadAsTheyWereWritten) {
  RecordWriter writer(buffer);
  ASSERT_TRUE(writer.add(example_head()));
  ASSERT_TRUE(writer.add(example_access()));
  ASSERT_TRUE(writer.add(ObjectRecord{Place::heap, 0x6008, 0x6000, 24, "T0", {}}));
  ASSERT_TRUE(writer.add(FindingThread{"T0.1", Activity::waits_for_thread, "end of a thread", 0, "T0.2", stack}));

  RecordReader reader(writer.words());
  ASSERT_EQ(reader.next<Section>(), Section::head);
  const auto head = reader.read<FindingHead>();
  ASSERT_TRUE(head);
  EXPECT_EQ(head->kind, FindingKind::limit);
  EXPECT_EQ(head->limit, LimitKind::memory);
  EXPECT_TRUE(head->after_race);
  EXPECT_FALSE(head->message_names_kind);
  EXPECT_EQ(head->events, 12345678901ULL);
  EXPECT_EQ(head->thread, "T0.1");
  EXPECT_EQ(head->message, example_head().message);

  ASSERT_EQ(reader.next<Section>(), Section::access);
  const auto access = reader.read<FindingAccess>();
  ASSERT_TRUE(access);
  EXPECT_EQ(access->kind, AccessKind::atomic_write);
  EXPECT_EQ(access->order, graph::MemoryOrder::acq_rel);
  EXPECT_EQ(access->address, 0x5000U);
  EXPECT_EQ(std::vector(access->stack.begin(), access->stack.end()), std::vector(stack.begin(), stack.end()));

  ASSERT_EQ(reader.next<Section>(), Section::object);
  const auto object = reader.read<ObjectRecord>();
  ASSERT_TRUE(object);
  EXPECT_EQ(object->place, Place::heap);
  EXPECT_EQ(object->block_size, 24U);
  EXPECT_TRUE(object->stack.empty());

  ASSERT_EQ(reader.next<Section>(), Section::thread);
  const auto thread = reader.read<FindingThread>();
  ASSERT_TRUE(thread);
  EXPECT_EQ(thread->activity, Activity::waits_for_thread);
  EXPECT_EQ(thread->held_by, "T0.2");
  EXPECT_EQ(reader.next<Section>(), std::nullopt);
}

TEST(FindingRecords, ARecordThatIsNotReadIsSkipped) {
  RecordWriter writer(buffer);
  writer.add(example_access());
  writer.add(CycleRecord{"T0.7"});
  RecordReader reader(writer.words());
  EXPECT_EQ(reader.next<Section>(), Section::access);
  EXPECT_EQ(reader.next<Section>(), Section::cycle);
  EXPECT_EQ(reader.read<CycleRecord>()->thread, "T0.7");
}

TEST(FindingRecords, ARecordThatDoesNotFitIsLeftOutWhole) {
  for (std::size_t room = 0; room < 20; ++room) {
    RecordWriter writer({buffer.data(), room});
    const bool fits = writer.add(example_access());
    EXPECT_EQ(writer.words().empty(), !fits) << room;
    if (fits) {
      EXPECT_FALSE(writer.add(example_access()));
      RecordReader reader(writer.words());
      EXPECT_EQ(reader.next<Section>(), Section::access);
      EXPECT_TRUE(reader.read<FindingAccess>());
      EXPECT_EQ(reader.next<Section>(), std::nullopt);
    }
  }
}

// The program under test can overwrite the channel: no word may make the reader read outside of the list.
TEST(FindingRecords, NoWordMakesTheReaderLeaveTheList) {
  RecordWriter writer(buffer);
  writer.add(example_head());
  writer.add(example_access());
  const std::vector<std::uint64_t> good(writer.words().begin(), writer.words().end());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{200}, ~std::uint64_t{0}}) {
      std::vector<std::uint64_t> bad = good;
      bad[i] = wrong;
      const auto* begin = reinterpret_cast<const char*>(bad.data());
      const auto is_inside = [&](std::string_view text) {
        return text.empty() ||
               (text.data() >= begin && text.data() + text.size() <= begin + bad.size() * sizeof bad[0]);
      };
      RecordReader reader(bad);
      while (const auto section = reader.next<Section>()) {
        if (*section == Section::head) {
          if (const auto head = reader.read<FindingHead>()) {
            EXPECT_TRUE(is_inside(head->message));
            EXPECT_LE(head->kind, last_enumerator<FindingKind>);
            EXPECT_LE(head->limit, last_enumerator<LimitKind>);
          }
        } else if (const auto access = reader.read<FindingAccess>()) {
          EXPECT_TRUE(is_inside(access->thread));
          EXPECT_LE(access->stack.size(), bad.size());
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::channel
