#pragma once

#include <optional>

#include "strategies/priorities.hpp"

namespace heddle::strategies {

class PctStrategy final : public Strategy {
 public:
  struct Parameters {
    std::optional<std::uint32_t> depth;   ///< d; nothing: drawn for every execution
    std::optional<std::uint32_t> length;  ///< k; nothing: drawn for every execution
  };
  static constexpr std::uint32_t max_depth = PrioritySchedule::max_points;

  PctStrategy(std::uint64_t seed, const Parameters& parameters, base::Arena& arena);

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  void executed(const graph::Event& event) override { schedule_.executed(event); }

  const PrioritySchedule& schedule() const { return schedule_; }

 private:
  std::uint64_t seed_;
  Parameters parameters_;
  PrioritySchedule schedule_;
};

}  // namespace heddle::strategies
