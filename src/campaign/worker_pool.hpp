// Where the workers of a campaign run. The campaign starts workers in its slots, reads and writes their channels, and
// calls poll() before and send() after each step: a pool whose workers are not processes of this machine keeps copies
// of their channels, and brings both sides up to date then.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "campaign/learning/learning_rounds.hpp"
#include "campaign/settings.hpp"
#include "campaign/workers/worker_handle.hpp"
#include "campaign/workers/worker_process.hpp"

namespace heddle::campaign {

/// What workers of this machine do.
enum class WorkHere : std::uint8_t {
  sampling,
  searching,  ///< parts of the search may move between workers at any time
  none,       ///< all of them wait
};

class WorkerPool {
 public:
  /// All workers have been destroyed.
  virtual ~WorkerPool() = default;

  /// Starts the worker of a slot. `decisions` are those of the execution that it replays, if any.
  virtual Result<std::unique_ptr<WorkerHandle>> start(std::size_t slot, const Launch& launch,
                                                      const channel::Request& request, std::string_view decisions,
                                                      const LearningRounds& rounds) = 0;
  /// Waits until something happens, or `longest` has passed. Returns whether the user asked to stop.
  virtual bool wait(std::chrono::microseconds longest, WorkHere work) = 0;
  /// Brings the channels up to date. Returns a problem that ends the campaign.
  virtual Outcome poll() = 0;
  /// Passes on what the campaign has written to channels and told to workers since the last call.
  virtual void send(const LearningRounds& rounds) = 0;
  /// Whether WorkerHandle::wants_recordings() may find recordings.
  virtual bool keeps_recordings() const { return false; }
};

/// The places whose workers a command can use, each with --jobs of them, in the order of the slots.
class WorkerPlaces {
 public:
  virtual ~WorkerPlaces() = default;
  virtual std::size_t count() const = 0;
  /// For one campaign, with so many workers.
  virtual std::unique_ptr<WorkerPool> make_pool(std::size_t workers, std::size_t jobs) = 0;
};

std::size_t number_of_places(const Settings& settings);
/// That of settings.places. Without places, workers are processes of this machine.
std::unique_ptr<WorkerPool> make_pool(const Settings& settings, std::size_t workers);

}  // namespace heddle::campaign
