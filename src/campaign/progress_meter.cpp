#include "campaign/progress_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "campaign/worker_pool.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::campaign {

ProgressMeter::ProgressMeter(const Settings& settings, Clock::time_point start, const std::vector<Slot>& slots)
    : settings_(settings), start_(start), slots_(slots), executed_(number_of_places(settings)) {}

void ProgressMeter::complete(LiveProgress& live, std::uint64_t end, double seconds_before) const {
  live.seconds = seconds_before + seconds_since_start();
  live.seconds_left = seconds_left(live, end, seconds_before);
  if (settings_.places != nullptr) live.place_rates = place_rates();
  if (live.executions == 0) live.phase = phase();
}

std::size_t ProgressMeter::place_of(const Slot& slot) const {
  return settings_.places == nullptr ? 0 : static_cast<std::size_t>(&slot - slots_.data()) / settings_.run.jobs;
}

double ProgressMeter::seconds_since_start() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

/// Executions a second, since this process began.
std::vector<double> ProgressMeter::place_rates() const {
  std::vector<double> rates(executed_.begin(), executed_.end());
  for (const Slot& slot : slots_)
    if (slot.worker) rates[place_of(slot)] += static_cast<double>(slot.counters().executions);
  const double seconds = seconds_since_start();
  for (double& rate : rates) rate /= seconds;
  return rates;
}

/// What the first worker does before its first execution has ended.
std::string ProgressMeter::phase() const {
  for (const Slot& slot : slots_) {
    if (!slot.worker) continue;
    const channel::Progress& progress = slot.worker->progress();
    if (progress.state.load() != channel::State::running) return fmt::format("starting {}", settings_.program_name);
    if (progress.isolation_used.load() == channel::Isolation::automatic)
      return "trying whether executions can share one process";
    return fmt::format("the first execution runs, {} events so far", progress.current_events.load());
  }
  return {};
}

double ProgressMeter::seconds_left(const LiveProgress& live, std::uint64_t end, double seconds_before) const {
  double left = 0;
  if (end != no_end && live.executions != 0 && !strategies::is_exhaustive(settings_.run.strategy.view())) {
    const auto all = static_cast<double>(end - settings_.first_execution) / static_cast<double>(settings_.shard.count);
    left = live.seconds * std::max(0.0, all / static_cast<double>(live.executions) - 1);
  }
  if (settings_.run.time.count() != 0) {
    const double allowed = std::chrono::duration<double>(settings_.run.time).count() - (live.seconds - seconds_before);
    left = left == 0 ? std::max(0.0, allowed) : std::min(left, std::max(0.0, allowed));
  }
  return left;
}

}  // namespace heddle::campaign
