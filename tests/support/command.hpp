// Runs a command and catches all that it says.
#pragma once

#include <string>
#include <vector>

namespace heddle::tests {

struct CommandResult {
  int exit_code = -1;  ///< 128 + signal where one ended it
  std::string out;
  std::string err;
};

struct CommandOptions {
  std::string folder;                    ///< to run in
  std::vector<std::string> environment;  ///< NAME=value, added
  std::string interrupt_when;            ///< send SIGINT when the folder has a file of this name; empty: never
};

CommandResult run_command(const std::vector<std::string>& words, const CommandOptions& options = {});

/// A folder that is gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::vector<std::string> files() const;  ///< all below it, sorted

 private:
  std::string path_;
};

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

}  // namespace heddle::tests
