// Pictures of executions, from logs that are made by hand.
#include "picture/picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "picture/box_texts.hpp"
#include "picture/drawing.hpp"
#include "picture/edges.hpp"
#include "picture/page.hpp"

namespace heddle::picture {
namespace {

using findings::Finding;
using findings::FindingKind;
using story::EventKind;
using story::ExecutionLog;

/// A log of threads T0, T0.1, ... with two locations, `data` and `flag`.
class LogMaker {
 public:
  explicit LogMaker(std::size_t threads) : counts_(threads) {
    for (std::size_t i = 0; i < threads; ++i) {
      log.threads.push_back({i == 0 ? "T0" : "T0." + std::to_string(i)});
      log.graph_threads.push_back(static_cast<std::uint32_t>(i));
      clocks_.emplace_back(threads, 0U);
    }
    for (const char* name : {"data", "flag"}) {
      story::Location location;
      location.name = name;
      location.size = 4;
      location.address.value = 0x1000 + 8 * log.locations.size();
      log.locations.push_back(location);
    }
  }

  /// `after`: the event happens after this one of another thread.
  std::size_t add(EventKind kind, std::size_t thread, std::size_t location, std::optional<std::size_t> after = {}) {
    story::Event event;
    event.kind = kind;
    event.thread = thread;
    event.location = location;
    event.size = 4;
    event.index = ++counts_[thread];
    event.stack.pcs = {0x100 + static_cast<std::uint64_t>(kind)};  // one line of the source for each kind
    if (after)
      for (std::size_t i = 0; i < clocks_.size(); ++i)
        clocks_[thread][i] = std::max(clocks_[thread][i], log.events[*after].clock[i]);
    clocks_[thread][thread] = event.index;
    event.clock = clocks_[thread];
    log.events.push_back(event);
    return log.events.size() - 1;
  }

  ExecutionLog log;

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::vector<std::uint32_t>> clocks_;
};

Finding finding_with_steps(FindingKind kind, const std::vector<std::size_t>& events) {
  Finding finding;
  finding.kind = kind;
  findings::Explanation& explanation = finding.explanation.emplace();
  for (const std::size_t event : events) explanation.steps.emplace_back().event = event;
  return finding;
}

/// A finding about the accesses `older` and `newer` of the log, which both touch `address`.
Finding finding_of_accesses(FindingKind kind, const ExecutionLog& log, std::size_t older, std::size_t newer,
                            std::uint64_t address) {
  Finding finding = finding_with_steps(kind, {older, newer});
  for (const std::size_t number : {newer, older}) {
    findings::Access& access = finding.accesses.emplace_back();
    access.thread = log.threads[*log.events[number].thread].label;
    access.stack = log.events[number].stack;
    access.address.value = address;
  }
  return finding;
}

std::vector<std::pair<EventIndex, EventIndex>> edges_of(const Picture& picture, Relation relation,
                                                        const std::vector<bool>& shown) {
  std::vector<std::pair<EventIndex, EventIndex>> found;
  for (const Edge& edge : edges_between(picture, shown))
    if (edge.relation == relation) found.emplace_back(edge.from, edge.to);
  std::sort(found.begin(), found.end());
  return found;
}

using Pairs = std::vector<std::pair<EventIndex, EventIndex>>;

TEST(Picture, ShowsTheStoryAndWhatItsReadsReadAndMissed) {
  LogMaker maker(2);
  const auto old_write = maker.add(EventKind::store, 0, 0);
  const auto other = maker.add(EventKind::store, 0, 1);
  const auto missed = maker.add(EventKind::store, 0, 0);
  const auto read = maker.add(EventKind::load, 1, 0);
  maker.log.events[read].reads_from = old_write;
  maker.log.events[read].missed = {missed};
  maker.log.locations[0].modification_order = {old_write, missed};
  const Picture picture = make_picture(finding_with_steps(FindingKind::assertion, {read}), maker.log);
  EXPECT_TRUE(picture.events[old_write].matters);
  EXPECT_TRUE(picture.events[missed].matters);
  EXPECT_FALSE(picture.events[other].matters);
  const std::vector<bool> all(picture.events.size(), true);
  EXPECT_EQ(edges_of(picture, Relation::rf, all), (Pairs{{old_write, read}}));
  EXPECT_EQ(edges_of(picture, Relation::missed, all), (Pairs{{read, missed}}));
  EXPECT_EQ(edges_of(picture, Relation::fr, all), (Pairs{{read, missed}}));
  EXPECT_EQ(edges_of(picture, Relation::mo, all), (Pairs{{old_write, missed}}));
}

TEST(Picture, AReadModifyWriteDoesNotComeBeforeItself) {
  LogMaker maker(1);
  const auto first = maker.add(EventKind::store, 0, 0);
  const auto second = maker.add(EventKind::rmw, 0, 0);
  maker.log.events[second].reads_from = first;
  maker.log.locations[0].modification_order = {first, second};
  const Picture picture = make_picture(finding_with_steps(FindingKind::assertion, {second}), maker.log);
  EXPECT_TRUE(edges_of(picture, Relation::fr, {true, true}).empty());
}

TEST(Picture, HappensBeforeLeavesOutWhatFollowsFromOtherArrows) {
  LogMaker maker(3);
  const auto a = maker.add(EventKind::store, 0, 0);
  const auto b = maker.add(EventKind::load, 1, 0, a);
  const auto c = maker.add(EventKind::store, 1, 1);
  const auto d = maker.add(EventKind::load, 2, 1, c);
  const Picture picture = make_picture(finding_with_steps(FindingKind::assertion, {d}), maker.log);
  EXPECT_EQ(edges_of(picture, Relation::hb, {true, true, true, true}), (Pairs{{a, b}, {b, c}, {c, d}}));
  // Past events that are not shown.
  EXPECT_EQ(edges_of(picture, Relation::hb, {true, false, false, true}), (Pairs{{a, d}}));
  EXPECT_TRUE(picture.happens_before(a, d));
  EXPECT_FALSE(picture.happens_before(d, a));
}

TEST(Picture, MarksTheTwoAccessesOfARace) {
  LogMaker maker(2);
  const auto write = maker.add(EventKind::plain_write, 0, 0);
  maker.add(EventKind::store, 0, 1);
  const auto read = maker.add(EventKind::plain_read, 1, 0);
  const Picture picture =
      make_picture(finding_of_accesses(FindingKind::race, maker.log, write, read, 0x1000), maker.log);
  ASSERT_TRUE(picture.unordered);
  EXPECT_EQ(*picture.unordered, std::pair(write, read));
  // Not if happens-before orders them.
  LogMaker ordered(2);
  const auto first = ordered.add(EventKind::plain_write, 0, 0);
  const auto second = ordered.add(EventKind::plain_read, 1, 0, first);
  const Finding finding = finding_of_accesses(FindingKind::race, ordered.log, first, second, 0x1000);
  EXPECT_FALSE(make_picture(finding, ordered.log).unordered);
}

TEST(Picture, MarksTheElementThatRacesOfALineThatRunsForSeveral) {
  LogMaker maker(2);
  const auto read = maker.add(EventKind::plain_read, 0, 0);
  maker.add(EventKind::plain_read, 0, 1);  // the next round of the same loop
  const auto write = maker.add(EventKind::plain_write, 1, 0);
  maker.add(EventKind::plain_write, 1, 1);
  const Picture picture =
      make_picture(finding_of_accesses(FindingKind::race, maker.log, read, write, 0x1002), maker.log);
  ASSERT_TRUE(picture.unordered);
  EXPECT_EQ(*picture.unordered, std::pair(read, write));
}

TEST(Picture, MarksAFreeAndTheUseOfItsBlock) {
  LogMaker maker(2);
  const auto allocation = maker.add(EventKind::allocation, 0, 0);
  maker.log.locations[0].allocation = maker.log.locations[1].allocation = allocation;
  const auto freed = maker.add(EventKind::free, 0, 0);
  maker.log.events[freed].size = 16;
  const auto used = maker.add(EventKind::plain_read, 1, 1);
  const Picture picture =
      make_picture(finding_of_accesses(FindingKind::use_after_free, maker.log, freed, used, 0x1008), maker.log);
  ASSERT_TRUE(picture.unordered);
  EXPECT_EQ(*picture.unordered, std::pair(freed, used));
}

TEST(Picture, KeepsTheNeighboursOfTheStoryOfALongExecution) {
  LogMaker maker(1);
  for (int i = 0; i < 1000; ++i) maker.add(EventKind::store, 0, 0);
  const Picture picture = make_picture(finding_with_steps(FindingKind::assertion, {500}), maker.log, 21);
  EXPECT_EQ(picture.events_of_execution, 1000U);
  ASSERT_EQ(picture.events.size(), 21U);
  EXPECT_EQ(picture.events.front().number, 490U);
  EXPECT_EQ(picture.events.back().number, 510U);
  EXPECT_EQ(picture.events[10].steps, std::vector<std::size_t>{1});
}

TEST(Picture, ShowsTheEndOfAnExecutionWithoutAStory) {
  LogMaker maker(1);
  for (int i = 0; i < 100; ++i) maker.add(EventKind::store, 0, 0);
  const Picture picture = make_picture(Finding{}, maker.log);
  EXPECT_FALSE(picture.events[50].matters);
  EXPECT_TRUE(picture.events[99].matters);
}

TEST(Picture, TextsOfTheProgramAreEscaped) {
  LogMaker maker(1);
  maker.log.locations[0].name = "a<b>\"&\\x</script>";
  const auto write = maker.add(EventKind::store, 0, 0);
  const Picture picture = make_picture(finding_with_steps(FindingKind::assertion, {write}), maker.log);
  const DrawingOptions options{"</title><script>", {Relation::rf}, false};
  const std::string drawing = svg(picture, options);
  EXPECT_EQ(drawing.find("<script"), std::string::npos);
  EXPECT_EQ(drawing.find("a<b>"), std::string::npos);
  EXPECT_NE(drawing.find("a&lt;b&gt;&quot;&amp;"), std::string::npos);
  EXPECT_NE(dot(picture, options).find("a<b>\\\"&\\\\x</script>"), std::string::npos);
  const auto page = execution_page({"</title><script>", R"({"text": "</script>"})", {{1, picture}}, {}});
  if (!page) GTEST_SKIP() << page.problem().text;
  EXPECT_EQ(page->find("{\"text\": \"</script>"), std::string::npos);
  EXPECT_EQ(page->find("</title><script>"), std::string::npos);
}

TEST(Picture, ATextLosesItsMiddle) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("abcdefghijkl", 9), "abcde…jkl");
  EXPECT_EQ(shortened("ääääääääääää", 6), "äää…ää");
  EXPECT_EQ(length_of("ä→b"), 3U);
}

}  // namespace
}  // namespace heddle::picture
