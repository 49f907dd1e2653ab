#include "campaign/workers/channel_memory.hpp"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace heddle::campaign {

namespace {

/// Compares all but the members that the driver changes while the worker runs. Compares bytes, because a text that the
/// program has overwritten may have no end.
bool is_same_request(const channel::Request& a, const channel::Request& b) {
  constexpr std::size_t changing = offsetof(channel::Request, end_execution);
  constexpr std::size_t rest = offsetof(channel::Request, deadline);
  static_assert(rest == changing + sizeof a.end_execution + sizeof a.gate);
  const auto *first = reinterpret_cast<const char*>(&a), *second = reinterpret_cast<const char*>(&b);
  return std::memcmp(first, second, changing) == 0 && std::memcmp(first + rest, second + rest, sizeof a - rest) == 0;
}

Problem no_channel() {
  return test_problem(fmt::format("cannot make the memory that the workers share: {}", std::strerror(errno)));
}

}  // namespace

Result<ChannelMemory> ChannelMemory::create(const channel::Request& request, std::string_view decisions) {
  if (decisions.size() > channel::decisions_capacity) return test_problem("the trace is too long to be replayed");
  const int fd = ::memfd_create("heddle-channel", MFD_CLOEXEC);
  if (fd < 0) return no_channel();
  void* memory = MAP_FAILED;
  if (::ftruncate(fd, static_cast<off_t>(channel::channel_size)) == 0) {
    memory = ::mmap(nullptr, channel::channel_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  }
  if (memory == MAP_FAILED) {
    Problem problem = no_channel();
    ::close(fd);
    return problem;
  }
  // A new memory file is zero, which initialises all of `progress` except current_execution.
  auto* channel = static_cast<channel::Channel*>(memory);
  std::memcpy(channel->magic, channel::magic, sizeof channel::magic);
  channel->version = channel::version;
  channel->request = request;
  channel->request.decisions_size = decisions.size();
  if (!decisions.empty()) std::memcpy(channel->at(channel::decisions_offset), decisions.data(), decisions.size());
  channel->progress.current_execution.store(request.first_execution);
  channel->round.end_execution = std::numeric_limits<std::uint64_t>::max();
  ChannelMemory created(fd, channel);
  created.original_ = std::make_unique<channel::Request>();
  std::memcpy(created.original_.get(), &channel->request, sizeof channel->request);  // with the padding
  return created;
}

Result<ChannelMemory> ChannelMemory::attach(int fd) {
  void* memory = ::mmap(nullptr, channel::channel_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (memory == MAP_FAILED) return no_channel();
  auto* channel = static_cast<channel::Channel*>(memory);
  ChannelMemory attached(fd, channel);
  if (std::memcmp(channel->magic, channel::magic, sizeof channel::magic) != 0 || channel->version != channel::version)
    return test_problem("the driver and libheddle are of different versions: rebuild the program");
  return attached;
}

ChannelMemory::ChannelMemory(ChannelMemory&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), is_mirror_(other.is_mirror_), channel_(std::exchange(other.channel_, nullptr)),
      original_(std::move(other.original_)), seen_(other.seen_), state_seen_(other.state_seen_), log_(other.log_),
      graphs_taken_(other.graphs_taken_), corpus_copied_(other.corpus_copied_), records_(std::move(other.records_)) {}

ChannelMemory::~ChannelMemory() {
  close_fd();
  if (channel_ != nullptr) ::munmap(channel_, channel::channel_size);
}

void ChannelMemory::close_fd() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Counters ChannelMemory::counters() const {
  const channel::Progress& now = channel_->progress;
  return {now.executions.load(), now.buggy.load(),  now.blocked.load(),
          now.cut_off.load(),    now.events.load(), now.escapes.load()};
}

bool ChannelMemory::is_plausible() {
  const bool has_request = std::memcmp(channel_->magic, channel::magic, sizeof channel::magic) == 0 &&
                           channel_->version == channel::version &&
                           (is_mirror_ || is_same_request(channel_->request, *original_));
  const channel::Progress& now = channel_->progress;
  const channel::State state = now.state.load();
  const std::uint64_t graphs = now.graphs.load(), current = now.current_execution.load();
  // The worker adds to the other counters before it adds to the number of executions.
  Counters counters = this->counters();
  counters.executions = now.executions.load();
  const std::uint64_t most = counters.executions + 1;
  if (!has_request || state < state_seen_ || state > channel::State::done || !counters.is_at_least(seen_) ||
      most == 0 || counters.buggy > most || counters.blocked > most || counters.cut_off > most || graphs > most ||
      graphs < graphs_taken_ || now.findings_size.load() > channel::findings_capacity ||
      now.modules_size.load() > channel::modules_capacity || now.failure.load() > channel::Failure::fault ||
      now.isolation_used.load() > channel::Isolation::fork || current < original_->first_execution ||
      (current - original_->first_execution) % original_->stride != 0)
    return false;
  seen_ = counters;
  state_seen_ = state;
  return true;
}

void ChannelMemory::set_site_orders(std::span<const channel::SiteOrder> orders) const {
  if (!orders.empty()) std::memcpy(channel_->at(channel::orders_offset), orders.data(), orders.size_bytes());
}

std::vector<channel::SiteOrder> ChannelMemory::site_orders() const {
  const std::uint64_t count = original_ != nullptr ? original_->site_orders : 0;
  std::vector<channel::SiteOrder> orders(count);
  if (count != 0) std::memcpy(orders.data(), channel_->at(channel::orders_offset), count * sizeof orders[0]);
  return orders;
}

void ChannelMemory::lower_end(std::uint64_t end) const {
  std::atomic_ref<std::uint64_t> current(channel_->request.end_execution);
  if (current.load() > end) current.store(end);
  wake();
}

void ChannelMemory::set_gate(std::uint64_t execution) const {
  std::atomic_ref<std::uint64_t>(channel_->request.gate).store(execution);
  wake();
}

void ChannelMemory::announce_round(std::uint32_t number, Executions executions,
                                   const strategies::PortfolioPlan* plan) const {
  channel::Round& round = channel_->round;
  static_assert(sizeof *plan <= sizeof round.plan);
  if (plan != nullptr) std::memcpy(round.plan, plan, sizeof *plan);
  round.begin_execution = executions.begin;
  round.end_execution = executions.end;
  round.number.store(number, std::memory_order_release);
  wake();
}

strategies::PortfolioPlan ChannelMemory::plan() const {
  strategies::PortfolioPlan plan;
  std::memcpy(&plan, channel_->round.plan, sizeof plan);
  return plan;
}

strategies::Totals ChannelMemory::totals() const {
  strategies::Totals totals;
  static_assert(sizeof totals <= sizeof channel_->progress.totals);
  static_assert(std::is_trivially_copyable_v<strategies::Totals>);
  std::memcpy(&totals, channel_->progress.totals, sizeof totals);
  return totals;
}

void ChannelMemory::stop() const {
  channel_->progress.stop.store(1);
  wake();
}

void ChannelMemory::wake() const {
  ::syscall(SYS_futex, &channel_->round.number, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  ::syscall(SYS_futex, &channel_->task.number, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void ChannelMemory::begin_task(std::string_view bytes, std::span<const channel::GiftRecord> gifts,
                               std::uint64_t most_runs, std::uint64_t gives) {
  channel::SubtreeTask& task = channel_->task;
  std::ranges::copy(bytes, reinterpret_cast<char*>(channel_->at(channel::task_offset)));
  std::ranges::copy(gifts, reinterpret_cast<channel::GiftRecord*>(channel_->at(channel::task_gifts_offset)));
  task.size = bytes.size();
  task.gifts_known = gifts.size();
  task.most_runs = most_runs;
  task.runs.store(0);
  task.least = gives;
  task.command.store(gives == 0 ? channel::SubtreeTask::Command::none : channel::SubtreeTask::Command::give);
  channel_->progress.findings_size.store(0);
  log_ = {};
  records_.clear();
  task.number.store(task.number.load() + 1, std::memory_order_release);
  wake();
}

std::string ChannelMemory::gift() const {
  const std::uint64_t size = std::min(channel_->task.gift_size, channel::gift_capacity);
  return {reinterpret_cast<const char*>(channel_->at(channel::gift_offset)), size};
}

std::vector<findings::Finding> ChannelMemory::new_findings() {
  std::vector<findings::Finding> result;
  for (auto entry = log_.next(*channel_); entry.record != nullptr; entry = log_.next(*channel_)) {
    auto finding = findings::decode_finding(entry.content);
    if (!finding) continue;
    const channel::FindingRecord& record = *entry.record;
    finding->key = record.key;
    finding->execution = record.execution;
    finding->count = record.count.load(std::memory_order_acquire);
    finding->first_count = record.first_count.load(std::memory_order_acquire);
    finding->is_timely = record.is_timely.load(std::memory_order_acquire) != 0;
    finding->is_without_race = record.is_without_race.load(std::memory_order_acquire) != 0;
    finding->recorded = record.unrecorded == 0;
    finding->strategy = std::string(record.strategy, ::strnlen(record.strategy, sizeof record.strategy));
    finding->output = entry.output;
    finding->decisions = entry.decisions;
    result.push_back(std::move(*finding));
    records_.push_back(&record);
  }
  return result;
}

std::string ChannelMemory::failure_text() const {
  const auto& text = channel_->progress.failure_text;
  const std::string said(text, ::strnlen(text, sizeof text));
  return said.empty() ? "the worker stopped and did not say why" : said;
}

channel::Words ChannelMemory::modules() const {
  const std::uint64_t size =
      std::min(channel_->progress.modules_size.load(std::memory_order_acquire), channel::modules_capacity);
  const auto* words = reinterpret_cast<const std::uint64_t*>(channel_->at(channel::modules_offset));
  return {words, size / sizeof *words};
}

std::span<const std::byte> ChannelMemory::recordings() const {
  const std::uint64_t size = channel_->progress.recordings_size.load(std::memory_order_acquire);
  return {channel_->at(channel::recordings_offset), std::min(size, channel::recordings_capacity)};
}

strategies::CycleTable& ChannelMemory::cycles() const {
  return *reinterpret_cast<strategies::CycleTable*>(channel_->at(channel::cycles_offset));
}

strategies::Corpus& ChannelMemory::corpus() const {
  static_assert(sizeof(strategies::Corpus) <= channel::corpus_capacity);
  return *reinterpret_cast<strategies::Corpus*>(channel_->at(channel::corpus_offset));
}

strategies::CorpusOutbox& ChannelMemory::outbox() const {
  static_assert(sizeof(strategies::CorpusOutbox) <= channel::outbox_capacity);
  return *reinterpret_cast<strategies::CorpusOutbox*>(channel_->at(channel::outbox_offset));
}

void ChannelMemory::count_graphs(std::unordered_map<std::uint64_t, std::uint64_t>& counts) const {
  const auto* records = reinterpret_cast<const channel::GraphRecord*>(channel_->at(channel::graphs_offset));
  for (std::uint64_t i = 0; i < graphs_taken_; ++i) counts[records[i].hash] += records[i].count;
}

void ChannelMemory::take_graphs(std::vector<channel::GraphRecord>& out) {
  // An execution has one graph, so that a count that the program has overwritten does not let the driver read
  // gigabytes.
  const std::uint64_t count =
      std::max(graphs_taken_, std::min({channel_->progress.graphs.load(std::memory_order_acquire),
                                        channel_->progress.executions.load(std::memory_order_acquire) + 1,
                                        channel::graphs_capacity / sizeof(channel::GraphRecord)}));
  const auto* records = reinterpret_cast<const channel::GraphRecord*>(channel_->at(channel::graphs_offset));
  out.insert(out.end(), records + graphs_taken_, records + count);
  graphs_taken_ = count;
}

}  // namespace heddle::campaign
