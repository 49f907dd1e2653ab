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

namespace heddle::cli {

namespace {

void inherit(int fd) { ::fcntl(fd, F_SETFD, ::fcntl(fd, F_GETFD) & ~FD_CLOEXEC); }

}  // namespace

int run_under_gdb(const campaign::Settings& settings) {
  channel::Request request = campaign::make_request(settings, settings.first_execution, 1);
  const int output_fd = ::memfd_create("heddle-output", 0);
  if (output_fd < 0) return report_problem(test_problem(fmt::format("memfd_create: {}", std::strerror(errno))));
  request.output_fd = output_fd;
  auto channel = campaign::ChannelMemory::create(request, settings.decisions);
  if (!channel) return report_problem(channel.problem());
  inherit(channel->fd());

  // gdb itself must not see the variable as its own, only the program: "set environment" does that. heddle's
  // signals are for its library, so that gdb passes them on. gdb turns address randomisation off by itself.
  std::vector<std::string> words = {
      "gdb", "-q",
      "-ex", fmt::format("set environment {} {}", channel::environment_variable, channel->fd()),
      "-ex", "set startup-with-shell off",
      "-ex", "handle SIGXCPU nostop noprint pass"};
  if (!settings.stdin_path.empty()) {
    // Redirection needs the shell after all.
    words.insert(words.end(), {"-ex", "set startup-with-shell on"});
  }
  words.insert(words.end(), {"--args", settings.program.path});
  words.insert(words.end(), settings.args.begin(), settings.args.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp("gdb", pointers.data());
  return report_problem(test_problem(fmt::format("cannot start gdb: {}; is it installed?", std::strerror(errno))));
}

}  // namespace heddle::cli
