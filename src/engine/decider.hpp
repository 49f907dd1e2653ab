// Who decides in an execution, and who hears of it. A strategy comes wrapped in decorators; where its terms allow it,
// they are left out: the one behind it all is asked, or a lottery drawn, and the recorder told.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fast_paths.hpp"
#include "base/random.hpp"
#include "strategies/strategy.hpp"
#include "trace/decisions.hpp"

namespace heddle::engine {

class Decider {
 public:
  void use(strategies::Strategy& strategy) { strategy_ = &strategy; }
  /// Where findings get their decisions; null: nobody knows them.
  void set_recorder(trace::Recorder* recorder) { recorder_ = recorder; }
  trace::Recorder* recorder() const { return recorder_; }

  /// The strategy has begun one.
  void begin_execution() {
    const bool is_recorded = strategy_ == recorder_;
    const strategies::Terms terms = !base::fast_paths ? strategies::Terms{strategy_}
                                    : is_recorded     ? recorder_->terms()
                                                      : strategy_->terms();
    interests_ = terms.interests;
    hears_of_events_ = interests_.executed || interests_.is_abandoned;
    innermost_ = terms.innermost;
    asked_ = base::fast_paths && is_recorded ? terms.innermost : nullptr;
    lottery_ = asked_ == nullptr ? nullptr : terms.lottery;
  }
  void end_execution(strategies::Outcome outcome) {
    if (interests_.end_execution) strategy_->end_execution(outcome);
  }

  /// The index of the option to take.
  std::uint32_t decide(const strategies::Choice& choice) {
    if (asked_ == nullptr) return strategy_->choose(choice);
    const std::uint32_t index = asked_->choose(choice);
    recorder_->note(choice.kind, choice.options.size(), index);
    return index;
  }
  bool has_lottery() const { return lottery_ != nullptr; }
  /// The same for a choice that is a lottery, if there is one.
  std::uint32_t draw(strategies::ChoiceKind kind, std::size_t options) {
    const auto index = static_cast<std::uint32_t>(lottery_->below(options));
    recorder_->note(kind, options, index);
    return index;
  }

  /// Which calls the strategy wants in this execution.
  strategies::Interests interests() const { return interests_; }
  void about_to_execute(graph::ThreadId thread, const strategies::PendingOperation& operation) {
    if (interests_.about_to_execute) strategy_->about_to_execute(thread, operation);
  }
  /// False: the execution is of no more use.
  bool executed(const graph::Event& event) {
    if (!hears_of_events_) return true;
    if (interests_.executed) innermost_->executed(event);
    return !interests_.is_abandoned || !strategy_->is_abandoned();
  }
  bool waits_for_ever(graph::ThreadId thread) const { return strategy_->waits_for_ever(thread); }
  void set_twin(graph::ThreadId thread, graph::ThreadId twin) { strategy_->set_twin(thread, twin); }

 private:
  strategies::Strategy* strategy_ = nullptr;
  strategies::Strategy* innermost_ = nullptr;
  strategies::Strategy* asked_ = nullptr;  ///< instead of strategy_, and the recorder told; null: nobody
  base::Random* lottery_ = nullptr;        ///< of the one that is asked
  trace::Recorder* recorder_ = nullptr;
  strategies::Interests interests_;
  bool hears_of_events_ = false;
};

}  // namespace heddle::engine
