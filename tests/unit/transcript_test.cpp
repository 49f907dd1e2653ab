// What transcripts know of threads and of plain memory (src/transcript/).
#include "transcript/transcript.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "graph/execution_graph.hpp"
#include "transcript/plain_bytes.hpp"
#include "transcript/run_state.hpp"

namespace heddle::transcript {

namespace {

using Kind = PlainAccess::Kind;

constexpr graph::ThreadId first{0}, second{1};
constexpr Bytes low_half = 0x0f, high_half = 0xf0;

class TranscriptTest : public testing::Test {
 protected:
  static constexpr std::size_t arena_size = std::size_t{16} << 20;

  WordId word(std::uintptr_t address, std::uint64_t initial = 0) {
    PlainBytes::Word word;
    word.address = address;
    word.initial = initial;
    word.has_initial = 0xff;
    return bytes.add(word);
  }
  static PlainAccess access(WordId word, Kind kind, Bytes accessed, std::uint64_t left = 0) {
    PlainAccess access;
    access.word = word;
    access.kind = kind;
    access.bytes = accessed;
    access.left = left;
    return access;
  }
  /// What happens before the accesses of `thread`: the first `known` events of the other one.
  Author author(graph::ThreadId thread, std::uint32_t index, std::uint32_t known) {
    const graph::ThreadId other = thread == first ? second : first;
    return {thread, index, base::VectorClock::with(arena, base::VectorClock::empty(), graph::number(other), known)};
  }

 private:
  std::unique_ptr<std::byte[]> memory_ = std::make_unique_for_overwrite<std::byte[]>(arena_size);

 protected:
  base::Arena arena{{memory_.get(), arena_size}};
  PlainBytes bytes{arena};
};

TEST_F(TranscriptTest, AWordIsFoundByItsAddress) {
  const WordId one = word(0x1000, 5), two = word(0x1008, 6);
  WordId found{};
  ASSERT_TRUE(bytes.find(0x1008, found));
  EXPECT_EQ(found, two);
  ASSERT_TRUE(bytes.find(0x1000, found));
  EXPECT_EQ(found, one);
  EXPECT_FALSE(bytes.find(0x1010, found));
  EXPECT_TRUE(bytes.holds(one, 0xff, 5));
}

TEST_F(TranscriptTest, AWriteChangesItsBytesOnly) {
  const WordId id = word(0x1000, 0x1111111122222222);
  bytes.add(access(id, Kind::write, low_half, 0x33333333), author(first, 1, 0));
  EXPECT_TRUE(bytes.holds(id, 0xff, 0x1111111133333333));
  EXPECT_TRUE(bytes.holds(id, high_half, 0x1111111100000000));
  EXPECT_FALSE(bytes.holds(id, low_half, 0x22222222));
  EXPECT_EQ(bytes.differing(id, 0x1111111133334433), 0x02);
}

TEST_F(TranscriptTest, AnExecutionIsTakenBackToAnyMoment) {
  const WordId id = word(0x1000, 7);
  const std::uint32_t begin = bytes.now();
  bytes.add(access(id, Kind::write, 0xff, 8), author(first, 1, 0));
  const std::uint32_t middle = bytes.now();
  bytes.add(access(id, Kind::write, 0xff, 9), author(first, 3, 0));
  bytes.add(access(id, Kind::deallocation, 0xff), author(first, 5, 0));
  bytes.take_back(middle);
  EXPECT_TRUE(bytes.holds(id, 0xff, 8));
  EXPECT_EQ(bytes.word(id).is_freed, 0);
  EXPECT_EQ(bytes.newest_write(id, 0xff)->index, 1U);
  bytes.take_back(begin);
  EXPECT_TRUE(bytes.holds(id, 0xff, 7));
  EXPECT_EQ(bytes.newest_write(id, 0xff), nullptr);
}

TEST_F(TranscriptTest, AccessesOfTwoThreadsConflictUnlessOneHappensBefore) {
  const WordId id = word(0x1000);
  bytes.add(access(id, Kind::write, low_half), author(first, 3, 0));
  EXPECT_FALSE(bytes.is_ordinary(access(id, Kind::read, low_half), author(second, 1, 2)));
  EXPECT_TRUE(bytes.is_ordinary(access(id, Kind::read, low_half), author(second, 1, 4)));
  EXPECT_TRUE(bytes.is_ordinary(access(id, Kind::write, high_half), author(second, 1, 2)));
  EXPECT_TRUE(bytes.is_ordinary(access(id, Kind::write, low_half), author(first, 5, 0)));
}

TEST_F(TranscriptTest, ReadsConflictWithWritesOnly) {
  const WordId id = word(0x1000);
  bytes.add(access(id, Kind::read, 0xff), author(first, 3, 0));
  EXPECT_TRUE(bytes.is_ordinary(access(id, Kind::read, 0xff), author(second, 1, 0)));
  EXPECT_FALSE(bytes.is_ordinary(access(id, Kind::write, 0xff), author(second, 1, 0)));
  EXPECT_FALSE(bytes.races_with_atomic(id, 0xff, false, author(second, 2, 0)));
  EXPECT_TRUE(bytes.races_with_atomic(id, 0xff, true, author(second, 2, 0)));
}

TEST_F(TranscriptTest, FreedMemoryAndAtomicsAreNotAccessedPlainly) {
  const WordId id = word(0x1000);
  bytes.make_atomic(id, low_half);
  EXPECT_FALSE(bytes.is_ordinary(access(id, Kind::read, low_half), author(first, 1, 0)));
  EXPECT_TRUE(bytes.is_ordinary(access(id, Kind::read, high_half), author(first, 1, 0)));
  bytes.add(access(id, Kind::deallocation, 0xff), author(first, 3, 0));
  EXPECT_FALSE(bytes.is_ordinary(access(id, Kind::read, high_half), author(second, 1, 4)));
  EXPECT_TRUE(bytes.races_with_atomic(id, low_half, false, author(second, 2, 4)));
}

TEST_F(TranscriptTest, AStackRemembersWhichBytesAnotherThreadWrote) {
  PlainBytes::Word on_stack;
  on_stack.address = 0x1000;
  on_stack.stack_of = first;
  const WordId id = bytes.add(on_stack);
  EXPECT_FALSE(bytes.holds(id, 0x01, 0));  // nothing is known of it
  bytes.add(access(id, Kind::write, 0xff, 1), author(first, 1, 0));
  EXPECT_EQ(bytes.word(id).foreign, 0);
  bytes.add(access(id, Kind::write, low_half, 2), author(second, 1, 2));
  EXPECT_EQ(bytes.word(id).foreign, low_half);
}

TEST_F(TranscriptTest, ContentsAreThoseOfUsedBytes) {
  const WordId one = word(0x1000, 5), two = word(0x1008, 6);
  const std::uint64_t unused = bytes.contents();
  bytes.add(access(one, Kind::write, low_half, 7), author(first, 1, 0));
  EXPECT_EQ(bytes.contents(), unused) << "no byte is used";
  bytes.use(one, low_half);
  bytes.use(two, low_half);
  const std::uint32_t begin = bytes.now();
  const std::uint64_t before = bytes.contents();
  EXPECT_NE(before, unused);
  bytes.add(access(one, Kind::write, low_half, 8), author(first, 3, 0));
  bytes.add(access(two, Kind::write, low_half, 9), author(first, 3, 0));
  const std::uint64_t after = bytes.contents();
  EXPECT_NE(after, before);
  bytes.take_back(begin);
  EXPECT_EQ(bytes.contents(), before);
  bytes.add(access(two, Kind::write, low_half, 9), author(second, 1, 4));
  bytes.add(access(one, Kind::write, low_half, 8), author(second, 1, 4));
  EXPECT_EQ(bytes.contents(), after) << "any thread may have written, in any order";
  bytes.add(access(one, Kind::write, high_half, 8ULL << 32), author(second, 1, 4));
  EXPECT_EQ(bytes.contents(), after) << "these bytes are not used";
  bytes.make_atomic(one, low_half);
  EXPECT_NE(bytes.contents(), after) << "the graph has its value";
}

TEST_F(TranscriptTest, AStackIsPartOfTheContentsIfItIsShared) {
  PlainBytes::Word local;
  local.address = 0x2000;
  local.stack_of = first;
  local.used = 0xff;
  const WordId id = bytes.add(local);
  const std::uint64_t before = bytes.contents();
  bytes.add(access(id, Kind::write, low_half, 1), author(first, 1, 0));
  EXPECT_EQ(bytes.contents(), before);
  bytes.share(id);
  EXPECT_NE(bytes.contents(), before);
}

TEST_F(TranscriptTest, AThreadFindsOnItsStackWhatAnotherThreadWrote) {
  PlainBytes::Word local;
  local.address = 0x2000;
  local.stack_of = first;
  const WordId id = bytes.add(local);
  bytes.add(access(id, Kind::write, low_half, 1), author(first, 1, 0));
  PlainAccess read = access(id, Kind::read, low_half);
  EXPECT_TRUE(bytes.finds(read, first)) << "it has left this there itself";
  bytes.add(access(id, Kind::unseen_write, low_half, 2), author(second, 1, 0));
  EXPECT_FALSE(bytes.finds(read, first));
  read.found_bytes = low_half;
  read.found = 2;
  EXPECT_TRUE(bytes.finds(read, first));
  read.found = 1;
  EXPECT_FALSE(bytes.finds(read, first));
}

TEST_F(TranscriptTest, ManyResultsHaveABranchEach) {
  Transcript transcript(arena);
  Future future;
  std::vector<Branch*> branches;
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < 200; ++i) {
      Branch& branch = transcript.branch_of(future, i / 2, i % 2 == 0);
      EXPECT_EQ(branch.value, i / 2);
      EXPECT_EQ(branch.succeeded, i % 2 == 0);
      if (round == 0)
        branches.push_back(&branch);
      else
        EXPECT_EQ(&branch, branches[i]);
    }
}

TEST_F(TranscriptTest, ASegmentIsKnownForContentsThatWereSeen) {
  Transcript transcript(arena);
  const Segment one, two;
  EXPECT_FALSE(transcript.has_seen(one, 1));
  for (std::uint64_t contents = 1; contents <= 2000; ++contents) transcript.see(one, contents);
  transcript.see(one, 7);
  for (std::uint64_t contents = 1; contents <= 2000; ++contents) EXPECT_TRUE(transcript.has_seen(one, contents));
  EXPECT_FALSE(transcript.has_seen(one, 2001));
  EXPECT_FALSE(transcript.has_seen(two, 7));
}

/// A segment with one plain read and a load.
Segment segment_that_finds(std::uint64_t value, std::span<PlainAccess, 1> storage) {
  storage[0].bytes = storage[0].found_bytes = 0xff;
  storage[0].found = value;
  Segment segment;
  segment.accesses = storage;
  return segment;
}

TEST_F(TranscriptTest, ABranchHasASegmentForEachValueThatIsFound) {
  Transcript transcript(arena);
  PlainAccess one[1], two[1];
  const Segment with_one = segment_that_finds(1, one), with_two = segment_that_finds(2, two);
  Segment* const known = transcript.find_or_add(transcript.root(), with_one, 0);
  Segment* const other = transcript.find_or_add(transcript.root(), with_two, 0);
  ASSERT_NE(known, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_NE(known, other);
  EXPECT_EQ(transcript.find_or_add(transcript.root(), with_one, 0), known);
}

TEST_F(TranscriptTest, AThreadThatDoesSomethingElseAfterTheSameValuesIsNoticed) {
  Transcript transcript(arena);
  PlainAccess found[1];
  Segment segment = segment_that_finds(1, found);
  ASSERT_NE(transcript.find_or_add(transcript.root(), segment, 0), nullptr);
  segment.action.kind = Action::Kind::store;
  EXPECT_EQ(transcript.find_or_add(transcript.root(), segment, 0), nullptr);
}

TEST_F(TranscriptTest, EqualStatesShareTheirFuture) {
  Transcript transcript(arena);
  PlainAccess one[1], two[1], three[1];
  Segment* const a = transcript.find_or_add(transcript.root(), segment_that_finds(1, one), 77);
  Segment* const b = transcript.find_or_add(transcript.root(), segment_that_finds(2, two), 77);
  Segment* const c = transcript.find_or_add(transcript.root(), segment_that_finds(3, three), 79);
  EXPECT_EQ(a->future, b->future);
  EXPECT_NE(a->future, c->future);
  Branch& after = transcript.branch_of(*a->future, 5, true);
  EXPECT_EQ(&transcript.branch_of(*b->future, 5, true), &after);
  EXPECT_NE(&transcript.branch_of(*b->future, 5, false), &after);
}

TEST_F(TranscriptTest, ARunIsTakenBackToAnyOfItsSteps) {
  graph::ExecutionGraph graph(arena);
  graph.add_thread(first, 100);
  RunState run(arena, graph);
  run.begin(first);
  const auto perform = [&](Segment& segment, graph::Value read) {
    run.arrive(run.cursor(first), segment);
    graph::Event event;
    event.kind = graph::EventKind::load;
    event.thread = first;
    event.read = read;
    run.performed(run.cursor(first), event, graph::EventId{0});
  };
  Segment* const segment = run.transcript().find_or_add(run.transcript().root(), Segment{}, 0);
  perform(*segment, 1);
  Branch* const after_one = run.cursor(first).branch;
  EXPECT_EQ(after_one->value, 1U);
  run.locate(0, graph::LocationId{0});
  perform(*run.transcript().find_or_add(*after_one, Segment{}, 0), 2);
  EXPECT_EQ(run.steps(), 2U);
  run.take_back(1);
  EXPECT_EQ(run.steps(), 1U);
  EXPECT_EQ(run.cursor(first).branch, after_one);
  EXPECT_EQ(run.moving(), &run.cursor(first));
  EXPECT_EQ(run.location(0), graph::no_location);
}

}  // namespace

}  // namespace heddle::transcript
