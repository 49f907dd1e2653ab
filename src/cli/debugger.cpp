#include "cli/debugger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "campaign/channel_memory.hpp"
#include "cli/commands.hpp"
#include "report/text.hpp"

namespace heddle::cli {

namespace {

void inherit(int fd) { ::fcntl(fd, F_SETFD, ::fcntl(fd, F_GETFD) & ~FD_CLOEXEC); }

}  // namespace

int run_under_gdb(const campaign::Settings& settings) {
  channel::Request request = campaign::make_request(settings, settings.first_execution, 1);
  const int output_fd = ::memfd_create("heddle-output", 0);
  if (output_fd < 0)
    return report_problem(
        test_problem(fmt::format("cannot create the file for the program's output: {}", std::strerror(errno))));
  request.output_fd = output_fd;
  auto channel = campaign::ChannelMemory::create(request, settings.decisions);
  if (!channel) return report_problem(channel.problem());
  inherit(channel->fd());

  // The environment variable is set for the program only, not for gdb. SIGXCPU is heddle's own signal and passes
  // through. gdb turns address randomisation off, and starts the program through a shell, which redirects its input.
  const std::string input = settings.run.stdin_path.empty() ? "/dev/null" : settings.run.stdin_path.c_str();
  std::string args;
  for (const std::string& argument : settings.args) args += report::shell_word(argument) + " ";
  std::vector<std::string> words = {"gdb",
                                    "-q",
                                    "-ex",
                                    fmt::format("set environment {} {}", channel::environment_variable, channel->fd()),
                                    "-ex",
                                    "handle SIGXCPU nostop noprint pass",
                                    "-ex",
                                    fmt::format("set args {}< {}", args, report::shell_word(input)),
                                    settings.program.path};
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp("gdb", pointers.data());
  return report_problem(test_problem(fmt::format("cannot start gdb: {}; is it installed?", std::strerror(errno))));
}

}  // namespace heddle::cli
