// What the scheduler knows of compaction: when the next pass is due (engine/compactor.hpp).
#pragma once

#include <cstddef>

namespace heddle::engine {

class Compaction {
 public:
  /// The number of events from which on run() has something to do.
  std::size_t next_pass_at() const { return next_pass_at_; }
  /// Called between two operations of the current thread. Cuts the execution off if too much has to be kept.
  virtual void run() = 0;

 protected:
  ~Compaction() = default;

  std::size_t next_pass_at_ = ~std::size_t{0};
};

}  // namespace heddle::engine
