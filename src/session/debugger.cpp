#include "session/debugger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/places.hpp"
#include "report/text.hpp"
#include "story/racing_events.hpp"
#include "trace/trace_file.hpp"

namespace heddle::session {

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

Outcome write_session(const std::string& path, const Debug& task) {
  std::error_code unused;
  const story::DecodedLog& log = task.replayed.log;
  const findings::Finding* finding = task.finding;
  Json session = {{"trace", std::filesystem::absolute(task.trace, unused).string()},
                  {"heddle", task.heddle},
                  {"events", Json::array()}};
  if (log.log)
    session["events"] = events_json(*log.log);
  else
    session["no_events"] = text(log.why_not);
  if (finding != nullptr) {
    session["kind"] = channel::name_of(finding->kind);
    session["headline"] = text(report::headline(*finding));
    if (log.log) session["step"] = step_of(*finding, *log.log);
  }
  const std::string content = session.dump(1, ' ', false, Json::error_handler_t::replace);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const bool written = fd >= 0 && ::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size());
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (written) return {};
  return test_problem(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

}  // namespace

Result<DebuggerCommand> prepare(const Debug& task) {
  const char* base = std::getenv("TMPDIR");
  std::string folder = fmt::format("{}/heddle-gdb-XXXXXX", base != nullptr && *base != '\0' ? base : "/tmp");
  if (::mkdtemp(folder.data()) == nullptr)
    return test_problem("cannot create a folder for gdb's session: set TMPDIR to a folder that can be written");
  DebuggerCommand command;
  command.session_file = folder + "/session.json";
  if (auto problem = write_session(command.session_file, task)) {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    return *problem;
  }
  // gdb turns address randomisation off, and starts the program through a shell, which redirects its input.
  const run::RunSpecification& run = task.subject.run;
  const std::string input = run.stdin_path.empty() ? "/dev/null" : run.stdin_path.c_str();
  std::string args;
  for (const std::string& argument : task.subject.args) args += report::shell_word(argument) + " ";
  command.words = {"gdb",
                   "-q",
                   "-iex",
                   "set breakpoint pending on",
                   "-ex",
                   fmt::format("set args {}< {}", args, report::shell_word(input)),
                   "-ex",
                   "source " + task.gdb_script,
                   task.subject.program.path};
  return command;
}

Result<campaign::ChannelMemory> open_debug_channel(const std::string& trace, const std::string& program,
                                                   std::uint64_t step) {
  const auto file = trace::read_trace(trace);
  if (!file) return file.problem();
  const auto replay = Replay::of_trace(*file, trace, program);
  if (!replay) return replay.problem();
  auto settings = campaign_of(*replay);
  if (!settings) return settings.problem();
  settings->debug_step = step;
  // gdb follows one process. One execution needs no isolation from others.
  settings->run.isolation = run::Isolation::reset;
  channel::Request request = campaign::make_request(*settings, settings->first_execution, 1);
  request.output_fd = ::memfd_create("heddle-output", 0);
  auto channel = campaign::ChannelMemory::create(request, settings->decisions);
  if (!channel) return channel.problem();
  if (settings->prepare_channel) settings->prepare_channel(*channel);
  ::fcntl(channel->fd(), F_SETFD, ::fcntl(channel->fd(), F_GETFD) & ~FD_CLOEXEC);
  ::setenv(channel::environment_variable, std::to_string(channel->fd()).c_str(), 1);
  return channel;
}

}  // namespace heddle::session
