// heddle_check: a worker inside the process of a unit test. It has a channel as every worker has. The driver at the
// other end of the channel is started only if there are findings: it finds symbols, writes traces and prints the
// report.
//
// A program that calls heddle_check may have only one thread outside of its checks. Therefore its memory can be
// restored after each execution, and code outside of checks can run without the scheduler.
#include "abi/start/check.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "abi/libc/cxx_library_calls.hpp"
#include "abi/libc/program_heap.hpp"
#include "abi/start/check_result.hpp"
#include "abi/start/debug_points.hpp"
#include "abi/start/forever.hpp"
#include "abi/start/outside_influence.hpp"
#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "abi/start/watchdog.hpp"
#include "abi/system/process_state.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/isolation/clean_call.hpp"
#include "engine/isolation/real.hpp"
#include "engine/worker/worker.hpp"
#include "heddle/heddle.h"
#include "run/fields.hpp"
#include "strategies/strategy_specification.hpp"

extern "C" void* __libc_stack_end;

namespace heddle::abi {

namespace {

bool main_left_alone = false;
channel::Channel* replaying_driver = nullptr;  // the channel of `heddle replay`
std::uint32_t checks = 0;                      // the number of checks that have begun in this process

alignas(engine::Worker) char worker_storage[sizeof(engine::Worker)];
alignas(engine::Modules) char modules_storage[sizeof(engine::Modules)];

struct InProcess {
  channel::Channel* channel = nullptr;
  int channel_fd = -1;
  int output_fd = -1;
  engine::Worker* worker = nullptr;
};
InProcess self;

std::uint64_t monotonic_now() {
  timespec now{};
  engine::real().clock_gettime(CLOCK_MONOTONIC, &now);
  return nanoseconds(now);
}

/// The number of threads of the process, without those that are parked as storage for fibers. The kernel tells it as
/// the number of links of a folder; opendir() would allocate memory in the program's heap.
std::size_t running_threads(std::size_t parked) {
  struct stat folder {};
  if (::stat("/proc/self/task", &folder) != 0) return 0;
  const std::size_t threads = folder.st_nlink < 2 ? 0 : folder.st_nlink - 2;
  return threads < parked ? 0 : threads - parked;
}

bool make_worker(channel::Channel* given) {
  if (self.worker != nullptr) return true;
  self.channel = given;
  if (given == nullptr) {
    self.channel_fd = ::memfd_create("heddle-channel", MFD_CLOEXEC);
    self.output_fd = ::memfd_create("heddle-output", MFD_CLOEXEC);
    if (self.channel_fd < 0 || self.output_fd < 0) return false;
    if (::ftruncate(self.channel_fd, static_cast<off_t>(channel::channel_size)) != 0) return false;
    void* memory =
        ::mmap(nullptr, channel::channel_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, self.channel_fd, 0);
    if (memory == MAP_FAILED) return false;
    self.channel = static_cast<channel::Channel*>(memory);
    std::memcpy(self.channel->magic, channel::magic, sizeof channel::magic);
    self.channel->version = channel::version;
  }
  auto* modules = new (modules_storage) engine::Modules;
  modules->read(forever());
  check_cxx_library_calls(*modules);
  self.worker = new (worker_storage) engine::Worker(*self.channel, forever(), program_heap(), library_heap(), *modules);
  engine_pointer = &self.worker->engine();
  engine_pointer->atomics().allow_mixed_sizes(plain_is_relaxed());
  return true;
}

/// Returns the option that is too long, or null.
const run::Field* read_options(const heddle_options& options, run::RunSpecification& run) {
  run = run::default_specification(run::check);
  const run::Field* too_long = run::read_check_options(options, run);
  if (options.executions == 0 && strategies::is_exhaustive(run.strategy.view())) run.runs = 0;
  run.stop_on_bug = !run.keep_going;
  run.isolation = run::Isolation::reset;
  return too_long;
}

void write_request(const run::RunSpecification& run) {
  channel::Request& request = self.channel->request;
  request = {};
  new (&self.channel->progress) channel::Progress{};
  request.run = run;
  request.mode = channel::Mode::test;
  request.stride = 1;
  request.end_execution = run.runs == 0 ? ~std::uint64_t{0} : run.runs;
  if (run.time.count() != 0)
    request.deadline = monotonic_now() + static_cast<std::uint64_t>(std::chrono::nanoseconds(run.time).count());
  request.output_fd = self.output_fd;
  request.in_process = 1;
  request.check = checks;
}

struct Call {
  void (*body)(void*);
  void* argument;
};

void* run_body(void* data) {
  const Call& call = *static_cast<Call*>(data);
  heddle_clean_call(reinterpret_cast<const void*>(call.body), reinterpret_cast<std::uint64_t>(call.argument), 0, 0);
  running()->thread_calls().exit_program({});
}

void reset_after_execution(bool) {
  restore_signals();
  forget_exit_handlers();
}

/// Redirects standard output and error to the file `to` while the executions run.
class RedirectedOutput {
 public:
  explicit RedirectedOutput(int to) {
    ::fflush(stdout);
    if (to < 0) return;
    for (int fd = 0; fd < 2; ++fd) {
      kept_[fd] = ::fcntl(fd + 1, F_DUPFD_CLOEXEC, 3);
      if (kept_[fd] >= 0) ::dup2(to, fd + 1);
    }
  }
  ~RedirectedOutput() {
    for (int fd = 0; fd < 2; ++fd) {
      if (kept_[fd] < 0) continue;
      ::dup2(kept_[fd], fd + 1);
      ::close(kept_[fd]);
    }
  }
  RedirectedOutput(const RedirectedOutput&) = delete;
  RedirectedOutput& operator=(const RedirectedOutput&) = delete;

 private:
  int kept_[2] = {-1, -1};
};

void execute(Call& call, std::uintptr_t frame, double timeout) {
  __libc_single_threaded = 0;  // see abi/start/start.cpp
  const engine::Range stack{frame, reinterpret_cast<std::uintptr_t>(__libc_stack_end)};
  const RedirectedOutput redirected(self.channel->request.in_process != 0 ? self.output_fd : -1);
  catch_crashes();
  forget_loader_error();
  const Watchdog watchdog(*self.channel, timeout);
  self.worker->run_check({call.body, call.argument, stack},
                         {run_body, &call, flush_output, reset_after_execution, [] {}, written_file, describe_influence,
                          [] { return false; }, [] {}, [] { return true; }, &heddle_debug_state});
  release_crashes();
}

/// The result of a check that is skipped while another check is replayed. Skipping it changes nothing for the program,
/// since memory after a check is what it was before.
heddle_result as_if_passed(const run::RunSpecification& run) {
  heddle_result result = result_of(heddle_passed, "heddle: not run, because another check is replayed\n");
  result.executions = run.runs;
  result.search_finished = 1;
  return result;
}

heddle_result check(const heddle_options& options, Call& call, std::uintptr_t frame) {
  if (!main_left_alone || running() != nullptr) {
    if (engine::Engine* engine = running())
      engine->execution().unsupported(
          "heddle::check was called inside a test that heddle runs: checks cannot be nested, and a program with checks "
          "is started by itself, not with heddle test");
    return result_of(heddle_cannot_test, "heddle: heddle::check was called before main; call it inside main\n");
  }
  ++checks;
  run::RunSpecification run;
  if (const run::Field* too_long = read_options(options, run))
    return result_of(heddle_wrong_usage, "heddle: the option %s of the check is longer than %zu bytes\n",
                     too_long->name.data(), run::Text::capacity());
  if (replaying_driver != nullptr) {
    if (replaying_driver->request.check != checks) return as_if_passed(run);
    replaying_driver->progress.failure.store(channel::Failure::none);
    make_worker(replaying_driver);
    execute(call, frame, 0);  // does not return; the driver enforces the time limit
  }
  const std::uint64_t begin = monotonic_now();
  if (!make_worker(nullptr))
    return result_of(heddle_cannot_test, "heddle: cannot allocate the memory of the check: %s; raise ulimit -v\n",
                     std::strerror(errno));
  if (running_threads(engine_pointer->threads().parked_kernel_threads()) > 1)
    return result_of(
        heddle_cannot_test,
        "heddle: the process has other threads while heddle::check is called; end them before the check, or "
        "move the tests that need them to another program\n");
  write_request(run);
  char name[128];
  if (options.name != nullptr)
    std::snprintf(name, sizeof name, "%s", options.name);
  else
    std::snprintf(name, sizeof name, "check %u", checks);
  execute(call, frame, std::chrono::duration<double>(run.timeout).count());
  const double seconds = static_cast<double>(monotonic_now() - begin) / 1e9;
  heddle_result result = summarise(*self.channel, name, seconds);
  if (self.channel->progress.findings_size.load() == 0) return result;
  add_findings(result, self.channel_fd, run.out.c_str(), name);
  return result;
}

}  // namespace

void leave_main_alone(channel::Channel* driver) {
  main_left_alone = true;
  hand_exit_handlers_over();
  replaying_driver = driver;
  if (driver == nullptr) return;
  const bool replays = driver->request.mode != channel::Mode::test && driver->request.check != 0;
  std::snprintf(driver->progress.failure_text, sizeof driver->progress.failure_text, "%s",
                replays ? "the program ended before it reached the check of the trace"
                        : "the program calls heddle::check and runs its checks itself: start it without heddle test");
  driver->progress.failure.store(channel::Failure::unsupported, std::memory_order_release);
  if (!replays) engine::exit_process(3);
}

bool is_main_left_alone() { return main_left_alone; }

#pragma GCC visibility push(default)
extern "C" {

__attribute__((noinline)) heddle_result heddle_check(const heddle_options* options, void (*body)(void*),
                                                     void* argument) {
  const heddle_options defaults{};
  Call call{body, argument};
  // The stack above this frame belongs to the caller; it begins with the return address.
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 2 * sizeof(void*);
  return check(options == nullptr ? defaults : *options, call, frame);
}

void heddle_free_result(heddle_result* result) {
  std::free(const_cast<heddle_finding*>(result->findings));
  std::free(result->owner);
  *result = {};
}

void heddle_fail(const char* message) {
  if (engine::Engine* engine = running()) {
    engine->findings().report_at(engine::FindingKind::assertion, message, HEDDLE_CALLER);
    engine->execution().end(strategies::Outcome::completed);
  }
  std::fprintf(stderr, "heddle: heddle_fail outside of a check: %s\n", message);
  std::abort();
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
