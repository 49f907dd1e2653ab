#include "cluster/cluster_pool.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <utility>

namespace heddle::cluster {

using channel::SubtreeTask;

namespace {

template <typename T>
std::span<const std::uint64_t> as_words(const T& value) {
  static_assert(sizeof value % sizeof(std::uint64_t) == 0 && alignof(T) == alignof(std::uint64_t));
  return {reinterpret_cast<const std::uint64_t*>(&value), sizeof value / sizeof(std::uint64_t)};
}

/// A worker on another rank.
class RemoteWorker final : public WorkerHandle {
 public:
  RemoteWorker(ChannelMemory mirror, std::shared_ptr<RemoteProcess> process)
      : WorkerHandle(std::move(mirror)), process_(std::move(process)) {}
  ~RemoteWorker() override { process_->is_released = true; }

  bool is_computing_here() const override { return false; }
  void kill() override { process_->is_killed = true; }
  bool reap() override {
    wait_status_ = process_->wait_status;
    return process_->has_ended;
  }
  /// Its own rank kills it.
  campaign::Killed watch(Clock::time_point /*now*/, const run::RunSpecification& /*run*/,
                         bool /*is_plausible*/) override {
    return process_->watched.killed;
  }
  const Watched* watched_elsewhere() const override { return &process_->watched; }
  std::string output() const override { return process_->output; }
  bool wants_recordings(std::uint64_t end) override {
    if (process_->first_kept_recording >= end) return false;
    process_->wanted_recordings = end;
    return true;
  }

 private:
  std::shared_ptr<RemoteProcess> process_;
};

}  // namespace

StateWriter& ClusterPool::record(std::size_t rank, RankRecord kind, std::uint32_t worker) {
  StateWriter& out = out_[rank];
  out.value(kind);
  out.value(worker);
  return out;
}

/// Broadcasts the round if the ranks do not know it.
void ClusterPool::announce(const LearningRounds& rounds) {
  if (rounds.number() == round_) return;
  round_ = rounds.number();
  StateWriter out;
  out.value(MessageHead{MessageRoute::broadcast, campaign_, round_});
  out.value(RankRecord::round);
  out.number(rounds.begin());
  out.number(rounds.end());
  out.number(rounds.plan() != nullptr ? 1 : 0);
  if (rounds.plan() != nullptr) {
    out.changes(as_words(plan_), as_words(*rounds.plan()));
    plan_ = *rounds.plan();
  }
  out.number(rounds.corpus() != nullptr ? 1 : 0);
  if (rounds.corpus() != nullptr) campaign::write_corpus_update(out, *rounds.corpus(), corpus_sent_);
  pass_on(transport(), std::make_shared<const std::string>(out.take()));
}

Result<std::unique_ptr<WorkerHandle>> ClusterPool::start(std::size_t slot, const campaign::Launch& launch,
                                                         const channel::Request& request, std::string_view decisions,
                                                         const LearningRounds& rounds) {
  if (const std::size_t rank = slot / jobs_; rank != 0) return start_remote(rank, request, rounds);
  return campaign::WorkerProcess::start(launch, request, decisions,
                                        [&](ChannelMemory& channel) { rounds.announce(channel); });
}

Result<std::unique_ptr<WorkerHandle>> ClusterPool::start_remote(std::size_t rank, const channel::Request& request,
                                                                const LearningRounds& rounds) {
  announce(rounds);
  auto mirror = ChannelMemory::create(request, {});
  if (!mirror) return mirror.problem();
  mirror->become_mirror();
  rounds.announce(*mirror);
  const std::uint32_t number = ranks_.next_worker();
  StateWriter& out = record(rank, RankRecord::start, number);
  // Nearly all of it is 0.
  static const channel::Request nothing{};
  out.changes(as_words(nothing), as_words(request));
  // The clocks of two machines differ.
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
  const auto past = static_cast<std::uint64_t>(now);
  out.number(request.deadline == 0 ? 0 : request.deadline > past ? request.deadline - past : 1);
  out.number(rounds.corpus() != nullptr ? usual_recordings(workers_) : 0);
  out.number(rounds.has_independent_executions() ? 1 : 0);
  channel::Channel& memory = mirror->whole();
  auto process = std::make_shared<RemoteProcess>();
  Live live{rank, &memory, process, ChannelMirror(memory)};
  live.end_execution = request.end_execution;
  live.gate = request.gate;
  live_.emplace(number, std::move(live));
  return std::unique_ptr<WorkerHandle>(std::make_unique<RemoteWorker>(std::move(*mirror), std::move(process)));
}

// ---- from other ranks -------------------------------------------------------------------------------------------

Outcome ClusterPool::poll() {
  while (const auto message = transport().receive()) {
    try {
      if (auto problem = apply(*message)) return problem;
    } catch (const BadValue&) {
      return test_problem(fmt::format("rank {} on {} sent what this heddle cannot read; is it another version?",
                                      message->from, ranks_.host(message->from)));
    }
  }
  return {};
}

Outcome ClusterPool::apply(const transport::Message& message) {
  StateReader in(message.bytes);
  while (!in.is_at_end()) {
    RankRecord kind{};
    std::uint32_t number = 0;
    in.value(kind);
    in.value(number);
    const auto found = live_.find(number);
    const bool is_known = found != live_.end() && !found->second.process->is_released;
    switch (kind) {
      case RankRecord::report: {
        StateReader content(in.block());
        if (!is_known) break;
        Live& live = found->second;
        if (live.reader.apply(content)) {
          live.process->first_kept_recording = live.reader.first_kept_recording();
          live.process->wanted_recordings = live.asked_recordings = 0;
        }
        // The worker has answered. The driver may give the same command again.
        if (live.mirror->task.command.load() == SubtreeTask::Command::none) live.command = SubtreeTask::Command::none;
        break;
      }
      case RankRecord::recordings: {
        StateReader content(in.block());
        if (!is_known) break;
        found->second.reader.apply_kept_recordings(content);
        found->second.process->first_kept_recording = found->second.reader.first_kept_recording();
        break;
      }
      case RankRecord::ended: {
        RemoteProcess process;
        in.value(process.wait_status);
        in.value(process.watched.killed);
        in.value(process.watched.is_overwritten);
        process.output = in.text();
        process.has_ended = true;
        if (is_known) *found->second.process = std::move(process);
        break;
      }
      case RankRecord::problem: {
        const auto code = static_cast<ExitCode>(in.number());
        const std::string text(in.text());
        if (!is_known) break;
        return Problem{code, fmt::format("rank {} on {}: {}", message.from, ranks_.host(message.from), text)};
      }
      default: throw BadValue{};
    }
  }
  return {};
}

// ---- to other ranks ---------------------------------------------------------------------------------------------

void ClusterPool::send(const LearningRounds& rounds) {
  if (!live_.empty()) announce(rounds);
  for (auto entry = live_.begin(); entry != live_.end();) {
    auto& [number, live] = *entry;
    if (live.process->is_released) {
      (void)record(live.rank, RankRecord::release, number);
      entry = live_.erase(entry);
      continue;
    }
    if (live.process->is_killed && !live.process->has_ended && !std::exchange(live.is_killed, true))
      (void)record(live.rank, RankRecord::kill, number);
    send_control(number, live);
    send_task(number, live);
    ask_for_recordings(number, live);
    ++entry;
  }
  flush();
}

void ClusterPool::send_control(std::uint32_t number, Live& live) {
  const channel::Request& request = live.mirror->request;
  const std::uint32_t stop = live.mirror->progress.stop.load();
  if (request.end_execution == live.end_execution && request.gate == live.gate && stop == live.stop) return;
  live.end_execution = request.end_execution;
  live.gate = request.gate;
  live.stop = stop;
  StateWriter& out = record(live.rank, RankRecord::control, number);
  out.number(live.end_execution);
  out.number(live.gate);
  out.number(stop);
}

void ClusterPool::send_task(std::uint32_t number, Live& live) {
  channel::Channel& mirror = *live.mirror;
  const SubtreeTask& task = mirror.task;
  const std::uint32_t task_number = task.number.load();
  const SubtreeTask::Command command = task.command.load();
  if (task_number != live.task) {
    live.task = task_number;
    StateWriter& out = record(live.rank, RankRecord::task, number);
    out.text({reinterpret_cast<const char*>(mirror.at(channel::task_offset)), task.size});
    const auto* gifts = reinterpret_cast<const channel::GiftRecord*>(mirror.at(channel::task_gifts_offset));
    out.list(std::span<const channel::GiftRecord>(gifts, task.gifts_known));
    out.number(task.most_runs);
    out.number(command == SubtreeTask::Command::give ? task.least : 0);
  } else if (command != live.command || task.most_runs != live.most_runs) {
    // A command that became `none` was answered by the worker.
    if (command != SubtreeTask::Command::none || task.most_runs != live.most_runs) {
      StateWriter& out = record(live.rank, RankRecord::command, number);
      out.value(task_number);
      out.value(command);
      out.number(task.least);
      out.number(task.most_runs);
    }
  }
  live.command = command;
  live.most_runs = task.most_runs;
}

void ClusterPool::ask_for_recordings(std::uint32_t number, Live& live) {
  const std::uint64_t end = live.process->wanted_recordings;
  if (end == live.asked_recordings) return;
  live.asked_recordings = end;
  record(live.rank, RankRecord::recordings, number).value(end);
}

ClusterPool::~ClusterPool() {
  for (const auto& [number, live] : live_) (void)record(live.rank, RankRecord::release, number);
  flush();
}

void ClusterPool::flush() {
  for (std::size_t rank = 1; rank < out_.size(); ++rank) {
    if (out_[rank].is_empty()) continue;
    StateWriter message;
    message.value(MessageHead{MessageRoute::direct, campaign_, round_});
    message.bytes(out_[rank].take());
    transport().send(rank, std::make_shared<const std::string>(message.take()));
  }
}

}  // namespace heddle::cluster
