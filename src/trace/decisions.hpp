// The decisions of one execution, and the decorators that write them down, repeat them, and check that a
// repetition meets the same choices again.
//
// Bytes of a decision list: per decision, in order, three varints: kind, number of options, index taken.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "strategies/strategy.hpp"

namespace heddle::trace {

struct Decision {
  strategies::ChoiceKind kind;
  std::uint32_t options;
  std::uint32_t index;
};

/// Appends the bytes of `decisions` to `out`, which lives in `arena`.
void encode_decisions(std::span<const Decision> decisions, base::Arena& arena, base::ArenaVector<std::uint8_t>& out);
/// Nothing if the bytes are not a decision list.
std::optional<base::ArenaVector<Decision>> decode_decisions(std::span<const std::uint8_t> bytes, base::Arena& arena);

/// Writes down what the inner strategy decides.
class Recorder final : public strategies::Strategy {
 public:
  Recorder(strategies::Strategy& inner, base::Arena& arena) : inner_(inner), arena_(arena) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  strategies::Interests interests() const override { return inner_.interests(); }
  void about_to_execute(graph::ThreadId thread, const strategies::PendingOperation& operation) override {
    inner_.about_to_execute(thread, operation);
  }
  void executed(const graph::Event& event) override { inner_.executed(event); }
  bool is_abandoned() const override { return inner_.is_abandoned(); }
  bool waits_for_ever(graph::ThreadId thread) const override { return inner_.waits_for_ever(thread); }
  void set_twin(graph::ThreadId thread, graph::ThreadId twin) override { inner_.set_twin(thread, twin); }
  std::uint64_t escapes() const override { return inner_.escapes(); }
  strategies::Portfolio* portfolio() override { return inner_.portfolio(); }
  void end_execution(strategies::Outcome outcome) override { inner_.end_execution(outcome); }

  /// All of them, unpacked into `arena`.
  std::span<const Decision> decisions(base::Arena& arena) const;
  std::size_t count() const { return count_; }

 private:
  strategies::Strategy& inner_;
  // Long executions make very many decisions, nearly all among a few options: those take one byte, and storage comes in
  // blocks, so that growing leaves nothing behind.
  void record(const Decision& decision);
  static constexpr std::size_t block_size = 1 << 14;
  struct Block {
    std::uint8_t bytes[block_size];
  };
  void put(std::uint8_t byte) {
    if (size_ == blocks_.size() * block_size)
      blocks_.push_back(arena_, static_cast<Block*>(arena_.allocate(sizeof(Block), alignof(Block))));
    blocks_[size_ / block_size]->bytes[size_ % block_size] = byte;
    ++size_;
  }
  std::uint8_t get(std::size_t at) const { return blocks_[at / block_size]->bytes[at % block_size]; }

  base::Arena& arena_;  ///< outlives executions; the storage is used again and again
  base::ArenaVector<Block*> blocks_;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
};

/// Repeats a decision list. Where the execution offers another choice than the one written down, or goes on
/// after the list's end, the program did not behave as before: `diverged_at` tells where, and the rest of the
/// execution takes the first option each time.
class Replayer final : public strategies::Strategy {
 public:
  explicit Replayer(std::span<const Decision> decisions) : decisions_(decisions) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;

  std::optional<std::size_t> diverged_at() const { return diverged_at_; }
  bool used_all() const { return next_ == decisions_.size(); }

 private:
  std::span<const Decision> decisions_;
  std::size_t next_ = 0;
  std::optional<std::size_t> diverged_at_;
};

/// Compares the choices of an execution with those of the one before it, by a fingerprint of all that a choice
/// offers. For pairs of executions that must be alike: the second of a pair reports where it differs.
class NondeterminismCheck final : public strategies::Strategy {
 public:
  NondeterminismCheck(strategies::Strategy& inner, base::Arena& arena) : inner_(inner), arena_(arena) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  strategies::Interests interests() const override { return inner_.interests(); }
  void about_to_execute(graph::ThreadId thread, const strategies::PendingOperation& operation) override {
    inner_.about_to_execute(thread, operation);
  }
  void executed(const graph::Event& event) override { inner_.executed(event); }
  bool is_abandoned() const override { return inner_.is_abandoned(); }
  bool waits_for_ever(graph::ThreadId thread) const override { return inner_.waits_for_ever(thread); }
  void set_twin(graph::ThreadId thread, graph::ThreadId twin) override { inner_.set_twin(thread, twin); }
  std::uint64_t escapes() const override { return inner_.escapes(); }
  strategies::Portfolio* portfolio() override { return inner_.portfolio(); }
  void end_execution(strategies::Outcome outcome) override;

  /// The first choice that differed in the newest execution, if any did.
  std::optional<std::size_t> differs_at() const { return differs_at_; }

 private:
  strategies::Strategy& inner_;
  base::Arena& arena_;
  // Beyond so many choices, one fingerprint stands for all the rest.
  static constexpr std::size_t most_kept = 1 << 20;
  base::ArenaVector<std::uint64_t> previous_;
  base::ArenaVector<std::uint64_t> current_;
  bool has_previous_ = false;
  std::optional<std::size_t> differs_at_;
};

}  // namespace heddle::trace
