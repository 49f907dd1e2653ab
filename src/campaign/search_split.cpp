#include "campaign/search_split.hpp"

#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "exploration/subtree.hpp"

namespace heddle::campaign {

namespace {

constexpr std::uint64_t all_branches = std::numeric_limits<std::uint64_t>::max();
// A unit in whose first runs the process dies is explored as a whole: the worker that explores it reports the death.
constexpr unsigned most_deaths = 2;
// Runs that have no two alternatives make no unit. A search that consists of such runs is not worth a cut.
constexpr std::size_t steps_a_unit = 8;

exploration::Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

SearchSplit::SearchSplit(std::size_t wanted) : wanted_(wanted), units_(1), next_(units_.begin()) {}

void SearchSplit::begin(ChannelMemory& channel) {
  is_busy_ = true;
  gifts_before_ = channel.task().gifts.load();
  channel.begin_task(next_->bytes, next_->gifts, next_->runs + 1, all_branches);
  task_number_ = channel.task().number.load();
}

void SearchSplit::read(const ChannelMemory& channel) {
  const channel::SubtreeTask& task = channel.task();
  if (!is_busy_ || task.ended.load(std::memory_order_acquire) != task_number_) return;
  is_busy_ = false;
  deaths_ = 0;
  ++steps_;
  ++next_->runs;
  if (task.end != End::limit) next_->is_smallest = true;
  if (task.end == End::limit && task.gifts.load(std::memory_order_acquire) != gifts_before_) {
    // The program under test can overwrite the gift. Then the unit stays whole.
    const std::string gift = channel.gift();
    next_->is_smallest = !exploration::is_subtree(bytes_of(gift));
    if (!next_->is_smallest) {
      next_->gifts.push_back({task.gift_runs, all_branches});
      take(gift);
    }
  }
  choose_next();
}

/// The branches of a gift stand in the order in which they are taken from the back.
void SearchSplit::take(const std::string& gift) {
  exploration::Bytes left = bytes_of(gift);
  auto first = std::next(next_);
  while (!left.empty()) {
    const exploration::Bytes before = left;
    const auto branch = exploration::split_branch(left);
    if (!branch) return;  // does not happen: is_subtree() has looked
    Unit unit;
    unit.bytes.assign(reinterpret_cast<const char*>(before.data()), before.size() - left.size());
    unit.share = exploration::share_of_branch(*branch);
    next_->share -= unit.share;
    first = units_.insert(first, std::move(unit));
  }
}

void SearchSplit::worker_ended() {
  if (!std::exchange(is_busy_, false) || ++deaths_ < most_deaths) return;
  deaths_ = 0;
  next_->is_smallest = true;
  choose_next();
}

void SearchSplit::choose_next() {
  next_ = units_.end();
  if (units_.size() >= wanted_ || steps_ >= wanted_ * steps_a_unit) return;
  for (auto unit = units_.begin(); unit != units_.end(); ++unit)
    if (!unit->is_smallest && (next_ == units_.end() || unit->share > next_->share)) next_ = unit;
}

}  // namespace heddle::campaign
