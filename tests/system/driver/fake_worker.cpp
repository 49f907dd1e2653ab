// A worker without a runtime: it speaks the protocol of channel/channel.hpp and does in each execution what its
// arguments say. That tests the driver alone, and makes it meet what a real worker shows once in a blue moon.
//
//   race=K        every execution whose number is a multiple of K (0 left out) shows a race on `counter`
//   late=E        execution E and all behind it show an assertion
//   deadlock      every execution ends in a deadlock of two threads
//   die=E:S       execution E ends by signal S          exit=E:N     ... by _exit(N)
//   hang=E        execution E makes no progress until SIGXCPU, then gives up
//   deaf=E        execution E makes no progress, whatever comes
//   fail=E:TEXT   the worker meets something unsupported in execution E
//   limit         every execution reaches --max-events
//   print=TEXT    printed in every execution (and with findings)
//   slow=MS       every execution takes so long
//   fork          isolation `auto` takes fork
//   drifting      a replay shows nothing
//   unloaded=N    exits with N before the library is loaded
//   early=S       dies by signal S before main         stuck         never reaches main
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "channel/channel.hpp"
#include "channel/finding_log.hpp"
#include "channel/finding_record.hpp"

using namespace heddle::channel;

extern "C" int fake_heddle_anchor();
int counter;
static int hidden[4];

namespace {

Channel* channel_memory;
std::vector<std::string> script;
std::vector<std::uint64_t> known_keys;
sigjmp_buf give_up;

bool has(const std::string& name) {
  for (const std::string& word : script)
    if (word == name) return true;
  return false;
}
std::string value(const std::string& name) {
  for (const std::string& word : script)
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  return {};
}
bool is_at(const std::string& name, std::uint64_t execution) {
  for (const std::string& word : script)
    if (word.starts_with(name + "=") && std::stoull(word.substr(name.size() + 1)) == execution) return true;
  return false;
}
std::string behind_colon(const std::string& text) { return text.substr(text.find(':') + 1); }

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

__attribute__((noinline)) const void* place_of_write() { return __builtin_return_address(0); }
__attribute__((noinline)) const void* writer() {
  const void* place = place_of_write();
  asm volatile("");
  return place;
}

void write_modules() {
  auto* words = reinterpret_cast<std::uint64_t*>(channel_memory->at(modules_offset));
  RecordWriter writer({words, modules_capacity / sizeof *words});
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& out = *static_cast<RecordWriter*>(data);
        ElfW(Addr) begin = ~ElfW(Addr){0}, end = 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          begin = std::min(begin, info->dlpi_addr + header.p_vaddr);
          end = std::max(end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
        }
        char own[4096] = {};  // the program itself comes first, without a name
        if (out.words().empty() && readlink("/proc/self/exe", own, sizeof own - 1) < 0) return 0;
        out.add(ModuleRecord{*own != '\0' ? own : info->dlpi_name, info->dlpi_addr, begin, end, ""});
        return 0;
      },
      &writer);
  channel_memory->progress.modules_size.store(writer.words().size_bytes());
}

/// The decisions of an execution: something that a replay can compare.
std::string decisions_of(std::uint64_t execution) { return "decisions of " + std::to_string(execution); }

/// The records of one finding.
class Content {
 public:
  explicit Content(const FindingHead& head) { writer_.add(head); }
  template <typename Record>
  Content&& add(const Record& record) && {
    writer_.add(record);
    return std::move(*this);
  }
  Words words() const { return writer_.words(); }

 private:
  std::vector<std::uint64_t> buffer_ = std::vector<std::uint64_t>(1024);
  RecordWriter writer_{buffer_};
};

void find(std::uint64_t key, std::uint64_t execution, const Content& content, const std::string& output) {
  FindingLogWriter log(*channel_memory);
  if (FindingRecord* known = log.find(key)) {
    known->count.fetch_add(1);
    return;
  }
  const std::string decisions = decisions_of(execution);
  log.append({.key = key,
              .execution = execution,
              .content = content.words(),
              .output = output,
              .decisions_size = decisions.size()},
             [&](FindingRecord&, std::uint8_t* at) { std::memcpy(at, decisions.data(), decisions.size()); });
}

Content race() {
  static std::uint64_t stack[1];
  stack[0] = number(writer());
  const std::uint64_t address = number(&counter);
  return Content({.kind = FindingKind::race,
                  .events = 17,
                  .message = "write by T0.1 is not ordered with the earlier atomic read by T0.2"})
      .add(FindingAccess{AccessKind::write, heddle::graph::MemoryOrder::plain, 4, address, "T0.1", stack})
      .add(FindingAccess{AccessKind::atomic_read, heddle::graph::MemoryOrder::relaxed, 4, address, "T0.2", stack})
      .add(ObjectRecord{.place = Place::global, .address = address});
}

Content deadlock() {
  return Content({.kind = FindingKind::deadlock, .events = 4, .message = "every thread waits for another"})
      .add(FindingThread{"T0.1", Activity::waits_for_object, "mutex", number(&hidden[1]), "T0.2", {}})
      .add(FindingThread{"T0.2", Activity::waits_for_object, "mutex", 0x123456, "T0.1", {}})
      .add(CycleRecord{"T0.1"})
      .add(CycleRecord{"T0.2"});
}

Content assertion() {
  static std::uint64_t stack[1];
  stack[0] = number(writer());
  return Content({.kind = FindingKind::assertion, .thread = "T0", .message = "x == 1"}).add(StackRecord{stack});
}

Content limit(LimitKind kind, const char* message) {
  return Content({.kind = FindingKind::limit, .limit = kind, .message = message});
}

void sleep_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, nullptr);
}

void hang(std::uint64_t execution, const std::string& output) {
  if (sigsetjmp(give_up, 1) == 0) {
    for (;;) sleep_ms(1000);
  }
  ++channel_memory->progress.cut_off;
  find(77, execution, limit(LimitKind::timeout, "no visible operation for --timeout"), output);
}

/// True: the execution was buggy.
bool run_execution(std::uint64_t execution) {
  std::string output = value("print");
  if (!output.empty()) (void)!write(1, output.data(), output.size());
  if (!value("slow").empty()) sleep_ms(std::stol(value("slow")));
  if (is_at("die", execution)) {
    const int signal = std::stoi(behind_colon(value("die")));
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
  if (is_at("exit", execution)) _exit(std::stoi(behind_colon(value("exit"))));
  if (is_at("deaf", execution)) {
    std::signal(SIGXCPU, SIG_IGN);
    for (;;) sleep_ms(1000);
  }
  if (is_at("hang", execution)) hang(execution, output);
  if (has("limit")) {
    ++channel_memory->progress.cut_off;
    find(78, execution, limit(LimitKind::events, "cut off after 10 events; --max-events allows more"), output);
  }
  bool buggy = false;
  const std::string period = value("race");
  if (!period.empty() && execution != 0 && execution % std::stoull(period) == 0) {
    find(0x1a2b3c4d00000000, execution, race(), output);
    buggy = true;
  }
  if (!value("late").empty() && execution >= std::stoull(value("late"))) {
    find(5, execution, assertion(), output);
    buggy = true;
  }
  if (has("deadlock")) {
    find(6, execution, deadlock(), output);
    ++channel_memory->progress.blocked;
    buggy = true;
  }
  return buggy;
}

void fail(const std::string& text) {
  std::snprintf(channel_memory->progress.failure_text, sizeof channel_memory->progress.failure_text, "%s",
                text.c_str());
  channel_memory->progress.failure.store(Failure::unsupported);
}

void add_graph(std::uint64_t hash, std::uint64_t execution) {
  auto& progress = channel_memory->progress;
  auto* graphs = reinterpret_cast<GraphRecord*>(channel_memory->at(graphs_offset));
  for (std::uint64_t i = 0; i < progress.graphs.load(); ++i)
    if (graphs[i].hash == hash) return;
  graphs[progress.graphs.load()] = {hash, execution, 1, 0};
  ++progress.graphs;
}

std::uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000 + static_cast<std::uint64_t>(time.tv_nsec);
}

template <typename IsOver>
void await_round(std::uint64_t execution, const IsOver& is_over) {
  volatile Round& round = channel_memory->round;
  while (execution >= round.end_execution && !is_over()) {
    channel_memory->progress.awaits_round.store(channel_memory->round.number.load() + 1);
    kill(getppid(), SIGCHLD);
    sleep_ms(1);
  }
  channel_memory->progress.awaits_round.store(0);
}

void run_executions() {
  const volatile Request& request = channel_memory->request;
  Progress& progress = channel_memory->progress;
  const auto is_over = [&] { return progress.stop.load() != 0 || (request.deadline != 0 && now() > request.deadline); };
  for (std::uint64_t e = request.first_execution; e < request.end_execution; e += request.stride) {
    await_round(e, [&] { return is_over() || e >= request.end_execution; });
    if (is_over() || e >= request.end_execution) break;
    progress.current_execution.store(e);
    progress.current_events.store(1);
    (void)!ftruncate(request.output_fd, 0);
    lseek(request.output_fd, 0, SEEK_SET);
    if (is_at("fail", e)) {
      fail(behind_colon(value("fail")));
      return;
    }
    const bool buggy = run_execution(e);
    if (request.run.show_output) find(1000 + e, e, Content({.kind = FindingKind::output}), value("print"));
    add_graph(e % 7, e);
    progress.events += 10;
    if (buggy) ++progress.buggy;
    ++progress.executions;
    if (buggy && request.run.stop_on_bug) break;
  }
}

void run_replay() {
  const Request& request = channel_memory->request;
  const std::string given(reinterpret_cast<const char*>(channel_memory->at(decisions_offset)), request.decisions_size);
  if (given != decisions_of(request.first_execution)) return fail("the decisions are not those of this execution");
  if (has("drifting")) return;
  run_execution(request.first_execution);
  ++channel_memory->progress.executions;
}

bool map_channel() {
  const char* variable = std::getenv(environment_variable);
  if (variable == nullptr) return false;
  const int fd = std::atoi(variable);
  void* memory = mmap(nullptr, channel_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) return false;
  close(fd);
  unsetenv(environment_variable);
  channel_memory = static_cast<Channel*>(memory);
  return std::memcmp(channel_memory->magic, magic, sizeof magic) == 0 && channel_memory->version == version;
}

}  // namespace

int main(int argc, char** argv) {
  script.assign(argv + 1, argv + argc);
  if (!value("unloaded").empty()) return std::stoi(value("unloaded")) + fake_heddle_anchor();
  if (!map_channel()) {
    std::fprintf(stderr, "no channel\n");
    return 99;
  }
  Progress& progress = channel_memory->progress;
  progress.state.store(State::loaded);
  if (has("stuck")) sleep_ms(600000);
  if (!value("early").empty()) raise(std::stoi(value("early")));
  std::signal(SIGXCPU, [](int) { siglongjmp(give_up, 1); });
  write_modules();
  const Isolation asked = channel_memory->request.run.isolation;
  progress.isolation_used.store(asked == Isolation::automatic ? (has("fork") ? Isolation::fork : Isolation::reset)
                                                              : asked);
  if (has("fork")) std::strcpy(progress.isolation_reason, "two runs of one seed printed different things");
  progress.state.store(State::running);
  if (channel_memory->request.mode == Mode::replay)
    run_replay();
  else if (channel_memory->request.search_runs == 0)  // it is no program that a search could explore
    run_executions();
  progress.state.store(State::done, std::memory_order_release);
  _exit(0);
}
