#include <gtest/gtest.h>

#include <atomic>
#include <thread>

TEST(Counter, IsRight) {
  std::atomic<int> hits{0};
  std::thread other([&] { ++hits; });
  ++hits;
  other.join();
  EXPECT_EQ(hits, 2);
}

TEST(Counter, Races) {
  int hits = 0;
  std::thread other([&] { ++hits; });
  ++hits;
  other.join();
}

TEST(Counter, DISABLED_Fails) { FAIL(); }

class Names : public testing::TestWithParam<const char*> {};
TEST_P(Names, AreNotEmpty) { EXPECT_STRNE(GetParam(), ""); }
INSTANTIATE_TEST_SUITE_P(All, Names, testing::Values("a;b", "[c", ""));
