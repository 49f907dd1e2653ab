#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

namespace heddle::cli {
namespace {

using Kind = ProgressLines::Kind;

class ProgressTest : public testing::Test {
 protected:
  std::FILE* out() { return file_.get(); }
  std::string written() {
    std::string text(static_cast<std::size_t>(std::ftell(out())), '\0');
    std::rewind(out());
    text.resize(std::fread(text.data(), 1, text.size(), out()));
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{std::tmpfile(), std::fclose};
};

TEST_F(ProgressTest, ALogGetsALineAMinute) {
  {
    ProgressLines lines(Kind::log, out());
    for (int second = 0; second < 150; ++second)
      lines.show({.executions = 10U * static_cast<unsigned>(second), .seconds = static_cast<double>(second)});
    lines.show_bug({});
  }
  EXPECT_EQ(written(),
            "heddle: 600 executions (10/s), 0 buggy, 0 bugs, 60 s\n"
            "heddle: 1200 executions (10/s), 0 buggy, 0 bugs, 120 s\n");
}

TEST_F(ProgressTest, TheRatesOfRanksAreShown) {
  {
    ProgressLines lines(Kind::log, out());
    lines.show({.executions = 600, .seconds = 60, .place_rates = {3, 2, 5}});
  }
  EXPECT_EQ(written(), "heddle: 600 executions (10/s), 0 buggy, 0 bugs, 60 s, 3 ranks at 2 to 5/s\n");
}

TEST_F(ProgressTest, ATerminalShowsWhatHappensBeforeTheFirstExecution) {
  {
    ProgressLines lines(Kind::terminal, out());
    lines.show({.seconds = 0.4, .phase = "starting ./prog"});
    lines.show({.seconds = 0.6, .phase = "starting ./\033prog"});
    lines.show({.seconds = 0.7, .phase = "starting ./prog"});
  }
  EXPECT_EQ(written(), "\r\033[Kheddle: starting ./\\x1bprog, 1 s\r\033[K");
}

TEST_F(ProgressTest, ATerminalShowsABugAtOnce) {
  {
    ProgressLines lines(Kind::terminal, out());
    findings::Finding finding;
    finding.message = "SIGFPE";
    finding.execution = 7;
    finding.trace = "out/a b.trace";
    lines.show_bug(finding);
  }
  EXPECT_EQ(written(), "\r\033[Kheddle: found in execution 7: crash: SIGFPE; heddle replay 'out/a b.trace'\n");
}

TEST_F(ProgressTest, NothingIsShownIfNothingIsWanted) {
  {
    ProgressLines lines(Kind::none, out());
    lines.show({.executions = 1, .seconds = 100});
    lines.show_bug({});
  }
  EXPECT_EQ(written(), "");
}

}  // namespace
}  // namespace heddle::cli
