#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "linearizability/checker.hpp"
#include "linearizability/clients.hpp"

namespace heddle::linearizability {

namespace {

/// A queue of small numbers, whose tryPop may also fail for no reason if `may_fail`.
class QueueSpecification final : public Specification {
 public:
  struct Call {
    bool is_push;
    int value;  ///< pushed or popped; 0: empty
  };
  explicit QueueSpecification(std::vector<Call> given, bool fails = false) : calls(std::move(given)), may_fail(fails) {}

  State make() override { return keep(new std::vector<int>); }
  State copy(State state) override { return keep(new std::vector<int>(at(state))); }
  void destroy(State state) override {
    --alive;
    delete &at(state);
  }
  bool equal(State a, State b) override { return at(a) == at(b); }
  std::uint64_t hash(State state) override {
    return std::accumulate(at(state).begin(), at(state).end(), std::uint64_t{7},
                           [](std::uint64_t sum, int value) { return sum * 31 + static_cast<std::uint64_t>(value); });
  }
  Step apply(State state, std::uint32_t call, std::uint32_t way) override {
    ++applied;
    auto& queue = at(state);
    const Call& made = calls[call];
    if (way == 1 && may_fail && !made.is_push) return made.value == 0 ? Step::allowed : Step::refused;
    if (way != 0) return Step::none;
    if (made.is_push) {
      queue.push_back(made.value);
      return Step::allowed;
    }
    const int popped = queue.empty() ? 0 : queue.front();
    if (!queue.empty()) queue.erase(queue.begin());
    return popped == made.value ? Step::allowed : Step::refused;
  }

  static std::vector<int>& at(State state) { return *static_cast<std::vector<int>*>(state); }
  State keep(std::vector<int>* state) {
    ++alive;
    return state;
  }

  std::vector<Call> calls;
  bool may_fail;
  int alive = 0;
  int applied = 0;
};

/// Tries every permutation of the calls, and every combination of ways.
bool is_linearizable_by_brute_force(History history, QueueSpecification& specification, CallSet open) {
  std::vector<std::uint32_t> order(history.size());
  std::iota(order.begin(), order.end(), 0U);
  do {
    CallSet done = 0;
    bool fits = true;
    for (const std::uint32_t call : order) {
      fits &= (history[call] & ~done) == 0;
      done |= only(call);
    }
    if (!fits) continue;
    for (std::uint32_t ways = 0; ways < (specification.may_fail ? 1U << order.size() : 1U); ++ways) {
      const auto state = specification.make();
      bool explains = true;
      for (const std::uint32_t call : order) {
        const auto step = specification.apply(state, call, ways >> call & 1);
        explains &=
            step == Specification::Step::allowed || (step == Specification::Step::refused && (open & only(call)) != 0);
      }
      specification.destroy(state);
      if (explains) return true;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

/// A random order of calls: an order that contains a random part of a permutation's pairs, made transitive.
std::vector<CallSet> random_history(base::Random& random, std::uint32_t count) {
  std::vector<CallSet> before(count);
  const std::uint64_t density = random.below(5);
  for (std::uint32_t later = 0; later < count; ++later)
    for (std::uint32_t earlier = 0; earlier < later; ++earlier)
      if (random.below(4) < density) before[later] |= only(earlier) | before[earlier];
  return before;
}

std::vector<QueueSpecification::Call> random_calls(base::Random& random, std::uint32_t count) {
  std::vector<QueueSpecification::Call> calls;
  int pushed = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    calls.push_back(random.below(2) == 0 ? QueueSpecification::Call{true, ++pushed}
                                         : QueueSpecification::Call{false, static_cast<int>(random.below(3))});
  for (std::size_t i = calls.size(); i > 1; --i) std::swap(calls[i - 1], calls[random.below(i)]);
  return calls;
}

class Linearizability : public ::testing::Test {
 protected:
  static constexpr std::size_t room = std::size_t{64} << 20;
  std::unique_ptr<std::byte[]> memory = std::make_unique_for_overwrite<std::byte[]>(room);
  base::Arena arena{{memory.get(), room}};
};

/// The clients of a class, as texts.
std::vector<std::string> texts(Family& family, std::size_t client_class, base::Arena& arena) {
  std::vector<std::string> all;
  for (std::uint32_t i = 0; i < family.size(client_class); ++i) {
    const Client client = family.client(client_class, i, arena);
    std::string text;
    for (const ClientCall& call : client.calls)
      text += std::to_string(call.thread) + ":" + static_cast<char>('a' + call.operation) +
              std::to_string(call.argument) + " ";
    for (const Wait& wait : client.waits) text += std::to_string(wait.earlier) + "<" + std::to_string(wait.later) + " ";
    all.push_back(text);
  }
  return all;
}

std::uint64_t count_of(Family& family, std::uint32_t calls, std::uint32_t threads) {
  std::uint64_t count = 0;
  std::byte memory[4096];
  for (std::size_t i = 0; i < family.classes(); ++i) {
    if (family.size(i) == 0) continue;
    base::Arena scratch{memory};
    const Client client = family.client(i, 0, scratch);
    if (client.threads == threads && client.calls.size() == calls) count += family.size(i);
  }
  return count;
}

constexpr OperationChoices one_operation[1] = {{}};
constexpr OperationChoices two_operations[2] = {{}, {}};

}  // namespace

TEST_F(Linearizability, AgreesWithBruteForceOnRandomHistories) {
  int linearizable = 0;
  constexpr int rounds = 4000;
  for (std::uint64_t seed = 0; seed < rounds; ++seed) {
    base::Random random(seed, 0);
    const auto count = static_cast<std::uint32_t>(1 + random.below(6));
    QueueSpecification specification(random_calls(random, count), random.below(3) == 0);
    const auto history = random_history(random, count);
    const CallSet open = random.below(4) == 0 ? only(random.below(count)) : 0;
    const bool expected = is_linearizable_by_brute_force(history, specification, open);
    EXPECT_EQ(is_linearizable(history, specification, arena, open), expected) << seed;
    EXPECT_EQ(specification.alive, 0);
    EXPECT_EQ(arena.used(), 0U);
    linearizable += expected ? 1 : 0;
  }
  EXPECT_GT(linearizable, rounds / 5);
  EXPECT_LT(linearizable, rounds * 4 / 5);
}

TEST_F(Linearizability, DoesNotTryEqualStatesAgain) {
  // Twelve pushes of one value, and a pop of another one: 12! orders, and 12 different states.
  std::vector<QueueSpecification::Call> calls(12, {true, 1});
  calls.push_back({false, 2});
  QueueSpecification specification(calls);
  const std::vector<CallSet> history(calls.size());
  EXPECT_FALSE(is_linearizable(history, specification, arena));
  EXPECT_LT(specification.applied, 200'000);
}

TEST_F(Linearizability, TheReasonsAreEnoughAndAreAllNeeded) {
  int explained = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    base::Random random(seed, 1);
    const auto count = static_cast<std::uint32_t>(2 + random.below(5));
    QueueSpecification specification(random_calls(random, count));
    const auto history = random_history(random, count);
    if (is_linearizable(history, specification, arena)) continue;
    ++explained;
    const Reasons reasons = find_reasons(history, specification, arena);
    const auto closed = [&](CallSet without_earlier, std::uint32_t without_later) {
      std::vector<CallSet> before(reasons.before.begin(), reasons.before.end());
      if (without_later < count) before[without_later] &= ~without_earlier;
      for (std::uint32_t round = 0; round < count; ++round)
        for (CallSet& set : before)
          for (std::uint32_t i = 0; i < count; ++i)
            if ((set & only(i)) != 0) set |= before[i];
      return before;
    };
    const CallSet open = first_calls(count) & ~reasons.unexplained;
    EXPECT_FALSE(is_linearizable(closed(0, count), specification, arena, open)) << seed;
    for (std::uint32_t later = 0; later < count; ++later)
      for (std::uint32_t earlier = 0; earlier < count; ++earlier)
        if ((reasons.before[later] & only(earlier)) != 0) {
          EXPECT_TRUE(is_linearizable(closed(only(earlier), later), specification, arena, open)) << seed;
        }
    arena.reset();
  }
  EXPECT_GT(explained, 200);
}

TEST_F(Linearizability, OneOperationHasAClientForEachPartialOrderOfTheThreads) {
  // Partial orders of two, three and four calls up to exchange: 2, 5 and 16 (OEIS A000112).
  constexpr Bound bounds[] = {{5, 2}, {4, 4}};
  Family family({one_operation, {}, bounds, 0, 100}, arena);
  EXPECT_EQ(count_of(family, 1, 1), 1U);
  EXPECT_EQ(count_of(family, 2, 2), 2U);
  EXPECT_EQ(count_of(family, 3, 3), 5U);
  EXPECT_EQ(count_of(family, 4, 4), 16U);
  // Two chains, as counted by a program that tries every relation.
  EXPECT_EQ(count_of(family, 3, 2), 6U);
  EXPECT_EQ(count_of(family, 4, 2), 10U + 11U);
  EXPECT_EQ(count_of(family, 5, 2), 15U + 50U);
  EXPECT_EQ(count_of(family, 4, 3), 36U);
}

TEST_F(Linearizability, NoTwoClientsAreEqualUpToExchangeOfThreads) {
  constexpr Bound bounds[] = {{4, 3}};
  Family family({two_operations, {}, bounds, 1, 100}, arena);
  std::set<std::string> seen;
  std::size_t count = 0;
  for (std::size_t i = 0; i < family.classes(); ++i)
    for (const std::string& text : texts(family, i, arena)) {
      seen.insert(text);
      ++count;
    }
  EXPECT_EQ(seen.size(), count);
}

TEST_F(Linearizability, AThreadHasOneRole) {
  constexpr OperationChoices operations[] = {{1, 1, false}, {1, 2, false}};
  constexpr std::uint32_t limits[] = {1, 1};
  constexpr Bound bounds[] = {{3, 3}};
  Family family({operations, limits, bounds, 0, 0}, arena);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < family.classes(); ++i)
    for (std::string& text : texts(family, i, arena)) all.push_back(std::move(text));
  const std::vector<std::string> expected = {"1:a0 ",           "1:b0 ",           "1:a0 1:a0 ",
                                             "1:b0 1:b0 ",      "1:a0 2:b0 ",      "1:a0 1:a0 1:a0 ",
                                             "1:b0 1:b0 1:b0 ", "1:b0 1:b0 2:a0 ", "1:a0 1:a0 2:b0 "};
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()), std::set<std::string>(expected.begin(), expected.end()));
}

TEST_F(Linearizability, TheReasonsOfALongHistoryTakeFewSteps) {
  // Forty calls of four threads, none of which explains the pop of an element that was never pushed.
  std::vector<QueueSpecification::Call> calls;
  std::vector<CallSet> history;
  for (std::uint32_t i = 0; i < 40; ++i) {
    calls.push_back({i % 2 == 0, 1 + static_cast<int>(i)});
    history.push_back(i < 4 ? 0 : history[i - 4] | only(i - 4));
  }
  QueueSpecification specification(calls);
  const Reasons reasons = find_reasons(history, specification, arena);
  EXPECT_NE(reasons.unexplained, 0U);
  EXPECT_EQ(reasons.before.size(), history.size());
  EXPECT_LT(specification.applied, 2'000'000);
}

class RandomNumbers final : public Numbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : random_(seed, 2) {}
  std::uint32_t below(std::uint32_t count) override { return static_cast<std::uint32_t>(random_.below(count)); }

 private:
  base::Random random_;
};

TEST_F(Linearizability, ClientsThatAreDrawnKeepTheRolesAndHaveNoCycle) {
  // A producer, any number of consumers, and an operation that any thread may call.
  constexpr OperationChoices operations[] = {{1, 1, true}, {2, 2, false}, {1, 0, false}};
  constexpr std::uint32_t limits[] = {1, 0};
  constexpr Bound bounds[] = {{4, 3}};
  Family family({operations, limits, bounds, 1, 100, 3}, arena);
  std::size_t larger = 0, waiting = 0, empty = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    RandomNumbers numbers(seed);
    std::byte room_of_client[8192];
    base::Arena scratch{room_of_client};
    const Client client = family.draw(numbers, scratch);
    empty += client.threads == 0 ? 1 : 0;
    std::set<std::uint32_t> producers, consumers;
    std::vector<std::set<std::uint32_t>> after(client.calls.size());
    std::size_t made = 0;
    for (std::uint32_t i = 0; i < client.calls.size(); ++i) {
      const ClientCall& call = client.calls[i];
      ASSERT_LE(call.thread, client.threads);
      if (call.thread == 0) continue;
      ++made;
      if (call.operation == 0) producers.insert(call.thread);
      if (call.operation == 1) consumers.insert(call.thread);
      if (i > 0 && client.calls[i - 1].thread == call.thread) after[i - 1].insert(i);
    }
    EXPECT_LE(producers.size(), 1U);
    for (const std::uint32_t thread : producers) EXPECT_EQ(consumers.count(thread), 0U);
    for (const Wait& wait : client.waits) {
      EXPECT_NE(client.calls[wait.earlier].thread, client.calls[wait.later].thread);
      after[wait.earlier].insert(wait.later);
    }
    for (std::size_t round = 0; round < after.size(); ++round)
      for (auto& set : after)
        for (const std::uint32_t next : std::set<std::uint32_t>(set))
          set.insert(after[next].begin(), after[next].end());
    for (std::uint32_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].count(i), 0U);
    EXPECT_LE(made, 7U);
    larger += made > 4 ? 1 : 0;
    waiting += client.waits.empty() ? 0 : 1;
  }
  EXPECT_EQ(empty, 0U);
  EXPECT_GT(larger, 300U);
  EXPECT_GT(waiting, 300U);
}

}  // namespace heddle::linearizability
