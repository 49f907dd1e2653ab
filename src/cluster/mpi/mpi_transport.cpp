// Messages between ranks over MPI. Every call returns at once: MPI's blocking calls would spin on a processor that a
// worker could use.
#include <mpi.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/mpi/mpi_settings.hpp"
#include "cluster/transport/transport.hpp"

namespace heddle::mpi {

namespace {

// A message is sent in pieces. MPI sends a small piece at once. For a large one, sender and receiver have to agree
// first and copy in steps, each of which waits until the other rank looks at the network again. A very long message
// takes time anyway, and many small pieces would take more. MPI counts bytes with an int.
#ifdef OPEN_MPI
constexpr std::size_t small_piece = 32'000;  // cluster/mpi/mpi_settings.hpp raises the limit
#else
constexpr std::size_t small_piece = 4000;
#endif
constexpr std::size_t most_in_small_pieces = std::size_t{1} << 20;
constexpr std::size_t likely_size = std::size_t{1} << 17;  // of a message of several pieces
constexpr std::size_t large_piece = std::size_t{1} << 30;
constexpr int last_piece = 1, other_piece = 2;  // tags

/// Where a rank runs: two ranks can send signals to each other if they agree in all but `process`.
struct Place {
  std::uint64_t machine = 0;
  std::uint64_t process_names = 0;  ///< the name space of process numbers
  std::int64_t process = 0;

  bool is_beside(const Place& other) const {
    return machine != 0 && machine == other.machine && process_names == other.process_names;
  }
};

Place own_place() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat names {};
  if (boot.empty() || ::stat("/proc/self/ns/pid", &names) != 0) return {};
  return {std::max<std::uint64_t>(std::hash<std::string>{}(boot), 1), names.st_ino, ::getpid()};
}

/// Has the user chosen how MPI sends messages within a machine? Over shared memory, a message has arrived when its
/// sender sends the signal. Over a network device it may arrive later, and need the sender's help.
bool uses_other_devices() {
  for (const char* name : {"OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_mtl", "MPIR_CVAR_NOLOCAL"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

class MpiTransport final : public transport::Transport {
 public:
  MpiTransport() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    pieces_.resize(static_cast<std::size_t>(size_));
    places_.resize(static_cast<std::size_t>(size_));
    const Place own = own_place();
    MPI_Allgather(&own, sizeof own, MPI_BYTE, places_.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    has_signals_ = !uses_other_devices() && std::all_of(places_.begin(), places_.end(),
                                                        [&](const Place& place) { return own.is_beside(place); });
    for (Place& place : places_)
      if (!own.is_beside(place)) place.process = 0;
    places_[rank()].process = 0;
  }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  bool is_busy() const override { return is_receiving_ || !sending_.empty(); }
  bool all_send_signals() const override { return has_signals_; }

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
    const std::size_t most = bytes->size() <= most_in_small_pieces ? small_piece : large_piece;
    for (std::size_t at = 0;; at += most) {
      const bool is_last = bytes->size() - at <= most;
      const std::size_t size = is_last ? bytes->size() - at : most;
      Sending sending{bytes, to};
      MPI_Isend(bytes->data() + at, static_cast<int>(size), MPI_BYTE, static_cast<int>(to),
                is_last ? last_piece : other_piece, MPI_COMM_WORLD, &sending.request);
      if (!sending_.empty() || !is_done(sending.request)) sending_.push_back(std::move(sending));
      if (is_last) break;
    }
    wake(to);
  }

  std::optional<transport::Message> poll() override {
    drop_sent();
    for (;;) {
      if (!is_receiving_ && !begin_receiving()) return std::nullopt;
      if (!is_done(receiving_.request)) return std::nullopt;
      is_receiving_ = false;
      if (receiving_.is_last) return transport::Message{receiving_.from, std::exchange(pieces_[receiving_.from], {})};
    }
  }

 private:
  struct Sending {
    std::shared_ptr<const std::string> bytes;
    std::size_t to;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  struct Receiving {
    std::size_t from = 0;
    bool is_last = true;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool begin_receiving() {
    int has_message = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    // If it finds none, Open MPI looks at the network afterwards. The second call returns what arrived.
    for (int attempt = 0; attempt < 2 && has_message == 0; ++attempt)
      MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_message, &message, &status);
    if (has_message == 0) return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    receiving_.from = static_cast<std::size_t>(status.MPI_SOURCE);
    receiving_.is_last = status.MPI_TAG == last_piece;
    std::string& whole = pieces_[receiving_.from];
    const std::size_t before = whole.size();
    if (before == 0 && !receiving_.is_last) whole.reserve(likely_size);
    whole.resize(before + static_cast<std::size_t>(size));
    MPI_Imrecv(whole.data() + before, size, MPI_BYTE, &message, &receiving_.request);
    is_receiving_ = true;
    return true;
  }

  static bool is_done(MPI_Request& request) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }

  /// In order, so that a long list costs one look.
  void drop_sent() {
    while (!sending_.empty() && is_done(sending_.front().request)) {
      const std::size_t to = sending_.front().to;
      sending_.pop_front();
      if (sending_.empty() || sending_.front().to != to) wake(to);
    }
  }

  /// Ends the sleep of a rank that has a message now, if it runs on this machine.
  void wake(std::size_t rank) const {
    if (places_[rank].process != 0) ::kill(static_cast<pid_t>(places_[rank].process), SIGCHLD);
  }

  int rank_ = 0;
  int size_ = 1;
  std::vector<Place> places_;  ///< by rank; `process` is 0 if this rank cannot send it a signal
  bool has_signals_ = false;
  std::deque<Sending> sending_;
  bool is_receiving_ = false;
  Receiving receiving_;
  std::vector<std::string> pieces_;  ///< by rank: of messages that are not complete
};

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
