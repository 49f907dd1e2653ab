#include "cluster/worker_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "campaign/slot.hpp"
#include "channel/channel.hpp"
#include "cluster/channel_report.hpp"
#include "cluster/event_wait.hpp"
#include "cluster/ranks.hpp"

namespace heddle::cluster {

namespace {

using campaign::ChannelMemory;
using campaign::Clock;
using campaign::Slot;
using campaign::WorkerHandle;
using campaign::WorkerProcess;
using campaign::WorkHere;
using channel::SubtreeTask;
using std::chrono::milliseconds;

std::vector<std::string> read_list(StateReader& in) {
  std::vector<std::string> words(std::min<std::uint64_t>(in.number(), std::uint64_t{1} << 20));
  for (std::string& word : words) word = in.text();
  return words;
}

class WorkerHost {
 public:
  WorkerHost(transport::Transport& transport, const std::string& version, const std::vector<std::string>& arguments)
      : transport_(transport), version_(version), arguments_(arguments),
        report_interval_(std::max<milliseconds>(least_interval, milliseconds(transport.size()))),
        corpus_memory_(sizeof(strategies::Corpus)),
        corpus_(*reinterpret_cast<strategies::Corpus*>(corpus_memory_.bytes().data())) {}

  void run() {
    EventWait events(&transport_);
    while (!has_quit_) {
      // Rank 0 gets the signals of the user, too, and decides what follows.
      (void)events.wait(look_interval, work_here());
      while (auto message = transport_.receive()) receive(std::move(message->bytes));
      look_at_workers();
      if (!out_.is_empty()) send();
    }
  }

 private:
  static constexpr milliseconds look_interval{50};
  // How often rank 0 learns how far a worker is. With many ranks it is less often, so that rank 0 does not read more
  // than a thousand such messages a second.
  static constexpr milliseconds least_interval{200};

  struct Hosted {
    Slot slot;
    std::optional<ChannelReporter> reporter;
    run::RunSpecification run{};
    bool is_searching = false;
    Clock::time_point next_report{};
  };

  void send() {
    auto bytes = std::make_shared<const std::string>(out_.take());
    out_.reserve(bytes->size());  // the next message is probably not longer
    transport_.send(0, std::move(bytes));
  }

  StateWriter& record(RankRecord kind, std::uint32_t worker) {
    out_.value(kind);
    out_.value(worker);
    return out_;
  }

  // ---- messages from rank 0 -------------------------------------------------------------------------------------

  void receive(std::string bytes) {
    MessageHead head;
    StateReader(bytes).value(head);
    if (head.route == MessageRoute::broadcast) {
      const auto shared = std::make_shared<const std::string>(std::move(bytes));
      pass_on(transport_, shared);
      StateReader in(*shared);
      in.value(head);
      RankRecord kind{};
      in.value(kind);
      if (kind == RankRecord::quit) has_quit_ = true;
      if (kind == RankRecord::round) begin_round(head, in);
    } else {
      held_.push_back(std::move(bytes));
    }
    while (!held_.empty() && !has_quit_) {
      StateReader in(held_.front());
      in.value(head);
      if (is_early(head)) return;
      while (!in.is_at_end()) apply(in);
      held_.pop_front();
    }
  }

  /// Does the message need a round that this rank does not know yet? A message of an earlier campaign, which a
  /// broadcast has overtaken, needs nothing: the workers of that campaign have ended.
  bool is_early(const MessageHead& head) const {
    if (head.campaign != campaign_) return head.campaign > campaign_;
    return head.round > round_.number;
  }

  void apply(StateReader& in) {
    RankRecord kind{};
    std::uint32_t number = 0;
    in.value(kind);
    in.value(number);
    if (kind == RankRecord::hello) return greet(in);
    if (kind == RankRecord::start) return start(in, number);
    const auto found = workers_.find(number);
    Hosted* const hosted = found == workers_.end() ? nullptr : found->second.get();  // null: it has ended
    switch (kind) {
      case RankRecord::control: return control(in, hosted);
      case RankRecord::task: return begin_task(in, hosted);
      case RankRecord::command: return command(in, hosted);
      case RankRecord::recordings: return send_recordings(in, number, hosted);
      case RankRecord::kill:
        if (hosted != nullptr) hosted->slot.worker->kill();
        return;
      case RankRecord::release:
        if (hosted != nullptr) workers_.erase(found);
        return;
      default: throw BadValue{};
    }
  }

  /// Answers whether this rank can take part.
  void greet(StateReader& in) {
    const std::string version(in.text());
    const std::vector<std::string> arguments = read_list(in);
    launch_.argv = {std::string(in.text())};
    const std::string build_id(in.text());
    for (std::string& word : read_list(in)) launch_.argv.push_back(std::move(word));
    Outcome problem;
    if (version != version_)
      problem =
          test_problem(fmt::format("its heddle is {}, but that of rank 0 is {}; install the same", version_, version));
    else if (arguments != arguments_)
      problem = usage_problem(
          "its command line differs from that of rank 0; for shards, which do not talk to each other, set "
          "HEDDLE_MPI=none");
    else if (auto program = campaign::inspect_program(launch_.argv[0]); !program)
      problem = program.problem();
    else if (program->build_id != build_id)
      problem = test_problem(
          fmt::format("{} is another build than that of rank 0; copy the program to all machines", launch_.argv[0]));
    else
      launch_.path = program->path;
    StateWriter& out = record(RankRecord::ready, 0);
    out.text(host_name());
    out.number(problem ? static_cast<std::uint64_t>(problem->exit_code) : 0);
    out.text(problem ? problem->text : "");
  }

  void begin_round(const MessageHead& head, StateReader& in) {
    if (head.campaign != campaign_) {
      campaign_ = head.campaign;
      corpus_.clear();
      corpus_known_ = {};
      round_ = {};
      workers_.clear();
    }
    round_.number = head.round;
    round_.begin = in.number();
    round_.end = in.number();
    round_.has_plan = in.number() != 0;
    if (round_.has_plan) {
      auto* words = reinterpret_cast<std::uint64_t*>(&round_.plan);
      in.changes(sizeof round_.plan / sizeof *words, [&](std::size_t i) -> std::uint64_t& { return words[i]; });
    }
    round_.has_corpus = in.number() != 0;
    if (round_.has_corpus) campaign::apply_corpus_update(in, corpus_, corpus_known_);
    for (auto& [number, hosted] : workers_) {
      ChannelMemory& channel = hosted->slot.worker->channel();
      if (channel.progress().awaits_round.load(std::memory_order_acquire) == round_.number) announce(channel);
    }
  }

  void announce(ChannelMemory& channel) {
    if (round_.has_corpus) campaign::copy_corpus(corpus_, channel);
    channel.announce_round(round_.number, {round_.begin, round_.end}, round_.has_plan ? &round_.plan : nullptr);
  }

  void start(StateReader& in, std::uint32_t number) {
    channel::Request request{};
    auto* words = reinterpret_cast<std::uint64_t*>(&request);
    in.changes(sizeof request / sizeof *words, [&](std::size_t i) -> std::uint64_t& { return words[i]; });
    if (const std::uint64_t left = in.number(); left != 0) {
      const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
      request.deadline = static_cast<std::uint64_t>(now) + left;
    }
    ReportScope scope;
    scope.recordings = in.number();
    scope.counts_graphs = in.number() != 0;
    launch_.stdin_path = request.run.stdin_path.c_str();
    launch_.random_addresses = request.run.aslr;
    launch_.prepare_channel = [this](ChannelMemory& channel) { announce(channel); };
    const Outcome problem = launch_.use_orders(request.run.orders.view(), nullptr);
    auto worker = problem ? Result<std::unique_ptr<WorkerHandle>>(*problem)
                          : WorkerProcess::start(launch_, request, {}, [](ChannelMemory&) {});
    if (!worker) {
      StateWriter& out = record(RankRecord::problem, number);
      out.number(static_cast<std::uint64_t>(worker.problem().exit_code));
      out.text(worker.problem().text);
      return;
    }
    auto hosted = std::make_unique<Hosted>();
    hosted->run = request.run;
    hosted->is_searching = request.has_tasks != 0;
    hosted->slot.next = request.first_execution;
    hosted->slot.start(std::move(*worker));
    hosted->reporter.emplace(hosted->slot.worker->channel(), scope);
    hosted->next_report = Clock::now() + report_interval_;
    workers_.emplace(number, std::move(hosted));
  }

  static void control(StateReader& in, Hosted* hosted) {
    const std::uint64_t end = in.number(), gate = in.number(), stop = in.number();
    if (hosted == nullptr) return;
    ChannelMemory& channel = hosted->slot.worker->channel();
    channel.lower_end(end);
    channel.set_gate(gate);
    if (stop != 0) channel.stop();
  }

  static void begin_task(StateReader& in, Hosted* hosted) {
    const std::string_view bytes = in.text();
    const auto gifts = in.list<channel::GiftRecord>();
    const std::uint64_t most_runs = in.number(), gives = in.number();
    if (hosted == nullptr) return;
    hosted->slot.worker->channel().begin_task(bytes, gifts, most_runs, gives);
    hosted->reporter->task_begun();
  }

  static void command(StateReader& in, Hosted* hosted) {
    std::uint32_t task = 0;
    SubtreeTask::Command command{};
    in.value(task);
    in.value(command);
    const std::uint64_t least = in.number(), most_runs = in.number();
    if (hosted == nullptr) return;
    SubtreeTask& shared = hosted->slot.worker->channel().task();
    if (shared.number.load() != task) return;
    std::atomic_ref<std::uint64_t>(shared.most_runs).store(most_runs, std::memory_order_relaxed);
    if (command == SubtreeTask::Command::none) return;
    shared.least = least;
    shared.command.store(command, std::memory_order_release);
  }

  void send_recordings(StateReader& in, std::uint32_t number, Hosted* hosted) {
    std::uint64_t end = 0;
    in.value(end);
    if (hosted == nullptr) return;  // its last report had all of them
    StateWriter& out = record(RankRecord::recordings, number);
    out.begin_block();
    hosted->reporter->write_kept_recordings(out, end);
    out.end_block();
  }

  // ---- the workers ----------------------------------------------------------------------------------------------

  WorkHere work_here() const {
    for (const auto& [number, hosted] : workers_)
      if (!hosted->slot.worker->waits()) return hosted->is_searching ? WorkHere::searching : WorkHere::sampling;
    return WorkHere::none;
  }

  void look_at_workers() {
    const auto now = Clock::now();
    for (auto entry = workers_.begin(); entry != workers_.end();) {
      Hosted& hosted = *entry->second;
      const bool is_over = hosted.slot.worker->reap();
      is_over ? (void)hosted.slot.read_counters() : hosted.slot.watch(now, hosted.run);
      const bool is_plausible = hosted.slot.is_plausible();
      const bool is_time = now >= hosted.next_report && hosted.reporter->is_due();
      if (is_over || (is_plausible && (is_time || hosted.reporter->is_urgent()))) {
        report(entry->first, hosted, is_over);
        hosted.next_report = now + report_interval_;
      }
      if (is_over) report_end(entry->first, hosted);
      entry = is_over ? workers_.erase(entry) : std::next(entry);
    }
  }

  void report(std::uint32_t number, Hosted& hosted, bool is_last) {
    StateWriter& out = record(RankRecord::report, number);
    out.begin_block();
    hosted.reporter->write(out, is_last, hosted.slot.is_plausible() ? nullptr : &hosted.slot.counters());
    out.end_block();
  }

  void report_end(std::uint32_t number, Hosted& hosted) {
    const WorkerHandle& worker = *hosted.slot.worker;
    StateWriter& out = record(RankRecord::ended, number);
    out.value(worker.wait_status());
    out.value(hosted.slot.killed());
    out.value(!hosted.slot.is_plausible());
    const bool was_running = worker.progress().state.load() != channel::State::done;
    out.text(was_running || !hosted.slot.is_plausible() ? worker.output() : "");
  }

  transport::Transport& transport_;
  const std::string& version_;
  const std::vector<std::string>& arguments_;
  const milliseconds report_interval_;
  bool has_quit_ = false;
  campaign::Launch launch_;
  std::deque<std::string> held_;  ///< messages that are not applied yet
  StateWriter out_;

  struct Round {
    std::uint32_t number = 0;
    std::uint64_t begin = 0, end = 0;
    bool has_plan = false;
    bool has_corpus = false;
    strategies::PortfolioPlan plan{};
  };
  std::uint32_t campaign_ = 0;
  Round round_;
  campaign::ReservedMemory corpus_memory_;
  strategies::Corpus& corpus_;  ///< as rank 0 has it
  campaign::CorpusCopied corpus_known_;
  std::map<std::uint32_t, std::unique_ptr<Hosted>> workers_;
};

}  // namespace

void host_workers(transport::Transport& transport, const std::string& version,
                  const std::vector<std::string>& arguments) {
  WorkerHost(transport, version, arguments).run();
}

}  // namespace heddle::cluster
