// How a model treats stores, for recordings of executions.
#pragma once

#include "models/memory_model.hpp"
#include "strategies/recording.hpp"

namespace heddle::memory {

inline strategies::StoreRule store_rule(const models::MemoryModel& model, const models::ModelState& state) {
  if (state.buffers_stores()) return strategies::StoreRule::buffered;
  if (model.stores_are_immediate()) return strategies::StoreRule::immediate;
  // A model without a search over graphs has axioms about the order of the seq_cst events.
  return model.for_exploration() == nullptr ? strategies::StoreRule::in_sc_order : strategies::StoreRule::free;
}

}  // namespace heddle::memory
