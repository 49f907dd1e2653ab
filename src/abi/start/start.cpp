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

#include "abi/instrumentation/entry_points.hpp"
#include "abi/libc/cxx_library_calls.hpp"
#include "abi/libc/program_heap.hpp"
#include "abi/libc/strings.hpp"
#include "abi/start/check.hpp"
#include "abi/start/debug_points.hpp"
#include "abi/start/forever.hpp"
#include "abi/start/outside_influence.hpp"
#include "abi/start/preemption.hpp"
#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "abi/start/switch_off.hpp"
#include "abi/start/trust.hpp"
#include "abi/system/child_processes.hpp"
#include "abi/system/exec_notice.hpp"
#include "abi/system/process_state.hpp"
#include "abi/system/system_call_watch.hpp"
#include "channel/channel.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/isolation/clean_call.hpp"
#include "engine/isolation/real.hpp"
#include "engine/worker/worker.hpp"

namespace heddle::abi {

engine::Engine* engine_pointer = nullptr;

namespace {

using Main = int (*)(int, char**, char**);

struct ProgramMain {
  Main function = nullptr;
  void (*init)() = nullptr;  ///< runs the constructors of static objects; null: the loader's tables list them
  bool is_starting = false;  ///< the constructors run, before the first execution
  int argc = 0;
  char** argv = nullptr;
  char** environment = nullptr;
};

channel::Channel* channel_of_driver = nullptr;
int channel_descriptor = -1;  // open until main begins
engine::Worker* worker = nullptr;
engine::Modules* loaded_modules = nullptr;
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
  channel_descriptor = fd;
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
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

void call_constructor(std::uintptr_t function) {
  heddle_clean_call(reinterpret_cast<const void*>(function), static_cast<std::uint64_t>(program.argc),
                    reinterpret_cast<std::uint64_t>(program.argv),
                    reinterpret_cast<std::uint64_t>(program.environment));
}

/// Runs the constructors that the dynamic section of the program lists, as the C library would.
int run_listed_constructors(dl_phdr_info* info, std::size_t, void*) {
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  std::uintptr_t init = 0, array = 0;
  std::size_t size = 0;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_INIT) init = info->dlpi_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_INIT_ARRAY) array = info->dlpi_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_INIT_ARRAYSZ) size = entry->d_un.d_val;
  }
  if (init != 0) call_constructor(init);
  for (std::size_t i = 0; i < size / sizeof(std::uintptr_t); ++i)
    call_constructor(reinterpret_cast<const std::uintptr_t*>(array)[i]);
  return 1;  // the first object is the program
}

void run_constructors() {
  if (program.init != nullptr)
    call_constructor(reinterpret_cast<std::uintptr_t>(program.init));
  else
    ::dl_iterate_phdr(run_listed_constructors, nullptr);
}

void run_no_constructors() {}

void* run_main(void*) {
  if (channel_of_driver->progress.runs_constructors.load(std::memory_order_relaxed) != 0) run_constructors();
  const std::uint64_t status = heddle_clean_call(
      reinterpret_cast<const void*>(program.function), static_cast<std::uint64_t>(program.argc),
      reinterpret_cast<std::uint64_t>(program.argv), reinterpret_cast<std::uint64_t>(program.environment));
  exit_execution(static_cast<int>(status), 0);
}

void reset_after_execution(bool made_system_calls) {
  if (made_system_calls) end_children();
  restore_process_state(made_system_calls);
  restore_signals();
  reset_exit();
}

int worker_main(int argc, char** argv, char** environment) {
  program.argc = argc;
  program.argv = argv;
  program.environment = environment;
  program.is_starting = false;
  engine::real().syscall(SYS_close, channel_descriptor);
  // The C++ library skips atomic operations while the process is single-threaded. The first kernel thread would change
  // that in the middle of the first execution, and executions would differ.
  __libc_single_threaded = 0;
  trust_libraries(*engine_pointer, *loaded_modules, channel_of_driver->request.run.trust.view());
  check_cxx_library_calls(*loaded_modules);
  catch_crashes();
  start_preemption();
  end_start_up();
  save_process_state(argc, argv);
  set_stdin_given(!channel_of_driver->request.run.stdin_path.empty());
  worker->run({run_main, nullptr, flush_output, reset_after_execution, rewind_input, written_file, describe_influence,
               read_empty_stdin, begin_system_call_watch, end_system_call_watch, &heddle_debug_state});
}

__attribute__((constructor)) void on_load(int, char** arguments, char**) {
  find_string_functions();
  prepare_exec_notice();
  channel_of_driver = map_channel();
  if (channel_of_driver == nullptr) switch_off_if_wanted(arguments);
  if (channel_of_driver != nullptr)
    channel_of_driver->progress.state.store(channel::State::loaded, std::memory_order_release);
}

}  // namespace

void register_loaded_library() {
  if (running() == nullptr || worker == nullptr) return;
  worker->refresh_modules();
}

bool is_program_starting() { return program.is_starting; }

void run_constructors_in_executions(const char* what) {
  if (!program.is_starting) {
    if (channel_of_driver == nullptr || running() != nullptr || engine_pointer != nullptr || is_forked_child()) return;
    std::snprintf(channel_of_driver->progress.failure_text, sizeof channel_of_driver->progress.failure_text,
                  "a library of the program %s before main, in its constructor; heddle can only control what the "
                  "program itself does before main",
                  what);
    channel_of_driver->progress.failure.store(channel::Failure::unsupported, std::memory_order_release);
    engine::exit_process(3);
  }
  channel_of_driver->progress.runs_constructors.store(1, std::memory_order_relaxed);
  char number[16];
  std::snprintf(number, sizeof number, "%d", channel_descriptor);
  ::setenv(channel::environment_variable, number, 1);
  const long output = channel_of_driver->request.output_fd;
  for (long fd = 3; fd < 1024; ++fd)
    if (fd != channel_descriptor && fd != output) engine::real().syscall(SYS_close, fd);
  engine::real().syscall(SYS_fcntl, channel_descriptor, F_SETFD, 0);
  engine::real().syscall(SYS_execve, "/proc/self/exe", program.argv, environ);
  complain("the program cannot be started again");
}

bool find_driver(char* path, std::size_t size) {
  Dl_info self{};
  ::dladdr(reinterpret_cast<void*>(&find_driver), &self);
  // The library lies in lib/, or in a folder of lib/ for the architecture.
  for (const char* place : {"/../bin/heddle", "/../../bin/heddle"}) {
    std::snprintf(path, size, "%s", self.dli_fname);
    char* slash = std::strrchr(path, '/');
    if (slash != nullptr) std::snprintf(slash, static_cast<std::size_t>(path + size - slash), "%s", place);
    if (::access(path, X_OK) == 0) return true;
  }
  return false;
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
  program.argc = argc;
  program.argv = argv;
  const bool runs_constructors = channel_of_driver->progress.runs_constructors.load(std::memory_order_relaxed) != 0;
  if (runs_constructors) {
    program.init = init;
    init = run_no_constructors;
  }
  program.is_starting = !runs_constructors;
  auto* modules = loaded_modules = new (modules_storage) engine::Modules;
  engine::bind_instrumentation();
  modules->read(forever());
  worker = new (worker_storage) engine::Worker(*channel_of_driver, forever(), program_heap(), library_heap(), *modules);
  engine_pointer = &worker->engine();
  engine_pointer->local_state().set_caller_registers(caller_registers());
  engine_pointer->retry_loops().set_entry_points(entry_points());
  engine_pointer->undoing_loops().set_entry_points(entry_points());
  engine_pointer->atomics().allow_mixed_sizes(plain_is_relaxed());
  return start(worker_main, argc, argv, init, fini, rtld_fini, stack_end);
}
#pragma GCC visibility pop

}  // namespace heddle::abi
