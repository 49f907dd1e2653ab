#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "races/detector.hpp"

namespace heddle::races {

namespace {

constexpr graph::ThreadId t0{0}, t1{1}, t2{2};

class RaceDetector : public ::testing::Test {
 protected:
  RaceDetector() { detector.begin_execution(1); }

  /// `known`: up to which index of the other threads the access knows.
  std::optional<Conflict> access(graph::ThreadId thread, std::uint32_t index, std::uintptr_t address, std::size_t size,
                                 AccessType type, std::initializer_list<std::uint32_t> known = {},
                                 AccessCause cause = AccessCause::access) {
    auto entries = forever.create_array<std::uint32_t>(known.size());
    std::copy(known.begin(), known.end(), entries.begin());
    Access access;
    access.address = address;
    access.size = size;
    access.type = type;
    access.cause = cause;
    access.thread = thread;
    access.index = index;
    access.clock = forever.create<base::VectorClock>(static_cast<std::uint32_t>(entries.size()), entries.data());
    return detector.access(access);
  }
  auto read(graph::ThreadId thread, std::uint32_t index, std::initializer_list<std::uint32_t> known = {}) {
    return access(thread, index, 0x1000, 4, AccessType::plain_read, known);
  }
  auto write(graph::ThreadId thread, std::uint32_t index, std::initializer_list<std::uint32_t> known = {}) {
    return access(thread, index, 0x1000, 4, AccessType::plain_write, known);
  }

  static constexpr std::size_t room = 4 << 20;
  std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(2 * room);
  base::Arena forever{{memory.get(), room}};
  base::Arena execution{{memory.get() + room, room}};
  ShadowMemory shadow{forever};
  Detector detector{shadow, execution};
};

}  // namespace

TEST_F(RaceDetector, TwoReadsNeverRace) {
  EXPECT_FALSE(read(t0, 1));
  EXPECT_FALSE(read(t1, 1));
}

TEST_F(RaceDetector, AccessesToLargeRangesRaceAsThoseToTheirBytesDo) {
  constexpr std::uintptr_t begin = 0x10000, middle = begin + 5 * ShadowMemory::chunk_bytes + 100;
  constexpr std::size_t size = 16 * ShadowMemory::chunk_bytes + 24;
  EXPECT_FALSE(access(t0, 1, begin + 8, size, AccessType::plain_write));
  EXPECT_FALSE(access(t0, 1, begin + 8, size, AccessType::plain_write)) << "the same again";
  EXPECT_FALSE(access(t0, 1, middle, 4, AccessType::plain_write));
  const auto of_byte = access(t1, 1, middle + 8, 1, AccessType::plain_read);
  ASSERT_TRUE(of_byte);
  EXPECT_EQ(of_byte->address, middle + 8);
  EXPECT_FALSE(access(t2, 1, middle + 64, 4, AccessType::plain_read, {1})) << "ordered";
  const auto of_range = access(t2, 3, begin, size, AccessType::plain_write);
  ASSERT_TRUE(of_range);
  EXPECT_EQ(of_range->address, begin + 8);
  detector.begin_execution(2);
  EXPECT_FALSE(access(t2, 3, begin, size, AccessType::plain_write)) << "an earlier execution does not count";
}

TEST_F(RaceDetector, LargeRangesWithoutConflictsNeedNoCells) {
  if (!base::fast_paths) GTEST_SKIP() << "large ranges are recorded at once by a fast path";
  // The cells of this range would take 64 MiB, which is more than there is.
  constexpr std::size_t size = std::size_t{8} << 20;
  constexpr std::uintptr_t begin = 0x1000000;
  for (std::uint32_t index = 1; index < 7; index += 2)
    EXPECT_FALSE(access(t0, index, begin, size, AccessType::plain_write));
  EXPECT_FALSE(access(t1, 1, begin, size, AccessType::plain_read, {5}));
  const auto conflict = access(t2, 1, begin + size - 8, 8, AccessType::plain_write, {5});
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->previous.thread, number(t1));
}

TEST_F(RaceDetector, AWriteRacesWithWhatItDoesNotKnow) {
  EXPECT_FALSE(write(t0, 1));
  EXPECT_TRUE(read(t1, 1));
  EXPECT_TRUE(write(t2, 1));
}

TEST_F(RaceDetector, WhatIsKnownToHappenBeforeDoesNotRace) {
  EXPECT_FALSE(write(t0, 3));
  EXPECT_FALSE(read(t1, 1, {4}));
  EXPECT_FALSE(write(t2, 1, {4, 2}));
}

TEST_F(RaceDetector, KnowingAnEarlierMomentIsNotEnough) {
  EXPECT_FALSE(write(t0, 3));
  EXPECT_TRUE(read(t1, 1, {2}));
}

TEST_F(RaceDetector, AllReadersAreRememberedNotOnlyTheLast) {
  EXPECT_FALSE(read(t0, 1));
  EXPECT_FALSE(read(t1, 1));
  const auto race = write(t2, 1, {0, 2});  // knows t1's read only
  ASSERT_TRUE(race);
  EXPECT_EQ(race->previous.thread, 0);
}

TEST_F(RaceDetector, AtomicAccessesRaceOnlyWithPlainOnes) {
  EXPECT_FALSE(access(t0, 2, 0x1000, 4, AccessType::atomic_write));
  EXPECT_FALSE(access(t1, 2, 0x1000, 4, AccessType::atomic_write));
  EXPECT_TRUE(read(t2, 1));
}

TEST_F(RaceDetector, APlainReadIsNotForgottenBecauseOfALaterAtomicWrite) {
  EXPECT_FALSE(read(t0, 1));
  EXPECT_FALSE(access(t0, 2, 0x1000, 4, AccessType::atomic_write));
  EXPECT_TRUE(access(t1, 2, 0x1000, 4, AccessType::atomic_write));
}

TEST_F(RaceDetector, NeighbouringBytesAreApart) {
  EXPECT_FALSE(access(t0, 1, 0x1000, 1, AccessType::plain_write));
  EXPECT_FALSE(access(t1, 1, 0x1001, 1, AccessType::plain_write));
  const auto race = access(t2, 1, 0x1001, 2, AccessType::plain_write);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->address, 0x1001U);
  EXPECT_EQ(race->previous.thread, 1);
}

TEST_F(RaceDetector, RangesThatCrossCellsAreCheckedWhole) {
  EXPECT_FALSE(access(t0, 1, 0x1004, 100, AccessType::plain_write));
  EXPECT_TRUE(access(t1, 1, 0x1066, 1, AccessType::plain_read));
  EXPECT_FALSE(access(t1, 1, 0x1068, 1, AccessType::plain_read));
}

TEST_F(RaceDetector, FreedMemoryIsReportedEvenWhereItIsOrdered) {
  EXPECT_FALSE(access(t0, 1, 0x1000, 8, AccessType::plain_write, {}, AccessCause::deallocation));
  const auto use = read(t1, 1, {2});
  ASSERT_TRUE(use);
  EXPECT_TRUE(use->ordered);
  EXPECT_EQ(use->previous.cause, AccessCause::deallocation);
}

TEST_F(RaceDetector, WhatMayHaveBeenFreedIsNotSaidToBeInUse) {
  const auto in_use = [&](std::uintptr_t address) { return detector.is_not_freed(detector.place_of(address, 4).cell); };
  if (!base::fast_paths) GTEST_SKIP() << "this build has no fast paths";
  access(t0, 1, 0x1000, 8, AccessType::plain_write);
  access(t0, 1, 0x1008, 8, AccessType::plain_write);
  EXPECT_TRUE(in_use(0x1000));
  EXPECT_TRUE(in_use(0x1010)) << "no thread was there";
  access(t0, 3, 0x1000, 8, AccessType::plain_write, {}, AccessCause::deallocation);
  EXPECT_FALSE(in_use(0x1000));
  EXPECT_TRUE(in_use(0x1008));
  access(t1, 1, 0x1000, 4, AccessType::plain_read);
  EXPECT_FALSE(in_use(0x1000)) << "the freed one is the second";
  detector.begin_execution(2);
  EXPECT_TRUE(in_use(0x1000));
}

TEST_F(RaceDetector, ANewExecutionStartsClean) {
  EXPECT_FALSE(write(t0, 1));
  detector.begin_execution(2);
  EXPECT_FALSE(write(t1, 1));
}

TEST_F(RaceDetector, TheNewestPlainWriteIsTheOneThatMemoryShows) {
  EXPECT_FALSE(detector.newest_plain_write(0x1000, 4));
  write(t0, 1);
  write(t1, 5, {2});
  const auto newest = detector.newest_plain_write(0x1000, 4);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->thread, 1);
  EXPECT_EQ(newest->index, 5U);
}

TEST_F(RaceDetector, TheNewestPlainWriteMayCoverLessThanAnOlderOne) {
  access(t0, 1, 0x1000, 8, AccessType::plain_write);
  access(t1, 3, 0x1004, 4, AccessType::plain_write, {1});
  access(t0, 5, 0x1000, 4, AccessType::plain_write, {0, 3});
  EXPECT_EQ(detector.newest_plain_write(0x1004, 4)->thread, 1);
  EXPECT_EQ(detector.newest_plain_write(0x1000, 8)->index, 5U);
  access(t2, 1, 0x1004, 4, AccessType::plain_read, {5, 3});
  access(t2, 1, 0x1002, 1, AccessType::plain_read, {5, 3});
  EXPECT_EQ(detector.newest_plain_write(0x1000, 8)->index, 5U);
}

TEST_F(RaceDetector, AnAccessThatRepeatsARememberedOneIsRecognised) {
  if (!base::fast_paths) GTEST_SKIP() << "this build has no fast paths";
  const PlainAccesses now(t1, 3), later(t1, 5), others(t2, 3);
  const auto is_remembered_read = [&](PlainAccesses accesses) {
    return detector.is_remembered<AccessType::plain_read>(detector.place_of(0x1004, 4), accesses);
  };
  const auto is_remembered_write = [&](PlainAccesses accesses) {
    return detector.is_remembered<AccessType::plain_write>(detector.place_of(0x1004, 4), accesses);
  };
  EXPECT_FALSE(is_remembered_read(now));
  access(t0, 1, 0x1000, 8, AccessType::plain_read);
  access(t1, 3, 0x1004, 4, AccessType::plain_read);
  EXPECT_TRUE(is_remembered_read(now));
  EXPECT_FALSE(is_remembered_write(now));
  EXPECT_FALSE(is_remembered_read(later));
  EXPECT_FALSE(is_remembered_read(others));
  EXPECT_TRUE((detector.is_remembered<AccessType::plain_read>(detector.place_of(0x1006, 2), now)));
  EXPECT_FALSE((detector.is_remembered<AccessType::plain_read>(detector.place_of(0x1002, 4), now)));
  EXPECT_FALSE((detector.is_remembered<AccessType::plain_read>(detector.place_of(0x1000, 8), now)));
  EXPECT_FALSE((detector.is_remembered<AccessType::plain_read>(detector.place_of(0x1006, 4), now)));
  access(t1, 3, 0x1000, 4, AccessType::plain_read);  // other bytes: both are at hand
  EXPECT_TRUE(is_remembered_read(now));
  EXPECT_TRUE((detector.is_remembered<AccessType::plain_read>(detector.place_of(0x1000, 4), now)));
  access(t2, 3, 0x1000, 8, AccessType::plain_read);  // hides them, until they are repeated
  EXPECT_FALSE(is_remembered_read(now));
  EXPECT_FALSE((detector.is_remembered<AccessType::plain_read>(detector.place_of(0x1000, 4), now)));
  access(t1, 3, 0x1004, 4, AccessType::plain_read);
  EXPECT_TRUE(is_remembered_read(now));
  detector.begin_execution(2);
  EXPECT_FALSE(is_remembered_read(now));
  access(t1, 3, 0x1004, 4, AccessType::atomic_write);
  EXPECT_FALSE(is_remembered_read(now));
  access(t1, 3, 0x1004, 4, AccessType::plain_write);
  EXPECT_TRUE(is_remembered_read(now));
  EXPECT_TRUE(is_remembered_write(now));
  access(t1, 5, 0x1000, 8, AccessType::plain_write, {}, AccessCause::allocation);
  EXPECT_FALSE(is_remembered_write(later));
}

TEST_F(RaceDetector, MemoryThatIsNewToAnExecutionIsASignOfLifeAndGoingRoundIsNot) {
  constexpr std::uintptr_t begin = 0x100000, size = 10 << 14;  // ten chunks
  std::atomic<std::uint64_t> pulse{0};
  shadow.set_pulse(pulse);
  std::uint64_t last = 0;
  for (std::uintptr_t at = begin; at < begin + size; at += 1 << 14) {
    access(t0, 1, at, 8, AccessType::plain_write);
    EXPECT_GT(pulse.load(), last);
    last = pulse.load();
  }
  for (std::uint32_t round = 0; round < 100; ++round)
    for (std::uintptr_t at = begin; at < begin + size; at += 1 << 12)
      access(t0, 1 + 2 * round, at, 8, AccessType::plain_write);
  EXPECT_EQ(pulse.load(), last);
  EXPECT_FALSE(shadow.is_changing());
}

TEST_F(RaceDetector, LargeBlocksAreCheckedWhereTheyWereAccessed) {
  EXPECT_FALSE(access(t0, 1, 0x90000, 4, AccessType::plain_write));
  Access block;
  block.address = 0x80000;
  block.size = 0x100000;
  block.type = AccessType::plain_write;
  block.cause = AccessCause::deallocation;
  block.thread = t1;
  block.index = 1;
  const auto race = detector.access_where_known(block);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->address, 0x90000U);
}

// The detector against a list of all accesses, of three threads that now and then learn what another one knows. Whoever
// asks goes the ways that the engine goes: remembered, in peace, with everything compared.
class RaceDetectorAgainstAList : public ::testing::Test {
 protected:
  struct Known {
    std::uintptr_t address;
    AccessType type;
    AccessCause cause;
    std::uint32_t thread, index;
    std::uint64_t site;
  };
  static constexpr std::uintptr_t base_address = 0x5000;
  static constexpr std::size_t cells = 3;

  RaceDetectorAgainstAList() { detector.begin_execution(1); }

  enum class Verdict { none, known, fresh };
  /// A conflict is known if the thread did the same between the same two events before: then it was found when the
  /// later of the two came.
  Verdict verdict_of_list(const Access& access) const {
    auto verdict = Verdict::none;
    for (const Known& old : list) {
      if (old.address < access.address || old.address >= access.address + access.size) continue;
      const bool ordered = old.thread == number(access.thread) || (*access.clock)[old.thread] >= old.index;
      if (!(ordered ? old.cause == AccessCause::deallocation : conflict(old.type, access.type))) continue;
      const bool repeated = std::any_of(list.begin(), list.end(), [&](const Known& own) {
        return own.address == old.address && own.thread == number(access.thread) && own.index == access.index &&
               own.cause == access.cause && dominates(own.type, access.type);
      });
      if (!repeated) return Verdict::fresh;
      verdict = Verdict::known;
    }
    return verdict;
  }
  void remember(const Access& access) {
    for (std::uintptr_t at = access.address; at < access.address + access.size; ++at)
      list.push_back({at, access.type, access.cause, number(access.thread), access.index, access.site});
  }
  /// The site of the newest plain write to any of the bytes.
  std::optional<std::uint64_t> newest_write_in_list(std::uintptr_t address, std::size_t size) const {
    for (auto old = list.rbegin(); old != list.rend(); ++old)
      if (old->type == AccessType::plain_write && old->address >= address && old->address < address + size)
        return old->site;
    return std::nullopt;
  }
  Access any_access() {
    Access access;
    const auto thread = static_cast<std::uint32_t>(random.below(3));
    access.size = std::size_t{1} << random.below(4);
    access.address = base_address + random.below(cells * 8 - access.size + 1);
    access.type = static_cast<AccessType>(random.below(4));
    access.thread = graph::ThreadId{thread};
    access.index = indices[thread];
    access.clock = &clocks[thread];
    access.site = ++sites;
    return access;
  }
  void step() {
    const auto thread = static_cast<std::uint32_t>(random.below(3));
    if (random.one_in(3)) ++indices[thread];
    if (random.one_in(3)) {
      const auto other = (thread + 1 + static_cast<std::uint32_t>(random.below(2))) % 3;
      for (std::uint32_t i = 0; i < 3; ++i) known[thread][i] = std::max(known[thread][i], known[other][i]);
      known[thread][other] = std::max(known[thread][other], indices[other] - 1);
    }
    Access access = any_access();
    if (random.one_in(60)) {
      access.address = base_address + 8 * random.below(cells - 1);
      access.size = 16;
      access.type = AccessType::plain_write;
      access.cause = random.one_in(2) ? AccessCause::allocation : AccessCause::deallocation;
    }
    if (access.cause == AccessCause::allocation) {
      std::erase_if(list, [&](const Known& old) {
        return old.address >= access.address && old.address < access.address + access.size;
      });
      detector.begin_block(access, [](Cell& cell, std::uintptr_t) { cell.more.clear(); });
      return remember(access);
    }
    const Verdict expected = verdict_of_list(access);
    const bool found = finds_conflict(access);
    ASSERT_EQ(found, expected == Verdict::known ? found : expected == Verdict::fresh) << "access " << sites;
    conflicts += found ? 1 : 0;
    remember(access);
    const AccessRecord* newest = detector.newest_plain_write(access.address, access.size);
    const auto newest_in_list = newest_write_in_list(access.address, access.size);
    ASSERT_EQ(newest != nullptr, newest_in_list.has_value()) << "access " << sites;
  }
  bool finds_conflict(const Access& access) {
    const Detector::Place place = detector.place_of(access.address, access.size);
    const PlainAccesses now(access.thread, access.index);
    if (access.cause == AccessCause::access) {
      const bool remembered =
          access.type == AccessType::plain_read    ? detector.is_remembered<AccessType::plain_read>(place, now)
          : access.type == AccessType::plain_write ? detector.is_remembered<AccessType::plain_write>(place, now)
                                                   : false;
      if (remembered) return false;
      if (detector.try_record_uncontended(place.cell, access.stamp().of(place.bytes), *access.clock)) {
        ++uncontended;
        return false;
      }
      return detector.access_contended(access).has_value();
    }
    return detector.access(access).has_value();
  }

  static constexpr std::size_t room = 4 << 20;
  std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(2 * room);
  base::Arena forever{{memory.get(), room}};
  base::Arena execution{{memory.get() + room, room}};
  ShadowMemory shadow{forever};
  Detector detector{shadow, execution};
  base::Random random{5};
  std::vector<Known> list;
  std::uint32_t indices[3] = {1, 1, 1};
  std::uint32_t known[3][3] = {};
  const base::VectorClock clocks[3] = {{3, known[0]}, {3, known[1]}, {3, known[2]}};
  std::uint64_t sites = 0;
  int conflicts = 0, uncontended = 0;
};

TEST_F(RaceDetectorAgainstAList, FindsAConflictExactlyWhereThereIsOne) {
  for (std::uint32_t round = 2; round < 600 && !HasFatalFailure(); ++round) {
    for (int i = 0; i < 60 && !HasFatalFailure(); ++i) step();
    execution.reset();
    detector.begin_execution(round);
    list.clear();
  }
  EXPECT_GT(conflicts, 1000);
  EXPECT_GT(uncontended, base::fast_paths ? 1000 : -1);
}

// Two detectors in step. One has room for few chunks of cells, so that what it knows is folded and unfolded all the
// time.
class FoldedShadow : public ::testing::Test {
 protected:
  struct Side {
    explicit Side(std::size_t most_chunks) : shadow(forever, most_chunks) {}
    static constexpr std::size_t room = 16 << 20;
    std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(2 * room);
    base::Arena forever{{memory.get(), room}};
    base::Arena execution{{memory.get() + room, room}};
    ShadowMemory shadow;
    Detector detector{shadow, execution};
  };
  static constexpr std::uintptr_t chunk = 1 << 14;
  static constexpr std::uint32_t chunks = 40;

  void begin(std::uint32_t execution) {
    folding.detector.begin_execution(execution);
    plain.detector.begin_execution(execution);
  }
  Access any_access() {
    Access access;
    access.address = 0x600000000000 + random.below(chunks) * chunk + random.below(random.one_in(2) ? 64 : chunk - 64);
    access.size = random.one_in(20) ? random.below(3 * chunk) : std::size_t{1} << random.below(4);
    access.type = static_cast<AccessType>(random.below(4));
    access.thread = graph::ThreadId{static_cast<std::uint32_t>(random.below(3))};
    access.index = static_cast<std::uint32_t>(1 + random.below(40));
    access.site = 0x1000 + random.below(300);
    access.stack = static_cast<std::uint32_t>(random.below(5));
    for (std::uint32_t& entry : known) entry = static_cast<std::uint32_t>(random.below(40));
    access.clock = &clock;
    return access;
  }
  void access_both() {
    const Access access = any_access();
    const bool frees = random.one_in(50);
    const auto one = frees ? folding.detector.access_where_known(access) : folding.detector.access(access);
    const auto other = frees ? plain.detector.access_where_known(access) : plain.detector.access(access);
    ASSERT_EQ(one.has_value(), other.has_value());
    conflicts += one.has_value() ? 1 : 0;
    if (!one) return;
    EXPECT_EQ(one->address, other->address);
    EXPECT_EQ(one->ordered, other->ordered);
    EXPECT_EQ(one->previous.index, other->previous.index);
    EXPECT_EQ(one->previous.thread, other->previous.thread);
    EXPECT_EQ(one->previous.bytes, other->previous.bytes);
    EXPECT_EQ(one->previous.type, other->previous.type);
    EXPECT_EQ(one->previous.site(), other->previous.site());
    EXPECT_EQ(one->previous.stack, other->previous.stack);
    EXPECT_EQ(one->previous.size, other->previous.size);
  }

  Side folding{3}, plain{chunks + 4};
  base::Random random{17};
  std::uint32_t known[3] = {};
  const base::VectorClock clock{3, known};
  int conflicts = 0;
};

TEST_F(FoldedShadow, FindsTheSameConflicts) {
  for (std::uint32_t execution = 1; execution <= 4; ++execution) {
    begin(execution);
    for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) access_both();
  }
  EXPECT_GT(conflicts, 400);
}

TEST_F(FoldedShadow, TakesLittleRoomForWhatOneThreadTouchedOnce) {
  begin(1);
  const std::size_t before = folding.forever.used();
  Access access;
  access.type = AccessType::plain_write;
  access.thread = graph::ThreadId{0};
  access.index = 1;
  access.size = 8;
  constexpr std::uintptr_t touched = 8 << 20;
  for (std::uintptr_t at = 0; at < touched; at += 8) {
    access.address = 0x600000000000 + at;
    folding.detector.access(access);
  }
  EXPECT_LT(folding.forever.used() - before, touched / 8);
}

}  // namespace heddle::races
