#include "trace/atomic_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace heddle {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  AtomicFile() : folder_(fs::temp_directory_path() / fmt::format("heddle-atomic-file-{}", ::getpid())) {
    fs::create_directory(folder_);
  }
  ~AtomicFile() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    const auto text = read_whole_file(path);
    return text ? *text : text.problem().text;
  }

 private:
  fs::path folder_;
};

TEST_F(AtomicFile, ALinkInThePlaceOfTheTemporaryFileIsNotFollowed) {
  std::ofstream(path("victim")) << "precious";
  for (int i = 0; i < 3; ++i)
    fs::create_symlink(path("victim"), fmt::format("{}.{}-{}.tmp", path("file"), ::getpid(), i));
  EXPECT_FALSE(write_file_atomically(path("file"), "new"));
  EXPECT_EQ(content(path("file")), "new");
  EXPECT_EQ(content(path("victim")), "precious");
}

TEST_F(AtomicFile, AFullDiskLeavesNothingBehind) {
  const auto problem = write_file_atomically("/dev/full", "text");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->text, "cannot write /dev/full: No space left on device");
}

TEST_F(AtomicFile, OnlyRegularFilesAreInput) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(InputFile::open(path("fifo")).problem().text, path("fifo") + " is not a regular file");
  EXPECT_EQ(InputFile::open("/dev/zero").problem().text, "/dev/zero is not a regular file");
  EXPECT_EQ(InputFile::open("/").problem().text, "cannot read /: Is a directory");
  EXPECT_EQ(InputFile::open("/nowhere").problem().text, "cannot read /nowhere: No such file or directory");
}

TEST_F(AtomicFile, InputIsReadUpToTheGivenSize) {
  std::ofstream(path("file")) << "abcdef";
  const auto file = InputFile::open(path("file"));
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 6U);
  EXPECT_EQ(*file->read(3), "abc");
  EXPECT_EQ(*file->read(100), "abcdef");
}

}  // namespace
}  // namespace heddle
