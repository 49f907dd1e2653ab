// A cycle as a worker needs it: labels with the places in the code that have them. A trace keeps it as text, so that a
// replay can judge the execution again.
//
// The text is "NAME PAIR ... SITES ...": the name in hexadecimal, each pair as "0-1", or "0" if it is one access, then
// for each label "0=SITE,SITE", in hexadecimal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prediction/access_labels.hpp"
#include "strategies/cycle_table.hpp"

namespace heddle::prediction {

struct DirectedCycle {
  strategies::Cycle cycle;
  std::uint64_t name = 0;
  std::vector<std::vector<std::uint64_t>> sites;  ///< by label

  bool operator==(const DirectedCycle&) const = default;
};

/// With labels numbered anew, from 0.
DirectedCycle directed_cycle(const strategies::Cycle& cycle, const std::vector<Label>& labels);
std::string to_text(const DirectedCycle& cycle);
/// Nothing if the text is no cycle.
std::optional<DirectedCycle> parse_cycle(std::string_view text);

/// Makes the table of a run that is directed to these cycles. The caller sets trials and executions.
void write_table(const std::vector<strategies::Cycle>& cycles, const std::vector<Label>& labels,
                 strategies::CycleTable& table);
/// Makes the table of a replay: the one cycle, whatever the number of the execution is.
void write_table(const DirectedCycle& cycle, strategies::CycleTable& table);

}  // namespace heddle::prediction
