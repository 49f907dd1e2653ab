// Phase I of heddle predict: the cycles of hand-made traces, and of random ones against a brute-force search.
#include "prediction/cycle_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

namespace heddle::prediction {

namespace {

using Kind = Step::Kind;

constexpr std::uint64_t x = 1, y = 2, done = 3, lock = 10, other_lock = 11;

Step load(std::uint32_t thread, std::uint32_t label, std::uint64_t location) {
  return {Kind::load, thread, label, location};
}
Step store(std::uint32_t thread, std::uint32_t label, std::uint64_t location) {
  return {Kind::store, thread, label, location};
}
Step acquire(std::uint32_t thread, std::uint64_t object) { return {Kind::lock, thread, 0, object}; }
Step acquire_shared(std::uint32_t thread, std::uint64_t object) { return {Kind::shared_lock, thread, 0, object}; }
Step release(std::uint32_t thread, std::uint64_t object) { return {Kind::unlock, thread, 0, object}; }

/// "1 3 4 5": the labels of a cycle. A pair that is one store is "(7)".
std::string text_of(const Cycle& cycle) {
  std::string text;
  for (std::uint32_t i = 0; i < cycle.size; ++i) {
    const CyclePair& pair = cycle.pairs[i];
    text += text.empty() ? "" : " ";
    text += pair.is_single != 0 ? "(" + std::to_string(pair.first) + ")"
                                : std::to_string(pair.first) + " " + std::to_string(pair.second);
  }
  return text;
}

std::set<std::string> cycles_of(const Trace& trace, std::uint32_t length = 4) {
  CycleSearch search({.length = length});
  search.add(trace);
  EXPECT_FALSE(search.is_cut_off());
  std::set<std::string> texts;
  for (const Cycle& cycle : search.cycles()) EXPECT_TRUE(texts.insert(text_of(cycle)).second) << text_of(cycle);
  return texts;
}

using Texts = std::set<std::string>;

}  // namespace

// The trace of the paper's figure 2 in which thread 1 runs before thread 2, and its section 2.3.
TEST(CycleSearch, FindsTheTwoCyclesOfFigure2) {
  const Trace trace = {store(1, 1, x),   store(1, 2, y), store(1, 3, done),
                       load(2, 4, done), load(2, 5, x),  load(2, 7, y)};
  EXPECT_EQ(cycles_of(trace), (Texts{"1 3 4 5", "2 3 4 7"}));
}

// The paper's figure 13. The lock orders the accesses in this execution, and does not protect them.
TEST(CycleSearch, FindsTheCycleOfFigure13ThoughALockOrdersTheAccesses) {
  const Trace trace = {store(1, 1, x),   load(1, 2, y),    acquire(1, lock), release(1, lock),
                       acquire(2, lock), release(2, lock), store(2, 9, y),   load(2, 10, x)};
  EXPECT_EQ(cycles_of(trace), (Texts{"1 2 9 10"}));
}

TEST(CycleSearch, FindsNoCycleBetweenAccessesUnderOneLock) {
  const Trace trace = {acquire(1, lock), store(1, 1, x), load(1, 2, y), release(1, lock),
                       acquire(2, lock), store(2, 3, y), load(2, 4, x), release(2, lock)};
  EXPECT_EQ(cycles_of(trace), Texts{});
}

TEST(CycleSearch, FindsCyclesBetweenAccessesUnderDifferentLocks) {
  const Trace trace = {acquire(1, lock),       store(1, 1, x), load(1, 2, y), release(1, lock),
                       acquire(2, other_lock), store(2, 3, y), load(2, 4, x), release(2, other_lock)};
  EXPECT_EQ(cycles_of(trace), (Texts{"1 2 3 4"}));
}

TEST(CycleSearch, ALockThatIsSharedProtectsOnlyFromItsWriters) {
  const Trace readers = {acquire_shared(1, lock), store(1, 1, x), load(1, 2, y), release(1, lock),
                         acquire_shared(2, lock), store(2, 3, y), load(2, 4, x), release(2, lock)};
  EXPECT_EQ(cycles_of(readers), (Texts{"1 2 3 4"}));
  Trace with_writer = readers;
  with_writer[0] = acquire(1, lock);
  EXPECT_EQ(cycles_of(with_writer), Texts{});
}

TEST(CycleSearch, ALockThatIsHeldTwiceProtectsUntilItsLastRelease) {
  const Trace trace = {acquire(1, lock), acquire(1, lock), release(1, lock), store(1, 1, x), load(1, 2, y),
                       release(1, lock), acquire(2, lock), store(2, 3, y),   load(2, 4, x),  release(2, lock)};
  EXPECT_EQ(cycles_of(trace), Texts{});
}

// Thread 1 creates thread 2 after its accesses, or joins it before them.
TEST(CycleSearch, ThreadStartsAndJoinsOrderAccesses) {
  const Trace started = {store(1, 1, x),         load(1, 2, y),  {Kind::release, 1, 0, 0},
                         {Kind::order, 2, 0, 2}, store(2, 3, y), load(2, 4, x)};
  EXPECT_EQ(cycles_of(started), Texts{});
  const Trace joined = {store(2, 3, y),         load(2, 4, x),  {Kind::release, 2, 0, 0},
                        {Kind::order, 1, 0, 2}, store(1, 1, x), load(1, 2, y)};
  EXPECT_EQ(cycles_of(joined), Texts{});
}

TEST(CycleSearch, WhatFollowsTheCreationOfAThreadIsConcurrentToIt) {
  const Trace trace = {{Kind::release, 1, 0, 0}, store(1, 1, x), load(1, 2, y),
                       {Kind::order, 2, 0, 0},   store(2, 3, y), load(2, 4, x)};
  EXPECT_EQ(cycles_of(trace), (Texts{"1 2 3 4"}));
}

TEST(CycleSearch, OrderIsTransitive) {
  // Thread 1 creates 2, which creates 3.
  const Trace trace = {
      store(1, 1, x),           load(1, 2, y),          {Kind::release, 1, 0, 0}, {Kind::order, 2, 0, 2},
      {Kind::release, 2, 0, 0}, {Kind::order, 3, 0, 4}, store(3, 3, y),           load(3, 4, x)};
  EXPECT_EQ(cycles_of(trace), Texts{});
}

TEST(CycleSearch, CyclesAtOneLocationAreLeftOut) {
  const Trace trace = {store(1, 1, x), load(2, 2, x), load(2, 3, x), store(1, 4, x)};
  EXPECT_EQ(cycles_of(trace, 6), Texts{});
}

TEST(CycleSearch, LoadsAloneDoNotConflict) {
  EXPECT_EQ(cycles_of({load(1, 1, x), load(1, 2, y), load(2, 3, y), load(2, 4, x)}), Texts{});
}

TEST(CycleSearch, OneThreadHasNoCycles) {
  EXPECT_EQ(cycles_of({store(1, 1, x), load(1, 2, y), store(1, 3, y), load(1, 4, x)}), Texts{});
  EXPECT_EQ(cycles_of({}), Texts{});
}

// A thread that comes to a line again later: the accesses of one label pair with each other.
TEST(CycleSearch, OneLabelMayBeBothAccessesOfAPair) {
  // ms2 of the paper: line 10 reads the link to a node, then the link in that node.
  const Trace trace = {store(1, 3, x), store(1, 5, y), load(2, 10, y), load(2, 10, x)};
  EXPECT_EQ(cycles_of(trace), (Texts{"3 5 10 10"}));
}

TEST(CycleSearch, FindsLongerCyclesOnRequest) {
  // Three threads, each with a store and a load of the next location.
  const Trace ring = {store(1, 1, x),   load(1, 2, y),     store(2, 3, y),
                      load(2, 4, done), store(3, 5, done), load(3, 6, x)};
  EXPECT_EQ(cycles_of(ring, 4), Texts{});
  EXPECT_EQ(cycles_of(ring, 6), (Texts{"1 2 3 4 5 6"}));
  // Write-to-read causality: the first thread has one store.
  const Trace causality = {store(1, 1, x), load(2, 2, x), store(2, 3, y), load(3, 4, y), load(3, 5, x)};
  EXPECT_EQ(cycles_of(causality, 6), (Texts{"(1) 2 3 4 5"}));
  // Independent reads of independent writes: length 8, with two single stores.
  const Trace reads = {store(1, 1, x), store(2, 2, y), load(3, 3, x), load(3, 4, y), load(4, 5, y), load(4, 6, x)};
  EXPECT_EQ(cycles_of(reads, 6), Texts{});
  EXPECT_EQ(cycles_of(reads, 8), (Texts{"(1) 3 4 (2) 5 6"}));
}

TEST(CycleSearch, CyclesThatContainASmallerOneAreLeftOut) {
  // Threads 1 and 2 have a cycle of length 4; thread 3 could be put between the two.
  const Trace trace = {store(1, 1, x), load(1, 2, y),    store(2, 3, y),   load(2, 4, x),
                       store(3, 5, y), load(3, 6, done), store(2, 7, done)};
  for (const std::string& text : cycles_of(trace, 6))
    EXPECT_LE(std::count(text.begin(), text.end(), ' '), 3) << text << " contains 1 2 3 4";
}

TEST(CycleSearch, SeveralTracesAddUpWithoutDuplicates) {
  const Trace one = {store(1, 1, x), load(1, 2, y), store(2, 3, y), load(2, 4, x)};
  Trace swapped = one;  // the threads have other numbers
  for (Step& step : swapped) step.thread = 3 - step.thread;
  CycleSearch search({});
  search.add(one);
  search.add(swapped);
  search.add({store(1, 1, x), store(1, 5, y), load(2, 6, y), load(2, 4, x)});
  ASSERT_EQ(search.cycles().size(), 2U);
  EXPECT_EQ(text_of(search.cycles()[0]), "1 2 3 4");
  EXPECT_EQ(text_of(search.cycles()[1]), "1 5 6 4");
}

TEST(CycleSearch, ALoopCostsNoMoreThanItsBody) {
  Trace trace;
  for (int i = 0; i < 100'000; ++i)
    trace.insert(trace.end(), {store(1, 1, x), load(1, 2, y), store(2, 3, y), load(2, 4, x)});
  CycleSearch search({});
  search.add(trace);
  EXPECT_LT(search.steps(), 100U);
  EXPECT_FALSE(search.cycles().empty());
}

TEST(CycleSearch, StopsAtItsLimits) {
  Trace trace;
  for (std::uint32_t i = 0; i < 300; ++i)
    for (std::uint32_t thread = 1; thread <= 3; ++thread)
      trace.push_back(store(thread, thread * 1000 + i, thread == 1 ? 300 - i : i));
  CycleSearch by_steps({.length = 6, .steps = 10'000});
  by_steps.add(trace);
  EXPECT_TRUE(by_steps.is_cut_off());
  EXPECT_LE(by_steps.steps(), 10'000U);
  CycleSearch by_cycles({.cycles = 7});
  by_cycles.add(trace);
  EXPECT_TRUE(by_cycles.is_cut_off());
  EXPECT_EQ(by_cycles.cycles().size(), 7U);
}

// ---- random traces against the definitions -----------------------------------------------------------------

namespace {

/// Cycles by trying every sequence of accesses, straight from the definitions.
class BruteForce {
 public:
  BruteForce(const Trace& trace, std::uint32_t length) : trace_(trace), length_(length) {}

  std::set<std::string> find() {
    extend();
    return found_;
  }

 private:
  bool conflict(std::size_t a, std::size_t b) const {
    const Step &s = trace_[a], &t = trace_[b];
    return s.thread != t.thread && s.object == t.object && (s.writes() || t.writes());
  }
  bool is_pair(std::size_t a, std::size_t b) const {
    const Step &s = trace_[a], &t = trace_[b];
    return a == b ? s.writes() : s.thread == t.thread && a < b && s.object != t.object;
  }
  void extend() {
    if (pairs_.size() >= 2 && conflict(pairs_.back().second, pairs_[0].first)) note();
    if (pairs_.size() * 2 == length_) return;
    for (std::size_t a = 0; a < trace_.size(); ++a) {
      if (!pairs_.empty() && !conflict(pairs_.back().second, a)) continue;
      if (std::any_of(pairs_.begin(), pairs_.end(),
                      [&](const auto& pair) { return trace_[pair.first].thread == trace_[a].thread; }))
        continue;
      for (std::size_t b = a; b < trace_.size(); ++b) {
        if (!is_pair(a, b)) continue;
        pairs_.push_back({a, b});
        extend();
        pairs_.pop_back();
      }
    }
  }
  void note() {
    const std::size_t size = pairs_.size();
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        if (j != i && j != (i + 1) % size && conflict(pairs_[i].second, pairs_[j].first)) return;
    if (std::all_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) {
          return trace_[pair.first].object == trace_[pairs_[0].first].object && pair.first == pair.second;
        }))
      return;
    Cycle cycle;
    for (const auto& [a, b] : pairs_) cycle.pairs[cycle.size++] = {trace_[a].label, trace_[b].label, a == b ? 1U : 0U};
    found_.insert(text_of(canonical_rotation(cycle)));
  }

  const Trace& trace_;
  std::uint32_t length_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  std::set<std::string> found_;
};

}  // namespace

TEST(CycleSearch, FindsWhatABruteForceSearchFindsInRandomTraces) {
  std::mt19937 random(1);
  std::size_t found = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t length = round % 2 == 0 ? 4 : 8;
    Trace trace;
    for (int i = 0; i < 14; ++i)
      trace.push_back({static_cast<Kind>(random() % 3), static_cast<std::uint32_t>(random() % 4),
                       static_cast<std::uint32_t>(random() % 9), random() % 3});
    const auto expected = BruteForce(trace, length).find();
    found += expected.size();
    EXPECT_EQ(cycles_of(trace, length), expected) << "round " << round;
  }
  EXPECT_GT(found, 1000U);
}

}  // namespace heddle::prediction
