// The memory of the program outside the stack of a thread, for the emulation of the thread's code.
#pragma once

#include <span>

#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/threads/local_state.hpp"
#include "engine/threads/retry_window.hpp"
#include "machine/state.hpp"

namespace heddle::engine {

class ProgramMemory final : public machine::OuterMemory {
 public:
  ProgramMemory(const Modules& modules, const Heap& heap, LocalState& local_state)
      : modules_(modules), heap_(heap), local_state_(local_state) {}

  bool read(std::uint64_t address, void* to, std::size_t size) const override;
  bool has_changed(std::uint64_t address, std::size_t size) const override;
  bool is_constant(std::uint64_t address) const override;
  bool is_program_code(std::uint64_t address) const override;
  std::uint32_t dead_registers(std::uint64_t return_address) const override {
    return local_state_.dead_registers(return_address);
  }
  /// What was read of memory that is not constant, since forget_reads().
  struct Read {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
    std::uint32_t size = 0;
  };
  static constexpr std::uint32_t most_reads = 4;
  void forget_reads() { read_count_ = 0; }
  std::span<const Read> reads() const { return {reads_, read_count_}; }
  bool has_noted_all_reads() const { return read_count_ <= most_reads; }

  void set_changed(std::span<const RetryWindow::Write> changed) { changed_ = changed; }

 private:
  const Modules& modules_;
  const Heap& heap_;
  LocalState& local_state_;
  std::span<const RetryWindow::Write> changed_;
  mutable Read reads_[most_reads + 1];
  mutable std::uint32_t read_count_ = 0;  ///< most_reads + 1: there were more
  mutable Range code_;                    ///< of the module that is_program_code() found last
};

}  // namespace heddle::engine
