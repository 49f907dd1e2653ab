#include "campaign/workers/process_activity.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace heddle::campaign {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::steady_clock::time_point;

Time at(int time) { return Time(milliseconds(time)); }
ProcessActivity activity(int processor_time, bool waits) { return {milliseconds(processor_time), waits}; }

TEST(UsedTime, TimeInWhichTheProcessIsReadyButDoesNotRunDoesNotCount) {
  UsedTime used;
  used.look(at(0), activity(100, false));
  used.look(at(10'000), activity(100, false));
  used.look(at(20'000), activity(130, false));
  EXPECT_EQ(used.total(), milliseconds(30));
}

TEST(UsedTime, TimeInWhichItWaitsInTheKernelCounts) {
  UsedTime used;
  used.look(at(0), activity(100, true));
  used.look(at(500), activity(100, true));
  EXPECT_EQ(used.total(), milliseconds(500));
  used.look(at(600), activity(110, true));
  EXPECT_EQ(used.total(), milliseconds(510)) << "it has run in between";
}

TEST(UsedTime, AChildThatEndsTakesItsTimeAlong) {
  UsedTime used;
  used.look(at(0), activity(1000, false));
  used.look(at(100), activity(20, false));
  used.look(at(200), activity(50, false));
  EXPECT_EQ(used.total(), milliseconds(30));
  used.restart();
  EXPECT_EQ(used.total(), milliseconds(0));
}

TEST(UsedTime, WithoutProcRealTimeCounts) {
  UsedTime used;
  used.look(at(0), std::nullopt);
  used.look(at(70), std::nullopt);
  EXPECT_EQ(used.total(), milliseconds(70));
}

TEST(ProcessActivity, ThisProcessRuns) {
  const auto now = activity_of(::getpid());
  ASSERT_TRUE(now.has_value());
  EXPECT_FALSE(now->waits);
  EXPECT_FALSE(activity_of(-1).has_value());
}

}  // namespace
}  // namespace heddle::campaign
