// A campaign on several ranks, the processes that MPI starts together. Rank 0 is the driver. Every other rank hosts
// workers for it (cluster/worker_host.hpp): it starts them, watches them, and reports what they write to their
// channels. Rank 0 has a mirror of each channel (cluster/channel_report.hpp), so that workers on other ranks are
// workers like its own: executions are dealt to them by number, rounds and tasks are given to them, and the result does
// not depend on where they run.
//
// Messages consist of records, each with the number of a worker. Messages between two ranks keep their order. A
// broadcast passes from rank to rank along a tree, so a message from rank 0 itself can overtake it: a rank holds back
// messages for a round that it does not know yet.
//
//   rank 0 to a rank      hello      what is tested; the rank answers with `ready`
//                         start      start a worker: its request
//                         control    the end of its executions, the gate, whether to stop
//                         task       a part of an exhaustive search
//                         command    what to do with that task
//                         recordings recorded executions that the rank has kept are needed; it answers with those
//                         kill       end its process
//                         release    end its process, and forget it
//   rank 0 to all ranks   round      the executions of a round, its plan, and what is new in the corpus
//                         quit
//   a rank to rank 0      ready      its host, or why it cannot take part
//                         report     what a worker has written to its channel
//                         recordings the answer
//                         ended      how the worker's process ended, after its last report
//                         problem    a worker cannot be started
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/state/state_bytes.hpp"
#include "campaign/worker_pool.hpp"
#include "cluster/transport/transport.hpp"

namespace heddle::cluster {

using campaign::BadValue;
using campaign::StateReader;
using campaign::StateWriter;

enum class RankRecord : std::uint8_t {
  hello,
  start,
  control,
  task,
  command,
  recordings,
  kill,
  release,
  round,
  quit,
  ready,
  report,
  ended,
  problem,
};

/// How a message continues from a rank that received it.
enum class MessageRoute : std::uint8_t { direct, broadcast };

/// The beginning of a message from rank 0.
struct MessageHead {
  MessageRoute route = MessageRoute::direct;
  std::uint32_t campaign = 0;  ///< that the message belongs to; 0: none
  std::uint32_t round = 0;     ///< direct: the rank needs this round first. A broadcast: the round that it begins
};

/// Sends to the ranks below this one in the tree of broadcasts. The bytes begin with MessageRoute::broadcast.
void pass_on(transport::Transport& transport, const std::shared_ptr<const std::string>& bytes);

/// What all ranks must agree on.
struct Mission {
  std::string version;                 ///< of heddle
  std::vector<std::string> arguments;  ///< of the command
  std::string program_name;
  std::string build_id;
  std::vector<std::string> program_arguments;
};

/// Rank 0's view of the ranks, for all campaigns of one command.
class Ranks final : public campaign::WorkerPlaces {
 public:
  explicit Ranks(transport::Transport& transport) : transport_(transport) {}
  /// Ends the other ranks.
  ~Ranks() override;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Tells the other ranks what is tested, and waits for their answers.
  Outcome begin(const Mission& mission);

  transport::Transport& transport() { return transport_; }
  std::size_t count() const override { return transport_.size(); }
  std::unique_ptr<campaign::WorkerPool> make_pool(std::size_t workers, std::size_t jobs) override;
  const std::string& host(std::size_t rank) const { return hosts_[rank]; }
  std::uint32_t next_worker() { return ++last_worker_; }
  std::uint32_t next_campaign() { return ++last_campaign_; }

 private:
  Outcome read_answer(const transport::Message& message);

  transport::Transport& transport_;
  std::vector<std::string> hosts_;
  std::uint32_t last_worker_ = 0;
  std::uint32_t last_campaign_ = 0;
};

std::string host_name();

}  // namespace heddle::cluster
