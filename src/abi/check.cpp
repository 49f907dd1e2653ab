// heddle_check: the worker in the process of a test. There is a channel as for any worker, but its other side is a
// driver that is started only when there is something to tell: it finds symbols, writes traces and words the report.
//
// A program that calls heddle_check has one thread outside of its checks; that is what makes it possible to bring its
// memory back, and to let it run uncontrolled.
#include "abi/check.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "abi/check_result.hpp"
#include "abi/forever.hpp"
#include "abi/process.hpp"
#include "abi/program_heap.hpp"
#include "abi/runtime.hpp"
#include "abi/watchdog.hpp"
#include "engine/memory.hpp"
#include "engine/real.hpp"
#include "engine/worker.hpp"
#include "heddle/heddle.h"

extern "C" void* __libc_stack_end;

namespace heddle::abi {

namespace {

constexpr std::uint64_t default_executions = 1000;
constexpr std::uint64_t default_max_events = 1000000;
constexpr std::uint64_t default_max_memory = std::uint64_t{4} << 30;
constexpr double default_timeout = 10;  // seconds

bool main_left_alone = false;
channel::Channel* replaying_driver = nullptr;  // of `heddle replay`
std::uint32_t checks = 0;                      // that were begun in this process

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

// ---- what stands in the way ---------------------------------------------------------------------------------

/// Threads of the process that are not parked for fibers of ours.
std::size_t running_threads(std::size_t parked) {
  std::size_t count = 0;
  if (DIR* folder = ::opendir("/proc/self/task")) {
    while (const dirent* entry = ::readdir(folder))
      if (entry->d_name[0] != '.') ++count;
    ::closedir(folder);
  }
  return count < parked ? 0 : count - parked;
}

// ---- the worker ---------------------------------------------------------------------------------------------

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
  self.worker = new (worker_storage) engine::Worker(*self.channel, forever(), program_heap(), *modules);
  engine_pointer = &self.worker->engine();
  return true;
}

template <std::size_t Size>
bool set(char (&field)[Size], const char* value, const char* otherwise) {
  if (value == nullptr || value[0] == '\0') value = otherwise;
  if (std::strlen(value) >= Size) return false;
  std::strcpy(field, value);
  return true;
}

bool write_request(const heddle_options& options) {
  channel::Request& request = self.channel->request;
  request = {};
  new (&self.channel->progress) channel::Progress{};
  request.mode = channel::Mode::test;
  request.isolation = channel::Isolation::reset;
  request.seed = options.seed == 0 ? 1 : options.seed;
  request.stride = 1;
  if (!set(request.model, options.model, "rc11") || !set(request.strategy, options.strategy, "auto")) return false;
  const bool exhaustive = std::strcmp(request.strategy, "exhaustive") == 0;
  request.end_execution = options.executions != 0 ? options.executions : exhaustive ? ~0ULL : default_executions;
  if (options.seconds > 0) request.deadline = monotonic_now() + static_cast<std::uint64_t>(options.seconds * 1e9);
  request.max_events = options.max_events == 0 ? default_max_events : options.max_events;
  request.max_memory = options.max_memory == 0 ? default_max_memory : options.max_memory;
  request.release_sequence_c11 = options.release_sequence_c11 != 0 ? 1 : 0;
  request.stop_on_bug = options.continue_after_bug != 0 ? 0 : 1;
  request.check_leaks = options.check_leaks != 0 ? 1 : 0;
  request.stdin_given = 1;
  request.output_fd = self.output_fd;
  request.in_process = 1;
  request.check = checks;
  return true;
}

struct Call {
  void (*body)(void*);
  void* argument;
};

void* run_body(void* data) {
  const Call& call = *static_cast<Call*>(data);
  call.body(call.argument);
  running()->exit_program();
}

void reset_after_execution(bool) {
  restore_signal_handlers();
  forget_exit_handlers();
}

/// While the executions run, what they print goes where nobody sees it.
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

void run(Call& call, std::uintptr_t frame, double timeout) {
  __libc_single_threaded = 0;  // see abi/start.cpp
  const engine::Range stack{frame, reinterpret_cast<std::uintptr_t>(__libc_stack_end)};
  const RedirectedOutput redirected(self.channel->request.in_process != 0 ? self.output_fd : -1);
  catch_crashes();
  const Watchdog watchdog(*self.channel, timeout);
  self.worker->run_check({call.body, call.argument, stack}, {run_body, &call, flush_output, reset_after_execution,
                                                             [] { return false; }, [] {}, [] { return true; }});
  release_crashes();
}

/// While another check is replayed: memory after a check is what it was before, so this one may as well not run.
heddle_result as_if_passed(const heddle_options& options) {
  heddle_result result = result_of(heddle_passed, "heddle: not run, since another check is replayed\n");
  result.executions = options.executions == 0 ? default_executions : options.executions;
  result.search_finished = 1;
  return result;
}

heddle_result check(const heddle_options& options, Call& call, std::uintptr_t frame) {
  if (!main_left_alone || running() != nullptr) {
    if (engine::Engine* engine = running())
      engine->unsupported(
          "heddle::check was called inside a test that heddle runs: checks cannot be nested, and a program with checks "
          "is started by itself, not with heddle test");
    return result_of(heddle_cannot_test, "heddle: heddle::check was called before main\n");
  }
  ++checks;
  if (replaying_driver != nullptr) {
    if (replaying_driver->request.check != checks) return as_if_passed(options);
    replaying_driver->progress.failure.store(channel::Failure::none);
    make_worker(replaying_driver);
    run(call, frame, 0);  // does not return; the driver watches
  }
  const std::uint64_t begin = monotonic_now();
  if (!make_worker(nullptr))
    return result_of(heddle_cannot_test, "heddle: no memory for the check (ulimit -v?): %s\n", std::strerror(errno));
  if (running_threads(engine_pointer->parked_threads()) > 1)
    return result_of(heddle_cannot_test,
                     "heddle: the process has other threads while heddle::check is called; the check must be the only "
                     "thing that runs\n");
  if (!write_request(options))
    return result_of(heddle_wrong_usage, "heddle: the name of the model or the strategy is too long\n");
  char name[128];
  if (options.name != nullptr)
    std::snprintf(name, sizeof name, "%s", options.name);
  else
    std::snprintf(name, sizeof name, "check %u", checks);
  run(call, frame, options.timeout == 0 ? default_timeout : options.timeout);
  const double seconds = static_cast<double>(monotonic_now() - begin) / 1e9;
  heddle_result result = summarise(*self.channel, name, seconds);
  if (self.channel->progress.findings_size.load() == 0) return result;
  const char* out = options.out == nullptr || options.out[0] == '\0' ? "heddle-out" : options.out;
  add_findings(result, self.channel_fd, out, name);
  return result;
}

}  // namespace

void leave_main_alone(channel::Channel* driver) {
  main_left_alone = true;
  hand_exit_handlers_over();
  replaying_driver = driver;
  if (driver == nullptr) return;
  const bool replays = driver->request.mode == channel::Mode::replay && driver->request.check != 0;
  std::snprintf(driver->progress.failure_text, sizeof driver->progress.failure_text, "%s",
                replays ? "the program ended without coming to the check that the trace is of"
                        : "the program calls heddle::check and runs its checks itself: start it without heddle test");
  driver->progress.failure.store(channel::Failure::unsupported, std::memory_order_release);
  if (!replays) ::_exit(3);
}

bool is_main_left_alone() { return main_left_alone; }

#pragma GCC visibility push(default)
extern "C" {

__attribute__((noinline)) heddle_result heddle_check(const heddle_options* options, void (*body)(void*),
                                                     void* argument) {
  const heddle_options defaults{};
  Call call{body, argument};
  // What lies above this frame is the caller's: the return address first.
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
    engine->end_execution(strategies::Outcome::completed);
  }
  std::fprintf(stderr, "heddle: heddle_fail outside of a check: %s\n", message);
  std::abort();
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
