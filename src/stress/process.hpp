// Runs a command and collects what it prints.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace heddle::stress {

struct CommandEnd {
  bool started = false;
  bool timed_out = false;    ///< killed, because it was silent for too long
  bool interrupted = false;  ///< killed, because the user wants an end
  int exit_code = -1;        ///< -1: a signal ended it
  int signal = 0;
  std::string output;
  std::string errors;

  bool succeeded() const { return started && exit_code == 0; }
};

struct ProcessOptions {
  std::chrono::milliseconds silence{600'000};            ///< kill the process if it prints no line for so long
  std::function<void(const std::string& line)> on_line;  ///< for every line of its standard output
};

/// The command's first word is looked up in PATH. The process gets no input.
CommandEnd run_process(const std::vector<std::string>& command, const ProcessOptions& options = {});

/// On Ctrl-C and the like, run_process() kills its process and returns, and further calls do nothing.
void watch_signals();
bool is_interrupted();

/// The absolute path of a command, or nothing if PATH has none.
std::string find_command(const std::string& name);

/// A folder for temporary files, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  bool exists() const { return !path_.empty(); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

bool write_text(const std::string& file, const std::string& text);
std::string read_text(const std::string& file);

}  // namespace heddle::stress
