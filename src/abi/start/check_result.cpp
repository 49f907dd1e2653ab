#include "abi/start/check_result.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/start/process.hpp"
#include "engine/isolation/real.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::abi {

namespace {

constexpr std::size_t most_text = std::size_t{16} << 20;

struct Text {
  char* bytes = nullptr;
  std::size_t size = 0;
};

/// A copy in the program's heap: the program owns the result.
char* copy(const char* text, std::size_t size) {
  auto* result = static_cast<char*>(std::malloc(size + 1));
  std::memcpy(result, text, size);
  result[size] = '\0';
  return result;
}

}  // namespace

heddle_result result_of(int status, const char* format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  heddle_result result{};
  result.status = status;
  char* report = copy(text, length < 0 ? 0 : strnlen(text, sizeof text));
  result.report = report;
  result.owner = report;
  return result;
}

namespace {

/// The first reason why a search that has explored everything is no proof; empty: there is none.
const char* first_reason(channel::ProofGaps gaps) {
  for (unsigned i = 0; i <= static_cast<unsigned>(channel::ProofGap::last); ++i)
    if (gaps.has(static_cast<channel::ProofGap>(i))) return channel::reason_of(static_cast<channel::ProofGap>(i));
  return "";
}

}  // namespace

heddle_result summarise(const channel::Channel& channel, const char* name, double seconds) {
  const channel::Progress& progress = channel.progress;
  const bool exhaustive = strategies::is_exhaustive(channel.request.run.strategy.view());
  const auto failure = progress.failure.load();
  const std::uint64_t buggy = progress.buggy.load(), cut_off = progress.cut_off.load();
  channel::ProofGaps gaps(progress.proof_gaps.load()), bounds;
  if (exhaustive) {
    bounds = gaps.bounds();
    gaps = gaps.of_any_search();
  }
  const bool explored = progress.search_finished.load() != 0, finished = explored && gaps.empty();
  const bool unfinished = exhaustive && !finished;
  heddle_result result{};
  if (failure == channel::Failure::fault && progress.executions.load() == 0)
    result = result_of(heddle_wrong_usage, "heddle: %s: %s\n", name, progress.failure_text);
  else if (failure != channel::Failure::none)
    result = result_of(heddle_cannot_test, "heddle: %s: %s\n", name, progress.failure_text);
  else
    result =
        result_of(buggy != 0                   ? heddle_bug_found
                  : cut_off != 0 || unfinished ? heddle_cannot_test
                                               : heddle_passed,
                  "heddle: %s: %llu executions, %llu buggy, %llu cut off by a limit%s%s%s%s%s\n", name,
                  static_cast<unsigned long long>(progress.executions.load()), static_cast<unsigned long long>(buggy),
                  static_cast<unsigned long long>(cut_off),
                  exhaustive && !explored ? ", and not all executions were explored" : "",
                  finished   ? ": all execution graphs were explored, nothing is left to find for this input"
                  : explored ? ": all execution graphs were explored, but this is no proof: "
                             : "",
                  explored ? first_reason(gaps) : "", finished && !bounds.empty() ? "; a bound of this search: " : "",
                  finished ? first_reason(bounds) : "");
  result.search_finished = finished ? 1 : 0;
  result.executions = progress.executions.load();
  result.buggy = buggy;
  result.blocked = progress.blocked.load();
  result.cut_off = cut_off;
  result.events = progress.events.load();
  result.graphs = progress.graphs.load();
  result.seconds = seconds;
  return result;
}

// ---- findings, from the driver ----------------------------------------------------------------------------------

namespace {

bool is_read(int fd, Text& text) {
  text.bytes = static_cast<char*>(
      ::mmap(nullptr, most_text, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (text.bytes == MAP_FAILED) return false;
  while (text.size < most_text - 1) {
    const auto got = engine::real().read(fd, text.bytes + text.size, most_text - 1 - text.size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.size += static_cast<std::size_t>(got);
  }
  return true;
}

[[noreturn]] void become_driver(const char* driver, int channel_fd, const char* out, const char* name) {
  ::fcntl(channel_fd, F_SETFD, 0);
  char fd[16];
  std::snprintf(fd, sizeof fd, "%d", channel_fd);
  const char* arguments[] = {driver, "check-report", fd, out, name, nullptr};
  engine::real().syscall(SYS_execve, driver, arguments, environ);
  engine::exit_process(127);
}

/// Starts the driver that is installed beside this library; it reads the channel and prints a report
/// (cli/command_check_report.cpp).
bool ask_driver(int channel_fd, const char* out, const char* name, Text& answer) {
  char driver[4096];
  if (!find_driver(driver, sizeof driver)) return false;
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return false;
  ::fflush(stdout);
  const pid_t child = engine::real().fork();
  if (child == 0) {
    ::dup2(pipe[1], 1);
    become_driver(driver, channel_fd, out, name);
  }
  ::close(pipe[1]);
  const bool read = child > 0 && is_read(pipe[0], answer);
  ::close(pipe[0]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return read && WIFEXITED(status) && WEXITSTATUS(status) == 0 && answer.size != 0;
}

/// The driver's answer: a line with the number of findings; for each finding the lines kind, headline, trace,
/// execution, count and strategy; then the report.
struct Answer {
  char* at;
  char* end;

  char* line() {
    char* begin = at;
    while (at < end && *at != '\n') ++at;
    if (at < end) *at++ = '\0';
    return begin;
  }
};

void take_findings(heddle_result& result, const Text& text) {
  char* owned = copy(text.bytes, text.size);
  Answer answer{owned, owned + text.size};
  result.finding_count = std::strtoull(answer.line(), nullptr, 10);
  auto* findings = static_cast<heddle_finding*>(std::calloc(result.finding_count + 1, sizeof(heddle_finding)));
  for (std::size_t i = 0; i < result.finding_count; ++i) {
    findings[i].kind = answer.line();
    findings[i].message = answer.line();
    findings[i].trace = answer.line();
    findings[i].execution = std::strtoull(answer.line(), nullptr, 10);
    findings[i].count = std::strtoull(answer.line(), nullptr, 10);
    findings[i].strategy = answer.line();
  }
  result.findings = findings;
  result.report = answer.at;
  std::free(result.owner);
  result.owner = owned;
}

}  // namespace

void add_findings(heddle_result& result, int channel_fd, const char* out, const char* name) {
  Text answer;
  if (ask_driver(channel_fd, out, name, answer)) take_findings(result, answer);
  if (answer.bytes != nullptr && answer.bytes != MAP_FAILED) ::munmap(answer.bytes, most_text);
}

}  // namespace heddle::abi
