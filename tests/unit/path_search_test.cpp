#include "campaign/workers/path_search.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "command.hpp"

namespace heddle::campaign {
namespace {

class PathSearch : public ::testing::Test {
 protected:
  PathSearch() {
    for (const char* folder : {"a", "b"}) std::filesystem::create_directory(folder_.file(folder));
    make_file("a/plain", 0600);
    make_file("b/plain", 0700);
    make_file("b/tool", 0700);
    std::filesystem::create_directory(folder_.file("a/tool"));
    ::setenv("PATH", (folder_.file("a") + ":" + folder_.file("b")).c_str(), 1);
  }
  ~PathSearch() override { ::setenv("PATH", former_.c_str(), 1); }

  void make_file(const std::string& name, mode_t mode) {
    tests::write_text(folder_.file(name), "");
    ::chmod(folder_.file(name).c_str(), mode);
  }

  tests::TemporaryFolder folder_;
  std::string former_ = std::getenv("PATH");
};

TEST_F(PathSearch, TakesTheFirstExecutableFile) {
  EXPECT_EQ(find_executable("tool"), folder_.file("b/tool"));  // a/tool is a folder
  if (::access(folder_.file("a/plain").c_str(), X_OK) != 0) {
    EXPECT_EQ(find_executable("plain"), folder_.file("b/plain"));
  }
  EXPECT_EQ(find_executable("missing"), std::nullopt);
}

TEST_F(PathSearch, ANameWithASlashIsAPath) {
  EXPECT_EQ(find_executable(folder_.file("b/tool")), folder_.file("b/tool"));
  EXPECT_EQ(find_executable("./tool"), std::nullopt);
  EXPECT_EQ(find_executable(folder_.file("a")), std::nullopt);
}

}  // namespace
}  // namespace heddle::campaign
