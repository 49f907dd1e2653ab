// What driver and worker tell each other about the exhaustive search. The search is a tree, and a task is a part of it:
// a subtree, as bytes (exploration/subtree.hpp). The bytes mean nothing to the driver.
//
//   driver  writes a task while the worker waits: its bytes at task_offset, the gifts that an earlier worker made of it
//           at task_gifts_offset, and then moves `number`, on which the worker sleeps. An empty task is the whole
//           search. It also empties the list of findings, so that all findings in it are of this task.
//   worker  explores it. It answers `command` after each run, and at the end writes why it ended, moves `ended` to the
//           task's number, sends SIGCHLD to the driver, and waits for the next task.
//   gifts   asked by Command::give, the worker takes what it would explore last out of its task, writes that to
//           gift_offset, and moves `gifts`. The driver copies it, and resets the command. Then it is a task of its own.
//           If the worker dies, another one gets the same task with the list of its gifts, and makes and discards the
//           same gifts after the same runs: what is left is what the first worker had left.
//
// Executions have the numbers 0, 1, 2, ... within a task, abandoned ones included.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/exact_sum.hpp"

namespace heddle::channel {

/// After `runs` executions of the task, the worker gave at least `least` branches away.
struct GiftRecord {
  std::uint64_t runs;
  std::uint64_t least;
};

struct SubtreeTask {
  enum class Command : std::uint32_t {
    none,
    give,  ///< give a part away
    drop,  ///< end the task: its results are not needed
  };
  enum class End : std::uint32_t {
    explored,
    bug,    ///< an execution had a bug, and the search is to stop there
    limit,  ///< most_runs
    dropped,
  };

  // Written by the driver:
  std::atomic<std::uint32_t> number;  ///< of the task, from 1
  std::atomic<Command> command;
  std::uint64_t size;         ///< bytes at task_offset
  std::uint64_t gifts_known;  ///< GiftRecords at task_gifts_offset
  std::uint64_t most_runs;    ///< the task ends after so many executions
  std::uint64_t least;        ///< Command::give: the least number of branches

  // Written by the worker:
  std::atomic<std::uint32_t> ended;  ///< the number of the last task that has ended
  End end;                           ///< of that task
  std::atomic<std::uint64_t> runs;   ///< executions of the task so far, abandoned ones included
  std::atomic<std::uint64_t> gifts;  ///< how often the worker has answered Command::give, in all its tasks
  std::uint64_t gift_size;           ///< bytes at gift_offset
  std::uint64_t gift_runs;           ///< `runs` at that time
  double gift_share;                 ///< estimated, of the whole search
  base::ExactSum explored;           ///< the explored part, of the whole search: valid when the task has ended
};

}  // namespace heddle::channel
