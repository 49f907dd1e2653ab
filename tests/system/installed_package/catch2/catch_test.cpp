#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

TEST_CASE("counts, twice; [really] \\ and \"more\"", "[counting]") {
  std::atomic<int> hits{0};
  std::thread other([&] { ++hits; });
  ++hits;
  other.join();
  REQUIRE(hits == 2);
}

TEST_CASE("races, [always]; \\ and \"more\"") {
  int hits = 0;
  std::thread other([&] { ++hits; });
  ++hits;
  other.join();
}
