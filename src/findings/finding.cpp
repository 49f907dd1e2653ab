#include "findings/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::findings {

namespace {

constexpr std::string_view after_race = " (after a data race in the same execution)";

/// In one clause, for the finding of a race that leads to it.
std::string summary_of(const Finding& finding) {
  std::string text = finding.message;
  if (text.ends_with(after_race)) text.resize(text.size() - after_race.size());
  return finding.message_names_kind ? text : fmt::format("{}: {}", channel::name_of(finding.kind), text);
}

void take_local(Finding& finding, const channel::LocalRecord& local) {
  const auto take = [&](DataAddress& address) {
    if (address.value == local.address) address.frame = local.place;
  };
  for (Access& access : finding.accesses) take(access.address);
  if (finding.object) take(finding.object->address);
  for (ThreadState& thread : finding.threads)
    if (thread.object) take(*thread.object);
}

/// A finding without decisions, in an execution that its worker did not finish.
Finding lost_execution(FindingKind kind, std::uint64_t key, std::string message, std::uint64_t execution) {
  Finding finding;
  finding.kind = kind;
  finding.key = key;
  finding.message = std::move(message);
  finding.execution = execution;
  finding.count = finding.first_count = 1;
  finding.recorded = false;
  return finding;
}

}  // namespace

const char* name_of(Nature nature) {
  constexpr const char* names[] = {"interleaving", "ordering", "weak-memory", "every-execution", "early-end"};
  return names[static_cast<std::size_t>(nature)];
}

std::optional<Finding> decode_finding(channel::Words records) {
  Finding finding;
  bool has_head = false;
  channel::RecordReader reader(records);
  while (const auto section = reader.next<channel::Section>()) {
    switch (*section) {
      case channel::Section::head:
        if (auto head = reader.read<FindingHead>()) {
          static_cast<FindingHead&>(finding) = std::move(*head);
          has_head = true;
        }
        break;
      case channel::Section::stack:
        if (const auto stack = reader.read<channel::StackRecord>())
          finding.stack.pcs.assign(stack->stack.begin(), stack->stack.end());
        break;
      case channel::Section::access:
        if (auto access = reader.read<Access>()) finding.accesses.push_back(std::move(*access));
        break;
      case channel::Section::object:
        if (auto object = reader.read<MemoryObject>()) finding.object = std::move(object);
        break;
      case channel::Section::thread:
        if (auto thread = reader.read<ThreadState>()) finding.threads.push_back(std::move(*thread));
        break;
      case channel::Section::cycle:
        if (const auto member = reader.read<channel::CycleRecord>()) finding.cycle.emplace_back(member->thread);
        break;
      case channel::Section::call:
        if (auto call = reader.read<HistoryCall>()) finding.calls.push_back(std::move(*call));
        break;
      case channel::Section::local:
        if (const auto local = reader.read<channel::LocalRecord>()) take_local(finding, *local);
        break;
      case channel::Section::race_context:
        if (const auto context = reader.read<channel::RaceContextRecord>()) {
          finding.races.assign(context->races.begin(), context->races.end());
          finding.racy_sites.assign(context->sites.begin(), context->sites.end());
        }
        break;
      case channel::Section::module: break;
    }
  }
  if (!has_head) return std::nullopt;
  if (finding.after_race) finding.message += after_race;
  return finding;
}

void link_consequences(std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.is_without_race || !is_bug(finding)) continue;
    for (Finding& race : findings)
      if (race.kind == FindingKind::race &&
          std::find(finding.races.begin(), finding.races.end(), race.key) != finding.races.end())
        race.leads_to.push_back({finding.key, finding.kind, summary_of(finding), finding.count});
  }
}

Finding process_end(const channel::ProcessEndFinding& end, std::uint64_t execution) {
  Finding finding = lost_execution(end.kind, end.key, end.message, execution);
  finding.message_names_kind = end.kind == FindingKind::exit_status;
  finding.exit_status = end.exit_status;
  return finding;
}

namespace {

Finding limit_of_process(LimitKind limit, std::string_view cause, std::string message, std::uint64_t execution) {
  Finding finding = lost_execution(FindingKind::limit, channel::key_of_cause(FindingKind::limit, cause),
                                   std::move(message), execution);
  finding.limit = limit;
  return finding;
}

}  // namespace

Finding hang(std::uint64_t execution, double timeout_in_seconds) {
  return limit_of_process(
      LimitKind::hang, "hang",
      fmt::format("execution {} made no visible operation for {} s and did not give up when asked to; "
                  "--timeout sets how long to wait",
                  execution, timeout_in_seconds),
      execution);
}

Finding too_much_memory(std::uint64_t execution, std::uint64_t limit) {
  return limit_of_process(
      LimitKind::process_memory, "memory",
      fmt::format("execution {} was ended because its process used more than {} MiB of memory; the limit is 2 GiB and "
                  "three times --max-memory, or three quarters of the memory of the machine",
                  execution, limit >> 20),
      execution);
}

Finding too_much_output(std::uint64_t execution, std::uint64_t limit) {
  return limit_of_process(
      LimitKind::output, "output",
      fmt::format("execution {} was ended because it printed more than {} MiB", execution, limit >> 20), execution);
}

Finding overwritten_memory(std::uint64_t execution) {
  constexpr const char* message = "the program overwrote memory of heddle's runtime: a write through a wild pointer";
  return lost_execution(FindingKind::crash, channel::key_of_cause(FindingKind::crash, message), message, execution);
}

}  // namespace heddle::findings
