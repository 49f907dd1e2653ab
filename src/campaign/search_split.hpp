// Cuts an exhaustive search into units, so that shards which do not know of each other explore each unit once. The cut
// is a function of the program and the options alone: every shard makes the same one, and then explores its share.
//
// A unit is a subtree without the parts that were taken out of it: a branch, and the gifts that were made of it
// (channel/subtree_task.hpp). To cut a unit, a worker repeats its first runs, and after one more run gives away
// everything but the branch that it would explore next. Each branch of that gift becomes a unit of its own. The units
// are kept in the order of the search. The largest one, as far as shares can tell, is cut first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "campaign/workers/channel_memory.hpp"

namespace heddle::campaign {

class SearchSplit {
 public:
  struct Unit {
    std::string bytes = {};  ///< empty: the whole search
    std::vector<channel::GiftRecord> gifts = {};
    double share = 1;          ///< estimated, of the whole search, without its gifts
    std::uint64_t runs = 0;    ///< after so many runs it was last tried
    bool is_smallest = false;  ///< it cannot be cut
  };

  explicit SearchSplit(std::size_t wanted);

  /// Are there enough units, or can none be cut?
  bool is_done() const { return next_ == units_.end(); }
  /// Gives the worker, which waits for a task, a unit to cut.
  void begin(ChannelMemory& channel);
  /// Reads the result of begin() if there is one.
  void read(const ChannelMemory& channel);
  bool is_busy() const { return is_busy_; }
  /// The worker ended before it had a result.
  void worker_ended();

  const std::list<Unit>& units() const { return units_; }

 private:
  using End = channel::SubtreeTask::End;
  void take(const std::string& gift);
  void choose_next();

  std::size_t wanted_;
  std::list<Unit> units_;
  std::list<Unit>::iterator next_;  ///< the unit to cut
  bool is_busy_ = false;
  std::uint32_t task_number_ = 0;
  std::uint64_t gifts_before_ = 0;
  std::size_t steps_ = 0;
  unsigned deaths_ = 0;  ///< one after the other, with the same unit
};

}  // namespace heddle::campaign
