#include "cli/debugger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "campaign/workers/channel_memory.hpp"
#include "cli/commands.hpp"
#include "cli/installation.hpp"
#include "report/places.hpp"
#include "report/text.hpp"
#include "story/racing_events.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string text(const std::string& bytes) { return report::printable(bytes, report::Controls::escape); }

std::string value_text(graph::Value value) {
  const auto high = static_cast<std::uint64_t>(value >> 64), low = static_cast<std::uint64_t>(value);
  return high == 0 ? fmt::format("{}", low) : fmt::format("{:#x}{:016x}", high, low);
}

/// "atomic store (release) ready = 1", "read payload: 42"
std::string event_text(const story::Event& event, const story::ExecutionLog& log) {
  std::string line = event.operation;
  if (!event.is_plain() && event.order != graph::MemoryOrder::plain)
    line += fmt::format(" ({})", report::order_name(event.order));
  if (event.location) line += " " + log.locations[*event.location].name;
  if (event.read && event.location) line += fmt::format(": {}", value_text(*event.read));
  if (event.written && event.location) line += fmt::format(" = {}", value_text(*event.written));
  if (event.is_stale()) line += ", stale";
  return line;
}

Json events_json(const story::ExecutionLog& log) {
  Json events = Json::array();
  for (const story::Event& event : log.events) {
    if (event.step == 0 || !event.thread) continue;
    Json json = {{"step", event.step},
                 {"thread", text(log.threads[*event.thread].label)},
                 {"text", text(event_text(event, log))}};
    if (const findings::Frame* frame = report::first_known_frame(event.stack)) {
      json["file"] = text(frame->file);
      json["line"] = frame->line;
      json["function"] = text(report::short_function_name(frame->function));
    }
    events.push_back(std::move(json));
  }
  return events;
}

/// The step of the finding: of a race, its newer access; of others, the newest step of the thread when it was found. 0:
/// not known.
std::uint64_t step_of(const findings::Finding& finding, const story::ExecutionLog& log) {
  const auto racing = story::find_racing_events(finding, log, story::end_of_story(finding, log));
  if (racing.second && log.events[*racing.second].step != 0) return log.events[*racing.second].step;
  const std::string& thread = finding.accesses.empty() ? finding.thread : finding.accesses[0].thread;
  std::vector<std::uint64_t> initial;  // events that the finding does not count
  for (const story::Event& event : log.events)
    if (event.kind == story::EventKind::init) initial.push_back(event.events_before);
  std::uint64_t newest = 0;
  for (const story::Event& event : log.events) {
    if (event.step == 0 || !event.thread) continue;
    if (!thread.empty() && log.threads[*event.thread].label != thread) continue;
    const auto uncounted = std::count_if(initial.begin(), initial.end(),
                                         [&](std::uint64_t number) { return number < event.events_before; });
    if (event.events_before - static_cast<std::uint64_t>(uncounted) <= finding.events) newest = event.step;
  }
  return newest;
}

Outcome write_session(const std::string& path, const std::string& trace, const session::Replayed& replayed,
                      const findings::Finding* finding) {
  Json session = {{"trace", trace}, {"heddle", find_installation().executable}, {"events", Json::array()}};
  if (replayed.log.log)
    session["events"] = events_json(*replayed.log.log);
  else
    session["no_events"] = text(replayed.log.why_not);
  if (finding != nullptr) {
    session["kind"] = channel::name_of(finding->kind);
    session["headline"] = text(report::headline(*finding));
    if (replayed.log.log) session["step"] = step_of(*finding, *replayed.log.log);
  }
  const std::string content = session.dump(1, ' ', false, Json::error_handler_t::replace);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written = fd >= 0 && ::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (written) return {};
  return test_problem(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

[[noreturn]] void execute(std::vector<std::string> words, const char* what) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  ::_exit(
      report_problem(test_problem(fmt::format("cannot start {}: {}; is it installed?", what, std::strerror(errno)))));
}

}  // namespace

int run_under_gdb(const std::string& trace, const campaign::Subject& subject, const session::Replayed& replayed,
                  const findings::Finding* finding) {
  const Installation installation = find_installation();
  if (!installation.gdb_script)
    return report_problem(test_problem("gdb/heddle.py is missing: build or install heddle completely"));
  std::error_code error;
  const char* base = std::getenv("TMPDIR");
  std::string folder = fmt::format("{}/heddle-gdb-XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp");
  if (::mkdtemp(folder.data()) == nullptr)
    return report_problem(
        test_problem("cannot create a folder for gdb's session: set TMPDIR to a folder that can be written"));
  const std::string session = folder + "/session.json";
  if (auto problem = write_session(session, std::filesystem::absolute(trace, error).string(), replayed, finding)) {
    std::filesystem::remove_all(folder, error);
    return report_problem(*problem);
  }
  // gdb turns address randomisation off, and starts the program through a shell, which redirects its input. The script
  // reads the session and removes its folder.
  const std::string input = subject.run.stdin_path.empty() ? "/dev/null" : subject.run.stdin_path.c_str();
  std::string args;
  for (const std::string& argument : subject.args) args += report::shell_word(argument) + " ";
  ::setenv("HEDDLE_GDB_SESSION", session.c_str(), 1);
  execute({"gdb", "-q", "-iex", "set breakpoint pending on", "-ex",
           fmt::format("set args {}< {}", args, report::shell_word(input)), "-ex", "source " + *installation.gdb_script,
           subject.program.path},
          "gdb");
}

int command_debug_start(const std::vector<std::string>& arguments) {
  std::uint64_t step = 0;
  if (arguments.size() < 3 ||
      std::from_chars(arguments[0].data(), arguments[0].data() + arguments[0].size(), step).ec != std::errc{})
    return report_problem(
        usage_problem("debug-start is an internal command of heddle replay --gdb; it is not for users"));
  const auto trace = trace::read_trace(arguments[1]);
  if (!trace) return report_problem(trace.problem());
  const auto replay = session::Replay::of_trace(*trace, arguments[1], arguments[2]);
  if (!replay) return report_problem(replay.problem());
  auto settings = session::campaign_of(*replay);
  if (!settings) return report_problem(settings.problem());
  settings->debug_step = step;
  // gdb follows one process. One execution needs no isolation from others.
  settings->run.isolation = run::Isolation::reset;
  channel::Request request = campaign::make_request(*settings, settings->first_execution, 1);
  request.output_fd = ::memfd_create("heddle-output", 0);
  auto channel = campaign::ChannelMemory::create(request, settings->decisions);
  if (!channel) return report_problem(channel.problem());
  if (settings->prepare_channel) settings->prepare_channel(*channel);
  ::fcntl(channel->fd(), F_SETFD, ::fcntl(channel->fd(), F_GETFD) & ~FD_CLOEXEC);
  ::setenv(channel::environment_variable, std::to_string(channel->fd()).c_str(), 1);
  ::unsetenv("HEDDLE_GDB_SESSION");
  execute({arguments.begin() + 2, arguments.end()}, "the program");
}

}  // namespace heddle::cli
