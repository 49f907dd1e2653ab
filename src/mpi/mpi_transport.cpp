// Messages between ranks over MPI. Every call returns at once: MPI's blocking calls would spin on a processor that a
// worker could use.
#include <mpi.h>

#include <climits>
#include <cstdlib>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "transport/plugin.hpp"
#include "transport/transport.hpp"

namespace heddle::mpi {

namespace {

// MPI counts the bytes of a message with an int, so a long message is sent in pieces.
constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr int last_piece = 1, other_piece = 2;  // tags

class MpiTransport final : public transport::Transport {
 public:
  MpiTransport() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    pieces_.resize(static_cast<std::size_t>(size_));
  }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  void finish() override {
    for (Sending& sending : sending_) MPI_Wait(&sending.request, MPI_STATUS_IGNORE);
    sending_.clear();
    MPI_Finalize();
  }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
  }

 protected:
  void post(std::size_t to, std::shared_ptr<const std::string> bytes) override {
    for (std::size_t at = 0;; at += most_bytes) {
      const bool is_last = bytes->size() - at <= most_bytes;
      const std::size_t size = is_last ? bytes->size() - at : most_bytes;
      Sending& sending = sending_.emplace_back();
      sending.bytes = bytes;
      MPI_Isend(bytes->data() + at, static_cast<int>(size), MPI_BYTE, static_cast<int>(to),
                is_last ? last_piece : other_piece, MPI_COMM_WORLD, &sending.request);
      if (is_last) return;
    }
  }

  std::optional<transport::Message> poll() override {
    drop_sent();
    for (;;) {
      if (!is_receiving_ && !begin_receiving()) return std::nullopt;
      int is_done = 0;
      MPI_Test(&receiving_.request, &is_done, MPI_STATUS_IGNORE);
      if (is_done == 0) return std::nullopt;
      is_receiving_ = false;
      std::string& whole = pieces_[receiving_.from];
      if (whole.empty())
        whole = std::move(receiving_.bytes);
      else
        whole += receiving_.bytes;
      if (receiving_.is_last) return transport::Message{receiving_.from, std::exchange(whole, {})};
    }
  }

 private:
  struct Sending {
    std::shared_ptr<const std::string> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Receiving {
    std::size_t from = 0;
    bool is_last = true;
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool begin_receiving() {
    int has_message = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_message, &message, &status);
    if (has_message == 0) return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    receiving_.from = static_cast<std::size_t>(status.MPI_SOURCE);
    receiving_.is_last = status.MPI_TAG == last_piece;
    receiving_.bytes.assign(static_cast<std::size_t>(size), '\0');
    MPI_Imrecv(receiving_.bytes.data(), size, MPI_BYTE, &message, &receiving_.request);
    is_receiving_ = true;
    return true;
  }

  void drop_sent() {
    for (auto sending = sending_.begin(); sending != sending_.end();) {
      int is_done = 0;
      MPI_Test(&sending->request, &is_done, MPI_STATUS_IGNORE);
      sending = is_done != 0 ? sending_.erase(sending) : std::next(sending);
    }
  }

  int rank_ = 0;
  int size_ = 1;
  std::list<Sending> sending_;
  bool is_receiving_ = false;
  Receiving receiving_;
  std::vector<std::string> pieces_;  ///< by rank: of messages that are not complete
};

/// Settings that the user has not made.
void set_defaults() {
  // Open MPI would copy between processes with a system call that containers forbid, and warn each time. Messages here
  // are small.
  ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  // Between fork and exec, a worker makes system calls only.
  ::setenv("OMPI_MCA_mpi_warn_on_fork", "0", 0);
}

}  // namespace

}  // namespace heddle::mpi

extern "C" __attribute__((visibility("default"))) heddle::transport::Transport* heddle_open_transport(
    std::string& problem) {
  heddle::mpi::set_defaults();
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    problem = "MPI cannot be started; see what it printed";
    return nullptr;
  }
  return new heddle::mpi::MpiTransport();
}
