#include "campaign/limit_gate.hpp"

#include <fmt/format.h>

#include "run/quantities.hpp"

namespace heddle::campaign {

using findings::LimitKind;

namespace {

// An execution that reaches a limit on time or memory takes seconds, and the next one nearly always does the same.
constexpr std::uint64_t few_slow_executions = 3;
// Whether an execution reaches a limit on events can depend on the schedule.
constexpr std::uint64_t few_executions = 10;

bool is_slow(LimitKind limit) {
  return limit == LimitKind::timeout || limit == LimitKind::hang || limit == LimitKind::process_memory ||
         limit == LimitKind::output;
}

}  // namespace

LimitGate::LimitGate(const Settings& settings, bool is_exhaustive)
    : first_(settings.first_execution), few_(few_executions * settings.shard.count),
      position_(settings.first_execution + few_slow_executions * settings.shard.count) {
  if (is_exhaustive || settings.mode != channel::Mode::test) position_ = no_end;
}

LimitGate::Verdict LimitGate::update(const Totals& totals, const std::set<LimitKind>& limits) {
  if (position_ == no_end || totals.executions == 0) return Verdict::stays;
  if (totals.executions > totals.cut_off || totals.buggy != 0) {
    position_ = no_end;
    return Verdict::moved;
  }
  if (!totals.all_wait) return Verdict::stays;
  if (limits.size() == 1 && (is_slow(*limits.begin()) || position_ == first_ + few_)) return Verdict::ends_campaign;
  position_ = position_ < first_ + few_ ? first_ + few_ : no_end;
  return Verdict::moved;
}

std::string limit_sentence(const Settings& settings, LimitKind limit, std::uint64_t executions) {
  const auto sentence = [&](const std::string& what, const char* advice) {
    return fmt::format("each of the first {} executions {}, so heddle stopped; {}", executions, what, advice);
  };
  switch (limit) {
    case LimitKind::events:
      return sentence(fmt::format("was cut off at --max-events {}", settings.run.max_events),
                      "raise --max-events, give the program less to do, or look for a loop that does not end");
    case LimitKind::memory:
      return sentence(fmt::format("needed more than --max-memory {}", run::format_size(settings.run.max_memory)),
                      "raise --max-memory, or give the program less to do");
    case LimitKind::timeout:
    case LimitKind::hang:
    case LimitKind::check_timeout:
      return sentence(
          fmt::format("made no visible operation for --timeout {}", run::format_duration(settings.run.timeout)),
          "raise --timeout, give the program less to compute, or look for a call that waits for the kernel");
    case LimitKind::process_memory:
      return sentence("used too much memory", "raise --max-memory, or give the program less to do");
    case LimitKind::output: return sentence("printed too much", "let the program print less");
    case LimitKind::address_space:
      return sentence("needed more address space than the system allows", "raise ulimit -v, or lower --max-events");
    case LimitKind::unseen:  // of the exhaustive search only
    case LimitKind::none: break;
  }
  return sentence("was cut off", "give the program less to do");
}

}  // namespace heddle::campaign
