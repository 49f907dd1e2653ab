#include "campaign/worker_pool.hpp"

#include "campaign/workers/signal_watch.hpp"

namespace heddle::campaign {

namespace {

class ProcessPool final : public WorkerPool {
 public:
  Result<std::unique_ptr<WorkerHandle>> start(std::size_t /*slot*/, const Launch& launch,
                                              const channel::Request& request, std::string_view decisions,
                                              const LearningRounds& rounds) override {
    return WorkerProcess::start(launch, request, decisions, [&](ChannelMemory& channel) { rounds.announce(channel); });
  }
  bool wait(std::chrono::microseconds longest, WorkHere /*work*/) override { return signals_.wait(longest); }
  Outcome poll() override { return {}; }
  void send(const LearningRounds& /*rounds*/) override {}

 private:
  SignalWatch signals_;
};

}  // namespace

std::size_t number_of_places(const Settings& settings) {
  return settings.places == nullptr ? 1 : settings.places->count();
}

std::unique_ptr<WorkerPool> make_pool(const Settings& settings, std::size_t workers) {
  if (settings.places != nullptr) return settings.places->make_pool(workers, settings.run.jobs);
  return std::make_unique<ProcessPool>();
}

}  // namespace heddle::campaign
