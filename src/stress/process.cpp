#include "stress/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;  // NOLINT(readability-redundant-declaration): musl and older C libraries do not declare it

namespace heddle::stress {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

volatile std::sig_atomic_t end_wanted = 0;

/// The read end of a pipe, whose write end a child process gets.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write() { close_one(ends_[1]); }
  void close_read() { close_one(ends_[0]); }

 private:
  static void close_one(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  std::array<int, 2> ends_{};
};

/// Starts the command in a process group of its own, so that it can be killed with all its children.
pid_t spawn(const std::vector<std::string>& command, const Pipe& output, const Pipe& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), 1);
  posix_spawn_file_actions_adddup2(&actions, errors.write_end(), 2);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = -1;
  if (posix_spawnp(&pid, words[0], &actions, &attributes, words.data(), environ) != 0) pid = -1;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return pid;
}

/// Appends what is there. Returns false at the end of the stream.
bool read_some(int fd, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t size = ::read(fd, buffer.data(), buffer.size());
  if (size > 0) text.append(buffer.data(), static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && errno == EINTR);
}

/// Reads both streams until the process closes them or has to be killed.
void collect(pid_t pid, Pipe& output, Pipe& errors, const ProcessOptions& options, CommandEnd& end) {
  std::size_t line_start = 0;
  auto last_line = Clock::now();
  while (output.read_end() >= 0 || errors.read_end() >= 0) {
    std::array<pollfd, 2> waiting{pollfd{output.read_end(), POLLIN, 0}, pollfd{errors.read_end(), POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(), 100);
    if (waiting[0].revents != 0 && !read_some(output.read_end(), end.output)) output.close_read();
    if (waiting[1].revents != 0 && !read_some(errors.read_end(), end.errors)) errors.close_read();
    for (std::size_t at; (at = end.output.find('\n', line_start)) != std::string::npos; line_start = at + 1) {
      last_line = Clock::now();
      if (options.on_line) options.on_line(end.output.substr(line_start, at - line_start));
    }
    end.interrupted = is_interrupted();
    end.timed_out = Clock::now() - last_line > options.silence;
    if (!end.interrupted && !end.timed_out) continue;
    ::kill(-pid, SIGKILL);
    return;
  }
}

}  // namespace

CommandEnd run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  CommandEnd end;
  end.interrupted = is_interrupted();
  if (end.interrupted) return end;
  Pipe output, errors;
  const pid_t pid = spawn(command, output, errors);
  if (pid < 0) return end;
  end.started = true;
  output.close_write();
  errors.close_write();
  collect(pid, output, errors, options, end);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, [](int) { end_wanted = 1; });
}

bool is_interrupted() { return end_wanted != 0; }

std::string find_command(const std::string& name) {
  const auto is_command = [](const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return is_command(name) ? fs::absolute(name).string() : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string file; std::getline(folders, file, ':');) {
    file.append("/").append(name);
    if (is_command(file)) return file;
  }
  return "";
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::string path = fs::temp_directory_path(error).string();
  if (error) path = "/tmp";
  path += "/heddle-stress-XXXXXX";
  if (::mkdtemp(path.data()) != nullptr) path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (exists()) fs::remove_all(path_, error);
}

bool write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  return static_cast<bool>(out.flush());
}

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace heddle::stress
