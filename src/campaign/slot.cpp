#include "campaign/slot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/workers/process_memory.hpp"
#include "channel/process_end.hpp"

namespace heddle::campaign {

void Slot::start(std::unique_ptr<WorkerHandle> started) {
  worker = std::move(started);
  announced.clear();
  modules.reset();
  killed_ = Killed::no;
  counters_ = {};
  is_plausible_ = true;
}

bool Slot::read_counters() {
  if (const WorkerHandle::Watched* watched = worker->watched_elsewhere()) {
    killed_ = watched->killed;
    if (watched->is_overwritten) {
      is_plausible_ = false;
      counters_ = worker->channel().counters();
      return false;
    }
  }
  is_plausible_ = is_plausible_ && worker->channel().is_plausible();
  if (is_plausible_) counters_ = worker->channel().counters();
  return is_plausible_;
}

void Slot::watch(Clock::time_point now, const run::RunSpecification& run) {
  const Killed why = worker->watch(now, run, read_counters());
  if (killed_ == Killed::no) killed_ = why;
}

std::uint64_t Slot::current_execution(std::uint64_t stride) const {
  if (is_plausible_) return std::max(worker->progress().current_execution.load(), next);
  return next + counters_.executions * stride;
}

std::optional<findings::Finding> Slot::lost_execution(std::uint64_t execution, const run::RunSpecification& run) const {
  findings::Finding finding;
  switch (killed_) {
    case Killed::no: {
      const channel::ProcessEndFinding end(worker->wait_status(), execution);
      if (is_plausible_ && !end.is_finding(run.exit_status)) return std::nullopt;
      finding = is_plausible_ ? findings::process_end(end, execution) : findings::overwritten_memory(execution);
      break;
    }
    case Killed::hang: finding = findings::hang(execution, static_cast<double>(run.timeout.count()) / 1000); break;
    case Killed::memory: finding = findings::too_much_memory(execution, memory_limit(run.max_memory)); break;
    case Killed::output: finding = findings::too_much_output(execution, most_output); break;
    case Killed::overwritten: finding = findings::overwritten_memory(execution); break;
  }
  finding.output = worker->output();
  return finding;
}

Problem Slot::never_ran(channel::State state, const Settings& settings) const {
  const std::string& name = settings.program_name;
  std::string output = worker->output();
  while (!output.empty() && output.back() == '\n') output.pop_back();
  const std::string said = output.empty() ? "" : fmt::format("; it printed:\n{}", output);
  if (killed_ == Killed::hang) {
    return test_problem(
        fmt::format("{} did not reach main within {} s: its start-up code hangs, or --timeout is too short{}", name,
                    static_cast<double>(settings.run.timeout.count()) / 1000, said));
  }
  const std::string end = channel::ProcessEnd(worker->wait_status()).text;
  if (state == channel::State::loaded) return test_problem(fmt::format("{} ended before main: {}{}", name, end, said));
  return test_problem(fmt::format("{} ended before heddle's library was loaded: {}{}{}", name, end,
                                  output.empty() ? "; compile and link it with heddle c++ or heddle cc" : "", said));
}

}  // namespace heddle::campaign
