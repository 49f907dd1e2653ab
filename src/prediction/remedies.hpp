// Which cycles a model may allow, and what forbids one: fences and memory orders. The rules follow from what the models
// reorder (docs/store-buffers.md) and, for rc11, from its axioms.
#pragma once

#include <string_view>
#include <vector>

#include "prediction/access_labels.hpp"
#include "strategies/cycle.hpp"

namespace heddle::prediction {

struct PairKinds {
  AccessKind first = AccessKind::load;
  AccessKind second = AccessKind::load;
  bool is_single = false;
  bool may_read_own = false;     ///< the first access may read a store of its thread from the buffer, and be as late
  bool may_read_others = false;  ///< the first access may read another write than the one before it in the cycle
};
std::vector<PairKinds> kinds_of(const strategies::Cycle& cycle, const std::vector<Label>& labels);

/// False: the model orders the accesses of every pair, whatever their memory orders are, so no execution has the cycle.
bool may_happen(const std::vector<PairKinds>& cycle, std::string_view model);

/// What to change at one pair.
struct Remedy {
  bool needs_fence = false;     ///< a seq_cst fence between the two accesses
  bool release_second = false;  ///< memory order release for the second access
  bool acquire_first = false;   ///< memory order acquire for the first access
};
/// One for each pair. Together they forbid the cycle under the model. Releases and acquires for rc11 forbid it if each
/// load of the cycle reads the store before it in the cycle; fences forbid it in any case.
std::vector<Remedy> remedies_of(const std::vector<PairKinds>& cycle, std::string_view model);
/// What forbids the cycle under all of the models.
std::vector<Remedy> remedies_of(const std::vector<PairKinds>& cycle, const std::vector<std::string>& models);

}  // namespace heddle::prediction
