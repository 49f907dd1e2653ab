#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "litmus/interpreter.hpp"
#include "litmus/parser.hpp"
#include "strategies/random.hpp"
#include "trace/decisions.hpp"

namespace heddle::trace {

namespace {

using strategies::ChoiceKind;
using strategies::Outcome;

constexpr const char* store_buffering = R"(C SB
{ x=0; y=0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x,1,memory_order_relaxed);
  int r0 = atomic_load_explicit(y,memory_order_relaxed);
}
P1 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y,1,memory_order_relaxed);
  int r0 = atomic_load_explicit(x,memory_order_relaxed);
}
locations [0:r0; 1:r0;]
)";

class Trace : public ::testing::Test {
 protected:
  std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(1 << 18);
  base::Arena arena{{memory.get(), 1 << 18}};
  const models::MemoryModel* model = models::make_model("rc11", {}, arena);
  litmus::Test test = *litmus::parse_test(store_buffering, "SB");
  litmus::Interpreter interpreter{test, *model};
  strategies::RandomStrategy random{3, 1};

  static std::vector<std::uint8_t> bytes_of(Recorder& recorder) {
    std::vector<std::uint8_t> bytes(recorder.size());
    recorder.copy_to(bytes.data());
    return bytes;
  }
  std::vector<std::uint8_t> bytes_of(const std::vector<Decision>& decisions) {
    base::ArenaVector<std::uint8_t> bytes;
    encode_decisions(decisions, arena, bytes);
    return {bytes.begin(), bytes.end()};
  }
  std::vector<Decision> decisions_of(Recorder& recorder) {
    const auto decisions = decode_decisions(bytes_of(recorder), arena);
    return {decisions->begin(), decisions->end()};
  }
};

/// Always the same option, whatever the number of options.
class Fixed final : public strategies::Strategy {
 public:
  bool begin_execution(std::uint64_t) override { return true; }
  std::uint32_t choose(const strategies::Choice& choice) override {
    return next < choice.options.size() ? next : static_cast<std::uint32_t>(choice.options.size() - 1);
  }
  std::uint32_t next = 0;
};

}  // namespace

TEST_F(Trace, ReplayingARecordingGivesTheSameGraphAndStates) {
  Recorder recorder(random, arena);
  for (std::uint64_t run = 0; run < 200; ++run) {
    ASSERT_EQ(interpreter.run(recorder, run), Outcome::completed);
    const std::uint64_t hash = canonical_hash(interpreter.graph());
    const litmus::State state = interpreter.final_state();
    const std::vector<std::uint8_t> bytes = bytes_of(recorder);
    ASSERT_TRUE(is_decision_list(bytes));
    Replayer replayer(bytes);
    ASSERT_EQ(interpreter.run(replayer, 0), Outcome::completed);
    EXPECT_EQ(canonical_hash(interpreter.graph()), hash);
    EXPECT_EQ(interpreter.final_state(), state);
    EXPECT_EQ(replayer.diverged_at(), std::nullopt);
    EXPECT_TRUE(replayer.used_all());
  }
}

TEST_F(Trace, ReplayTellsWhereAnotherChoiceIsOffered) {
  Recorder recorder(random, arena);
  interpreter.run(recorder, 1);
  std::vector<Decision> decisions = decisions_of(recorder);
  decisions[1].options += 1;
  const auto changed = bytes_of(decisions);
  Replayer replayer(changed);
  EXPECT_EQ(interpreter.run(replayer, 0), Outcome::completed);
  EXPECT_EQ(replayer.diverged_at(), 1U);
  EXPECT_FALSE(replayer.used_all());
}

TEST_F(Trace, ReplayTellsWhenTheListEndsTooEarlyOrTooLate) {
  Recorder recorder(random, arena);
  interpreter.run(recorder, 1);
  std::vector<Decision> decisions = decisions_of(recorder);
  const std::size_t size = decisions.size();
  decisions.push_back({ChoiceKind::thread, 2, 0});
  const auto longer = bytes_of(decisions);
  Replayer too_long(longer);
  interpreter.run(too_long, 0);
  EXPECT_EQ(too_long.diverged_at(), std::nullopt);
  EXPECT_FALSE(too_long.used_all());
  decisions.resize(size - 1);
  const auto shorter = bytes_of(decisions);
  Replayer too_short(shorter);
  interpreter.run(too_short, 0);
  EXPECT_EQ(too_short.diverged_at(), size - 1);
}

TEST_F(Trace, EqualExecutionsPassTheNondeterminismCheck) {
  NondeterminismCheck check(random, arena);
  interpreter.run(check, 5);
  EXPECT_EQ(check.differs_at(), std::nullopt);
  interpreter.run(check, 5);
  EXPECT_EQ(check.differs_at(), std::nullopt);
}

TEST_F(Trace, ADifferentExecutionIsNoticedByTheNondeterminismCheck) {
  Fixed fixed;
  NondeterminismCheck check(fixed, arena);
  interpreter.run(check, 0);
  fixed.next = 1;
  interpreter.run(check, 0);
  // The first choice offers the same; what it leads to does not.
  EXPECT_EQ(check.differs_at(), 1U);
  // The third is compared with the second, which was like it.
  interpreter.run(check, 0);
  EXPECT_EQ(check.differs_at(), std::nullopt);
}

// Nearly all bytes have a meaning; that they were changed is for the checksum of the file to tell.
TEST_F(Trace, GarbageBytesAreRefusedOrDecisionsAndNeverCrash) {
  base::Random garbage(99);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint8_t, 12> bytes{};
    const std::size_t size = garbage.below(bytes.size() + 1);
    for (std::size_t b = 0; b < size; ++b) bytes[b] = static_cast<std::uint8_t>(garbage.next());
    std::array<std::byte, 1 << 15> scratch{};
    base::Arena scratch_arena(scratch);
    const auto decoded = decode_decisions(std::span<const std::uint8_t>(bytes).first(size), scratch_arena);
    EXPECT_EQ(decoded.has_value(), is_decision_list(std::span<const std::uint8_t>(bytes).first(size)));
    ++(decoded ? accepted : refused);
    if (!decoded) continue;
    for (const Decision& decision : *decoded) {
      EXPECT_LE(decision.kind, ChoiceKind::value);
      EXPECT_LT(decision.index, decision.options);
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

TEST_F(Trace, EveryListOfDecisionsComesBackAsItWas) {
  base::Random random_list(7);
  const std::size_t used = arena.used();
  for (int i = 0; i < 2000; ++i) {
    std::vector<Decision> decisions;
    const std::size_t size = random_list.below(60);
    while (decisions.size() < size) {
      const std::uint64_t shape = random_list.below(4);
      const std::uint64_t options = shape == 0 ? 2 + random_list.below(1 << 20) : 2 + random_list.below(9);
      const Decision decision{static_cast<ChoiceKind>(random_list.below(6)), static_cast<std::uint32_t>(options),
                              static_cast<std::uint32_t>(random_list.below(options))};
      const std::size_t times = shape == 1 ? 1 + random_list.below(300) : 1;
      decisions.insert(decisions.end(), times, decision);
    }
    const auto bytes = bytes_of(decisions);
    const auto decoded = decode_decisions(bytes, arena);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(std::vector<Decision>(decoded->begin(), decoded->end()), decisions);
    arena.rewind(used);
  }
}

TEST_F(Trace, TheSameDecisionAgainCostsNextToNothing) {
  EXPECT_EQ(bytes_of(std::vector<Decision>(65, {ChoiceKind::thread, 3, 1})).size(), 2U);
  EXPECT_EQ(bytes_of(std::vector<Decision>(66, {ChoiceKind::thread, 3, 1})).size(), 3U);
  // Many options cost two bytes more the first time.
  std::vector<Decision> many;
  for (std::uint32_t i = 0; i < 100; ++i) many.push_back({ChoiceKind::thread, 300, i});
  EXPECT_EQ(bytes_of(many).size(), 202U);
}

TEST_F(Trace, ATruncatedListIsRefusedOrEndsAtADecision) {
  const Decision decisions[] = {{ChoiceKind::thread, 300, 200}, {ChoiceKind::reads_from, 2, 1}};
  base::ArenaVector<std::uint8_t> bytes;
  encode_decisions(decisions, arena, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = decode_decisions(bytes.span().first(size), arena);
    EXPECT_EQ(decoded.has_value(), size == 0 || size == 5) << size;
  }
}

}  // namespace heddle::trace
