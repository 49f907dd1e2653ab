// How the processes of one campaign, the ranks, exchange messages. Messages are bytes. Those from one rank to another
// arrive in the order in which they were sent. No call waits for another rank, except finish().
//
// A rank that gets a message from another process of the same machine gets a SIGCHLD, too, so it can sleep until then.
// Outside of campaigns the signal has no effect.
//
// An implementation for MPI is in src/cluster/mpi/. It is a plugin, so that heddle itself does not link MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace heddle::transport {

struct Message {
  std::size_t from = 0;  ///< rank
  std::string bytes;
};

/// What a rank has exchanged so far.
struct Traffic {
  std::uint64_t messages_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_received = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;  ///< the number of ranks

  /// Several ranks may get the same bytes without copies of them.
  void send(std::size_t to, std::shared_ptr<const std::string> bytes);
  /// Has a message arrived? Lets messages that were sent make progress, so it is to be called often.
  bool has_message();
  /// The next message; nothing: none has arrived.
  std::optional<Message> receive();
  /// Is a message on its way that needs has_message() to be called, by this rank, to make progress?
  virtual bool is_busy() const = 0;
  /// Do all ranks run on this machine? Then no message comes without a signal.
  virtual bool all_send_signals() const = 0;
  const Traffic& traffic() const { return traffic_; }

  /// Waits until all messages that were sent are on their way, and ends the communication. Every rank calls it once.
  virtual void finish() = 0;
  /// Ends all ranks.
  [[noreturn]] virtual void abort(int exit_code) = 0;

 protected:
  virtual void post(std::size_t to, std::shared_ptr<const std::string> bytes) = 0;
  virtual std::optional<Message> poll() = 0;

 private:
  Traffic traffic_;
  std::optional<Message> next_;
};

/// The function that a plugin has. Returns null, and sets `problem` to a sentence, if MPI cannot be started.
using OpenTransport = Transport*(std::string& problem);
inline constexpr const char* open_function = "heddle_open_transport";

}  // namespace heddle::transport
