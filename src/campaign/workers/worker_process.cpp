#include "campaign/workers/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <utility>

#include "campaign/workers/inherited_files.hpp"
#include "campaign/workers/launcher_variables.hpp"
#include "campaign/workers/process_memory.hpp"
#include "orders/order_table.hpp"

extern char** environ;

namespace heddle::campaign {

namespace {

// A program can fill some 100 MB in this time. Reading /proc takes some 20 microseconds.
constexpr auto memory_interval = std::chrono::milliseconds(50);

std::vector<char*> as_pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// If a program that runs without heddle (HEDDLE_OFF) has started this driver, the loader would take the passive
/// runtime for the worker, too. Removes its folder.
std::string without_passive_runtime(std::string entry) {
  constexpr std::string_view variable = "LD_LIBRARY_PATH=", folder = "/heddle/passive";
  if (!entry.starts_with(variable)) return entry;
  const auto end = std::min(entry.find(':'), entry.size());
  if (!std::string_view(entry).substr(0, end).ends_with(folder)) return entry;
  return entry.erase(variable.size(), std::min(end + 1, entry.size()) - variable.size());
}

std::vector<std::string> make_environment() {
  const std::string name = std::string(channel::environment_variable) + "=";
  const bool has_rank = has_launcher();
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (has_rank && is_launcher_variable(*entry)) continue;
    if (!std::string_view(*entry).starts_with(name)) environment.push_back(without_passive_runtime(*entry));
  }
  environment.push_back(name + std::to_string(channel::channel_descriptor));
  return environment;
}

struct ChildStart {
  const char* path;
  char** argv;
  char** environment;
  const char* stdin_path;
  int channel_fd;
  int output_fd;
  int report_fd;  ///< gets errno if the program cannot be started
  pid_t parent;
  bool random_addresses;
  std::span<const DescriptorRange> closed;  ///< files that the program must not inherit
};

/// Runs between fork and exec, where only system calls are allowed.
[[noreturn]] void run_child(const ChildStart& start) {
  // The kernel kills the worker when the driver ends. The driver may have ended before this call took effect.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(1);
  ::setpgid(0, 0);  // a group of its own: Ctrl-C reaches the driver only, and kill() reaches the children of the worker
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Gives every process the same addresses. If a sandbox refuses this, results are still the same, because hashes and
  // traces contain names instead of addresses.
  if (!start.random_addresses) ::personality(ADDR_NO_RANDOMIZE);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);

  for (const DescriptorRange& range : start.closed)
    ::syscall(SYS_close_range, range.first, range.last, CLOSE_RANGE_CLOEXEC);
  // First to numbers above all that are given out below: a driver with many workers has any number in use.
  const auto out_of_the_way = [](int fd) { return ::fcntl(fd, F_DUPFD_CLOEXEC, channel::output_descriptor + 1); };
  const int report = out_of_the_way(start.report_fd);
  const int output = out_of_the_way(start.output_fd);
  const int channel = out_of_the_way(start.channel_fd);
  const int input = ::open(start.stdin_path, O_RDONLY);
  const auto give = [](int fd, int number) { return fd >= 0 && ::dup2(fd, number) == number; };
  if (give(input, 0) && give(output, 1) && give(output, 2) && give(output, channel::output_descriptor) &&
      give(channel, channel::channel_descriptor)) {
    if (input > 2) ::close(input);
    ::execve(start.path, start.argv, start.environment);
  }
  const int error = errno;
  (void)!::write(report >= 0 ? report : start.report_fd, &error, sizeof error);
  ::_exit(127);
}

/// Waits for exec in the child. Returns the errno of the child if it failed, otherwise 0.
int wait_for_exec(int report_fd) {
  int error = 0;
  ssize_t count;
  do {
    count = ::read(report_fd, &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof error) ? error : 0;
}

Problem system_problem(const char* what) { return test_problem(fmt::format("{}: {}", what, std::strerror(errno))); }

}  // namespace

Outcome Launch::use_orders(std::string_view orders, const orders::ProgramSites* sites, bool counts_all) {
  site_orders.clear();
  if (orders.empty() && !counts_all) return std::nullopt;
  const auto changes = orders::parse_orders(orders);
  if (!changes) return changes.problem();
  std::optional<orders::ProgramSites> read;
  if (sites == nullptr) sites = &read.emplace(orders::ProgramSites::read(path));
  auto table = orders::find_sites(*changes, *sites);
  if (!table) return table.problem();
  if (counts_all) orders::add_counted(*sites, *table);
  if (table->size() > channel::orders_capacity / sizeof(channel::SiteOrder))
    return usage_problem("--orders: the lines that it names became too many places in the machine code; name fewer");
  site_orders = std::move(*table);
  return std::nullopt;
}

Result<std::unique_ptr<WorkerHandle>> WorkerProcess::start(const Launch& launch, channel::Request request,
                                                           std::string_view decisions,
                                                           const std::function<void(ChannelMemory&)>& begin_round) {
  const int output_fd = ::memfd_create("heddle-output", MFD_CLOEXEC);
  if (output_fd < 0) return system_problem("cannot make the file for the program's output");
  request.output_fd = channel::output_descriptor;
  request.site_orders = launch.site_orders.size();
  auto memory = ChannelMemory::create(request, decisions);
  if (!memory) {
    ::close(output_fd);
    return memory.problem();
  }
  memory->set_site_orders(launch.site_orders);
  begin_round(*memory);
  if (launch.prepare_channel) launch.prepare_channel(*memory);
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess(std::move(*memory), output_fd));

  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return system_problem("cannot make a pipe");
  std::vector<std::string> argv = launch.argv;
  std::vector<std::string> environment = make_environment();
  std::vector<char*> argv_pointers = as_pointers(argv);
  std::vector<char*> environment_pointers = as_pointers(environment);
  const ChildStart child{launch.path.c_str(),
                         argv_pointers.data(),
                         environment_pointers.data(),
                         launch.stdin_path.empty() ? "/dev/null" : launch.stdin_path.c_str(),
                         worker->channel_.fd(),
                         output_fd,
                         report[1],
                         ::getpid(),
                         launch.random_addresses,
                         files_of_driver()};
  worker->pid_ = ::fork();
  if (worker->pid_ == 0) run_child(child);
  const int fork_error = errno;
  ::close(report[1]);
  const int error = worker->pid_ < 0 ? fork_error : wait_for_exec(report[0]);
  ::close(report[0]);
  if (error == EINVAL || error == EMFILE)  // F_DUPFD with a number that is too large, or too many files
    return test_problem(
        fmt::format("cannot start {}: heddle needs more open files: set 'ulimit -n' to at least 1024", launch.argv[0]));
  if (error != 0) return test_problem(fmt::format("cannot start {}: {}", launch.argv[0], std::strerror(error)));
  worker->channel_.close_fd();
  return std::unique_ptr<WorkerHandle>(std::move(worker));
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    kill();
    while (::waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
    }
  }
  if (output_fd_ >= 0) ::close(output_fd_);
}

bool WorkerProcess::reap() {
  if (pid_ < 0) return true;
  if (::waitpid(pid_, &wait_status_, WNOHANG) != pid_) return false;
  ::kill(-pid_, SIGKILL);  // children that the worker left, with fork isolation
  pid_ = -1;
  return true;
}

void WorkerProcess::kill() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // the worker may not have its own group yet
}

Killed WorkerProcess::watch(Clock::time_point now, const run::RunSpecification& run, bool is_plausible) {
  const auto killed = [this](Killed why) {
    kill();
    return why;
  };
  if (!is_plausible) return killed(Killed::overwritten);
  if (hangs(now, run.timeout)) return killed(Killed::hang);
  if (now < next_look_at_memory_) return Killed::no;
  next_look_at_memory_ = now + memory_interval;
  if (pid_ >= 0 && memory_in_use(pid_) > memory_limit(run.max_memory)) return killed(Killed::memory);
  return output_size() > most_output ? killed(Killed::output) : Killed::no;
}

bool WorkerProcess::hangs(Clock::time_point now, std::chrono::milliseconds timeout) {
  constexpr auto grace = std::chrono::milliseconds(2000);
  constexpr auto ask_again = std::chrono::milliseconds(500);
  const Heartbeat current{progress().state.load(),          progress().current_execution.load(),
                          progress().current_events.load(), progress().current_memory.load(),
                          progress().executions.load(),     progress().awaits_round.load()};
  // A worker that waits for the driver makes no progress.
  if (current != heartbeat_ || waits()) {
    heartbeat_ = current;
    silence_.restart();
    times_asked_ = 0;
    return false;
  }
  constexpr auto look_interval = std::chrono::milliseconds(20);
  if (timeout.count() != 0 && now >= next_look_) {
    next_look_ = now + look_interval;
    silence_.look(now, activity_of(pid_));
  }
  const auto silence = silence_.total();
  if (timeout.count() == 0 || silence < timeout) return false;
  // Before main, the worker has no handler for the signal.
  if (current.state != channel::State::running || silence >= timeout + grace) return true;
  if (silence >= timeout + times_asked_ * ask_again) {
    ::kill(pid_, SIGXCPU);
    ++times_asked_;
  }
  return false;
}

std::uint64_t WorkerProcess::output_size() const {
  struct stat file {};
  return ::fstat(output_fd_, &file) == 0 ? static_cast<std::uint64_t>(file.st_size) : 0;
}

std::string WorkerProcess::output() const {
  std::string text(channel::max_output, '\0');
  const std::uint64_t printed = output_size();
  const auto skipped = static_cast<off_t>(printed > text.size() ? printed - text.size() : 0);
  const ssize_t size = ::pread(output_fd_, text.data(), text.size(), skipped);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace heddle::campaign
