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
    base::ArenaVector<std::uint8_t> bytes;
    encode_decisions(recorder.decisions(arena), arena, bytes);
    const auto decoded = decode_decisions(bytes, arena);
    ASSERT_TRUE(decoded);
    Replayer replayer(*decoded);
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
  const auto recorded = recorder.decisions(arena);
  std::vector<Decision> decisions(recorded.begin(), recorded.end());
  decisions[1].options += 1;
  Replayer replayer(decisions);
  EXPECT_EQ(interpreter.run(replayer, 0), Outcome::completed);
  EXPECT_EQ(replayer.diverged_at(), 1U);
  EXPECT_FALSE(replayer.used_all());
}

TEST_F(Trace, ReplayTellsWhenTheListEndsTooEarlyOrTooLate) {
  Recorder recorder(random, arena);
  interpreter.run(recorder, 1);
  const auto recorded = recorder.decisions(arena);
  std::vector<Decision> decisions(recorded.begin(), recorded.end());
  const std::size_t size = decisions.size();
  decisions.push_back({ChoiceKind::thread, 2, 0});
  Replayer too_long(decisions);
  interpreter.run(too_long, 0);
  EXPECT_EQ(too_long.diverged_at(), std::nullopt);
  EXPECT_FALSE(too_long.used_all());
  decisions.resize(size - 1);
  Replayer too_short(decisions);
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

TEST_F(Trace, GarbageBytesAreRefusedAndNeverCrash) {
  base::Random garbage(99);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint8_t, 12> bytes{};
    const std::size_t size = garbage.below(bytes.size() + 1);
    for (std::size_t b = 0; b < size; ++b) bytes[b] = static_cast<std::uint8_t>(garbage.next());
    base::ArenaVector<Decision> all;
    std::array<std::byte, 1024> scratch{};
    base::Arena scratch_arena(scratch);
    const auto decoded = decode_decisions(std::span<const std::uint8_t>(bytes).first(size), scratch_arena);
    if (!decoded) continue;
    ++accepted;
    for (const Decision& decision : *decoded) {
      EXPECT_LE(decision.kind, ChoiceKind::value);
      EXPECT_LT(decision.index, decision.options);
    }
  }
  EXPECT_LT(accepted, 4000);  // most of them the empty list
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
