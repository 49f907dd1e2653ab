// How libheddle takes over the program. Its constructor looks for the driver's channel. It interposes the function of
// the C library that calls main, so that the worker can call main once for each execution.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "abi/check.hpp"
#include "abi/forever.hpp"
#include "abi/process.hpp"
#include "abi/process_state.hpp"
#include "abi/program_heap.hpp"
#include "abi/runtime.hpp"
#include "abi/strings.hpp"
#include "abi/system_call_watch.hpp"
#include "channel/channel.hpp"
#include "engine/address_space.hpp"
#include "engine/clean_call.hpp"
#include "engine/real.hpp"
#include "engine/worker.hpp"

namespace heddle::abi {

engine::Engine* engine_pointer = nullptr;

namespace {

using Main = int (*)(int, char**, char**);

struct ProgramMain {
  Main function = nullptr;
  int argc = 0;
  char** argv = nullptr;
  char** environment = nullptr;
};

channel::Channel* channel_of_driver = nullptr;
engine::Worker* worker = nullptr;
ProgramMain program;

alignas(engine::Worker) char worker_storage[sizeof(engine::Worker)];
alignas(engine::Modules) char modules_storage[sizeof(engine::Modules)];

[[noreturn]] void complain(const char* text) {
  std::fprintf(stderr, "heddle: %s\n", text);
  engine::exit_process(3);
}

channel::Channel* map_channel() {
  const char* number = std::getenv(channel::environment_variable);
  if (number == nullptr) return nullptr;
  const int fd = std::atoi(number);
  void* memory = ::mmap(nullptr, channel::channel_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) complain("the driver's channel cannot be mapped (ulimit -v?)");
  auto* mapped = static_cast<channel::Channel*>(memory);
  if (std::memcmp(mapped->magic, channel::magic, sizeof channel::magic) != 0 || mapped->version != channel::version)
    complain("the driver and libheddle are of different versions: rebuild the program");
  ::close(fd);
  ::unsetenv(channel::environment_variable);
  return mapped;
}

/// For an instrumented program that was started without the driver: starts the driver beside this library.
[[noreturn]] void start_driver(int argc, char** argv) {
  char driver[4096];
  if (!find_driver(driver, sizeof driver))
    complain(
        "this program was built with heddle and needs its driver, which is not where it should be; run it with "
        "'heddle test PROGRAM'");
  char path[4096];
  const auto length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  path[length < 0 ? 0 : length] = '\0';
  auto arguments = forever().create_array<char*>(static_cast<std::size_t>(argc) + 5);
  std::size_t count = 0;
  char words[3][16] = {"heddle", "test", "--from-program"};
  for (auto& word : words) arguments[count++] = word;
  arguments[count++] = path;
  for (int i = 1; i < argc; ++i) arguments[count++] = argv[i];
  ::execv(driver, arguments.data());
  complain("the driver cannot be started");
}

void* run_main(void*) {
  const std::uint64_t status = heddle_clean_call(
      reinterpret_cast<const void*>(program.function), static_cast<std::uint64_t>(program.argc),
      reinterpret_cast<std::uint64_t>(program.argv), reinterpret_cast<std::uint64_t>(program.environment));
  exit_execution(static_cast<int>(status), 0);
}

void reset_after_execution(bool made_system_calls) {
  restore_process_state(made_system_calls);
  restore_signals();
  reset_exit();
}

int worker_main(int argc, char** argv, char** environment) {
  program.argc = argc;
  program.argv = argv;
  program.environment = environment;
  // The C++ library skips atomic operations while the process is single-threaded. The first kernel thread would change
  // that in the middle of the first execution, and executions would differ.
  __libc_single_threaded = 0;
  catch_crashes();
  end_start_up();
  save_process_state(argc, argv);
  set_stdin_given(!channel_of_driver->request.run.stdin_path.empty());
  worker->run({run_main, nullptr, flush_output, reset_after_execution, written_file, read_empty_stdin,
               begin_system_call_watch, end_system_call_watch});
}

__attribute__((constructor)) void on_load() {
  find_string_functions();
  channel_of_driver = map_channel();
  if (channel_of_driver != nullptr)
    channel_of_driver->progress.state.store(channel::State::loaded, std::memory_order_release);
}

}  // namespace

bool find_driver(char* path, std::size_t size) {
  Dl_info self{};
  ::dladdr(reinterpret_cast<void*>(&find_driver), &self);
  std::snprintf(path, size, "%s", self.dli_fname);
  char* slash = std::strrchr(path, '/');
  if (slash != nullptr) std::snprintf(slash, static_cast<std::size_t>(path + size - slash), "/../bin/heddle");
  return ::access(path, X_OK) == 0;
}

base::Arena& forever() {
  static constinit base::Arena arena;
  if (arena.capacity() == 0) arena = base::Arena(engine::reserve_memory(std::size_t{64} << 30, std::size_t{256} << 20));
  return arena;
}

#pragma GCC visibility push(default)
extern "C" int __libc_start_main(Main main_function, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*rtld_fini)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  constexpr const char* check[] = {"heddle_check"};
  if (engine::program_imports(check)) {
    leave_main_alone(channel_of_driver);
    return start(main_function, argc, argv, init, fini, rtld_fini, stack_end);
  }
  if (channel_of_driver == nullptr) start_driver(argc, argv);
  program.function = main_function;
  auto* modules = new (modules_storage) engine::Modules;
  modules->read(forever());
  worker = new (worker_storage) engine::Worker(*channel_of_driver, forever(), program_heap(), library_heap(), *modules);
  engine_pointer = &worker->engine();
  engine_pointer->local_state().set_caller_registers(caller_registers());
  return start(worker_main, argc, argv, init, fini, rtld_fini, stack_end);
}
#pragma GCC visibility pop

}  // namespace heddle::abi
