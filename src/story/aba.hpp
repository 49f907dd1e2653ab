// ABA: a compare-exchange succeeds because a location has its old value again, although it had other values meanwhile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "story/execution_log.hpp"

namespace heddle::story {

struct Aba {
  EventNumber read;                  ///< of the value that the exchange expects
  EventNumber exchange;              ///< by the same thread
  std::vector<EventNumber> changes;  ///< writes of the location between the two, in modification order
  EventNumber outdated;              ///< a read of the thread: its value is what the exchange wrote
  std::optional<EventNumber> reuse;  ///< the write, or the free, that made `outdated` so
};

/// The first one that did harm: what the exchange wrote came from a read that was out of date by then.
std::optional<Aba> find_aba(const ExecutionLog& log);

/// "ABA: `head` was pointer A when ... read it, became ..., and became pointer A again ...".
std::string aba_text(const ExecutionLog& log, const Aba& aba);
std::string aba_advice(const ExecutionLog& log, const Aba& aba);

/// How a thread came to use a block of the heap that another thread frees: by a pointer that it loaded from an atomic.
struct PinnedPointer {
  EventNumber load;                    ///< by the thread that uses the block
  std::optional<EventNumber> removal;  ///< the write by which the other thread took the pointer out of the location
  bool is_exchanged = false;           ///< a compare-exchange of the location expects such pointers: ABA is possible
};

/// `use` and `free` are events of two threads on the block of the finding.
std::optional<PinnedPointer> find_pinned_pointer(const findings::Finding& finding, const ExecutionLog& log,
                                                 EventNumber use, EventNumber free);

}  // namespace heddle::story
