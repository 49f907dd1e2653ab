// Parts of the search that move between processes: whatever is given away and whenever, the parts in their order are
// the whole search.
#include "exploration/subtree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/exact_sum.hpp"
#include "exploration/exploration.hpp"
#include "litmus/interpreter.hpp"
#include "litmus/parser.hpp"
#include "random_program.hpp"

namespace heddle::testing {

namespace {

using exploration::Exploration;
using Bytes = std::vector<std::uint8_t>;

class StopsWhenAbandoned final : public litmus::RunObserver {
 public:
  explicit StopsWhenAbandoned(const Exploration& search) : search_(search) {}
  bool may_continue(const graph::ExecutionGraph&, const models::ModelState&) override {
    return !search_.is_abandoned();
  }

 private:
  const Exploration& search_;
};

/// After how many runs a part was given away, and the least number of its branches.
using Gift = std::pair<std::size_t, std::size_t>;

struct Task {
  Bytes bytes;
  std::vector<Gift> gifts;
  std::vector<std::uint64_t> runs;  ///< hashes of the graphs; 0: abandoned
  base::ExactSum explored;
};

class Searcher {
 public:
  Searcher(const litmus::Test& test, const models::MemoryModel& model)
      : run_arena_({memory(), arena_size}), pending_arena_({memory() + arena_size, arena_size}),
        interpreter_(test, *model.for_exploration()), search_(interpreter_.graph(), run_arena_, pending_arena_),
        observer_(search_) {}

  /// Explores the task. If `random` is not null, gives parts away now and then, which `give` gets. Otherwise repeats
  /// the gifts that the task had.
  template <typename Give>
  void explore(Task& task, base::Random* random, Give give) {
    ASSERT_TRUE(search_.load(task.bytes));
    task.runs.clear();
    std::size_t next_gift = 0;
    Bytes out(std::size_t{1} << 16);
    for (;;) {
      if (random != nullptr && random->below(8) == 0) {
        const std::size_t least = random->below(4);
        const auto gift = search_.give(least, out);
        if (gift.branches != 0) {
          task.gifts.emplace_back(task.runs.size(), least);
          give(Bytes(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(gift.size)));
        }
      }
      for (; random == nullptr && next_gift < task.gifts.size() && task.gifts[next_gift].first == task.runs.size();
           ++next_gift)
        search_.give(task.gifts[next_gift].second, out);
      if (!interpreter_.run(search_, 0, &observer_)) break;
      ASSERT_FALSE(search_.has_diverged());
      task.runs.push_back(search_.is_abandoned() ? 0 : canonical_hash(interpreter_.graph()));
    }
    task.explored = search_.exactly_explored();
  }

 private:
  static constexpr std::size_t arena_size = std::size_t{4} << 20;
  /// There is one searcher at a time.
  static std::byte* memory() {
    static std::vector<std::byte> memory(2 * arena_size);
    return memory.data();
  }
  base::Arena run_arena_, pending_arena_;
  litmus::Interpreter interpreter_;
  Exploration search_;
  StopsWhenAbandoned observer_;
};

std::vector<std::uint64_t> all_runs(const std::list<Task>& tasks) {
  std::vector<std::uint64_t> runs;
  for (const Task& task : tasks) runs.insert(runs.end(), task.runs.begin(), task.runs.end());
  return runs;
}

constexpr auto no_gift = [](const Bytes&) {};

TEST(SubtreeTest, PartsThatWereGivenAwayAreTheWholeSearchInItsOrder) {
  alignas(std::max_align_t) std::array<std::byte, 256> memory{};
  base::Arena arena(memory);
  const models::MemoryModel* model = models::make_model("rc11", {}, arena);
  base::Random random(20, 1);
  std::size_t gifts = 0, runs = 0;
  for (int i = 0; i < 150; ++i) {
    const Program program = random_program(random, {});
    const auto test = litmus::parse_test(program.text(), "random");
    ASSERT_TRUE(test) << test.problem().text;
    Task whole;
    Searcher(*test, *model).explore(whole, nullptr, no_gift);

    // Each task is explored by another searcher, and what it gives away comes behind it.
    std::list<Task> tasks(1);
    for (auto task = tasks.begin(); task != tasks.end(); ++task) {
      const auto behind = [&](Bytes bytes) { tasks.insert(std::next(task), Task{std::move(bytes), {}, {}, {}}); };
      Searcher(*test, *model).explore(*task, &random, behind);
    }
    ASSERT_EQ(all_runs(tasks), whole.runs) << program.text();
    base::ExactSum explored;
    for (const Task& task : tasks) explored.add(task.explored);
    EXPECT_EQ(explored.rounded(), whole.explored.rounded());

    // Another worker repeats a task with its gifts.
    for (Task& task : tasks) {
      const std::vector<std::uint64_t> before = task.runs;
      Searcher(*test, *model).explore(task, nullptr, no_gift);
      EXPECT_EQ(task.runs, before);
    }
    gifts += tasks.size() - 1;
    runs += whole.runs.size();
  }
  EXPECT_GT(gifts, 300U);
  EXPECT_GT(runs, 5000U);
}

exploration::PlannedEvent some_event(std::uint32_t seed) {
  exploration::PlannedEvent event;
  event.name = {graph::ThreadId{seed}, seed * 1000};
  event.reads_from = {graph::no_thread, 0};
  event.mo_predecessor = {graph::ThreadId{seed + 1}, 0xffffffffU};
  event.added = seed * 77;
  event.detail = seed % 3;
  event.fixes_detail = (seed & 1) != 0;
  event.fixes_reads_from = (seed & 2) != 0;
  event.fixes_slot = (seed & 4) != 0;
  event.has_to_write = (seed & 8) != 0;
  event.revisits = (seed & 16) != 0;
  event.may_wait = (seed & 32) != 0;
  event.overtakes = seed % 5 == 0;
  return event;
}

TEST(SubtreeTest, ABranchIsReadAsItWasWritten) {
  std::vector<exploration::PlannedEvent> plan;
  for (std::uint32_t i = 0; i < 40; ++i) plan.push_back(some_event(i));
  Bytes out(4096);
  out.resize(exploration::write_branch({0.125, plan}, out));
  ASSERT_FALSE(out.empty());
  exploration::Bytes left = out;
  const auto branch = exploration::split_branch(left);
  ASSERT_TRUE(branch);
  EXPECT_TRUE(left.empty());
  std::vector<std::byte> memory(1 << 16);
  base::Arena arena(memory);
  base::ArenaVector<exploration::PlannedEvent> read;
  EXPECT_EQ(exploration::read_branch(*branch, read, arena), 0.125);
  ASSERT_EQ(read.size(), plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(read[i].name, plan[i].name);
    EXPECT_EQ(read[i].reads_from, plan[i].reads_from);
    EXPECT_EQ(read[i].mo_predecessor, plan[i].mo_predecessor);
    EXPECT_EQ(read[i].added, plan[i].added);
    EXPECT_EQ(read[i].detail, plan[i].detail);
    EXPECT_EQ(read[i].fixes_detail, plan[i].fixes_detail);
    EXPECT_EQ(read[i].fixes_reads_from, plan[i].fixes_reads_from);
    EXPECT_EQ(read[i].fixes_slot, plan[i].fixes_slot);
    EXPECT_EQ(read[i].has_to_write, plan[i].has_to_write);
    EXPECT_EQ(read[i].revisits, plan[i].revisits);
    EXPECT_EQ(read[i].may_wait, plan[i].may_wait);
    EXPECT_EQ(read[i].overtakes, plan[i].overtakes);
  }
}

TEST(SubtreeTest, BytesThatEndEarlyAreNoSubtree) {
  const std::vector<exploration::PlannedEvent> plan{some_event(3), some_event(4)};
  Bytes out(256);
  out.resize(exploration::write_branch({0.5, plan}, out));
  EXPECT_TRUE(exploration::is_subtree(out));
  for (std::size_t size = 0; size < out.size(); ++size)
    EXPECT_FALSE(exploration::is_subtree(exploration::Bytes(out).first(size))) << size;
}

TEST(SubtreeTest, ABranchForWhichThereIsNoRoomIsNotWritten) {
  const std::vector<exploration::PlannedEvent> plan(100, some_event(3));
  Bytes out(500);
  EXPECT_EQ(exploration::write_branch({0.5, plan}, out), 0U);
}

TEST(ExactSumTest, DoesNotDependOnTheOrderOfItsTerms) {
  base::Random random(1, 1);
  std::vector<double> terms;
  for (int i = 0; i < 2000; ++i) {
    double term = 1;
    for (std::uint64_t depth = random.below(200); depth != 0; --depth) term /= static_cast<double>(1 + random.below(5));
    terms.push_back(term);
  }
  base::ExactSum forwards, backwards, grouped, group;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    forwards.add(terms[i]);
    backwards.add(terms[terms.size() - 1 - i]);
    group.add(terms[i]);
    if (random.below(10) == 0) grouped.add(std::exchange(group, {}));
  }
  grouped.add(group);
  EXPECT_EQ(forwards.rounded(), backwards.rounded());
  EXPECT_EQ(forwards.rounded(), grouped.rounded());
}

TEST(ExactSumTest, AddsThirdsToOne) {
  base::ExactSum sum;
  for (int i = 0; i < 3; ++i) sum.add(1.0 / 3);
  EXPECT_NEAR(sum.rounded(), 1, 1e-15);
  for (int i = 0; i < 1023; ++i) sum.add(1);
  EXPECT_NEAR(sum.rounded(), 1024, 1e-12);
  base::ExactSum least;
  for (int i = 0; i < 4; ++i) least.add(5e-324);
  EXPECT_EQ(least.rounded(), 4 * 5e-324);
}

}  // namespace

}  // namespace heddle::testing
