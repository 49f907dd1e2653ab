#include "prediction/remedies.hpp"

#include <algorithm>

#include "models/descriptor.hpp"

namespace heddle::prediction {

namespace {

bool writes(AccessKind kind) { return kind != AccessKind::load; }
bool reads(AccessKind kind) { return kind != AccessKind::store; }

/// Whether the first access takes effect when a store leaves its buffer: its own, or the one that it reads.
bool starts_in_buffer(const PairKinds& pair) { return pair.first == AccessKind::store || pair.may_read_own; }

/// Whether the model may let the second access of the pair take effect before the first.
bool reorders(const PairKinds& pair, const models::ModelDescriptor& model) {
  if (pair.is_single) return false;
  const bool delays_store = starts_in_buffer(pair);
  if (pair.second == AccessKind::load) return model.reorders_loads || (delays_store && model.has_store_buffers);
  return delays_store && model.reorders_stores;
}

/// Of the conflicts of the cycle, those that are not from a write to a read of it.
std::size_t conflicts_without_communication(const std::vector<PairKinds>& cycle) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const PairKinds& next = cycle[(i + 1) % cycle.size()];
    count += writes(cycle[i].second) && reads(next.first) ? 0 : 1;
  }
  return count;
}

}  // namespace

std::vector<PairKinds> kinds_of(const strategies::Cycle& cycle, const std::vector<Label>& labels) {
  std::vector<PairKinds> kinds;
  for (std::uint32_t i = 0; i < cycle.size; ++i) {
    const strategies::CyclePair& pair = cycle.pairs[i];
    kinds.push_back({labels[pair.first].kind, labels[pair.second].kind, pair.is_single != 0,
                     labels[pair.first].may_read_own, labels[pair.first].may_read_others});
  }
  return kinds;
}

/// rc11 forbids cycles in program order and reads-from, and nothing else by the kinds of accesses alone. The order from
/// a write to a read is more than reads-from if the read may read a later write.
bool may_happen(const std::vector<PairKinds>& cycle, std::string_view name) {
  const models::ModelDescriptor& model = models::model_named(name);
  if (model.is_of_language)
    return std::any_of(cycle.begin(), cycle.end(), [](const PairKinds& pair) {
      return reads(pair.second) || writes(pair.first) || pair.may_read_others;
    });
  return std::any_of(cycle.begin(), cycle.end(), [&](const PairKinds& pair) { return reorders(pair, model); });
}

std::vector<Remedy> remedies_of(const std::vector<PairKinds>& cycle, std::string_view name) {
  const models::ModelDescriptor& model = models::model_named(name);
  std::vector<Remedy> remedies(cycle.size());
  if (model.is_of_language) {
    // One conflict without communication: release and acquire make the rest happens-before, which coherence respects.
    // More of them: fences between the accesses of each pair are ordered in a circle (psc).
    const bool has_fences = conflicts_without_communication(cycle) > 1;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const PairKinds& next = cycle[(i + 1) % cycle.size()];
      if (has_fences) {
        remedies[i].needs_fence = !cycle[i].is_single;
      } else if (writes(cycle[i].second) && reads(next.first)) {
        remedies[i].release_second = true;
        remedies[(i + 1) % cycle.size()].acquire_first = true;
      }
    }
    return remedies;
  }
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const PairKinds& pair = cycle[i];
    if (!reorders(pair, model)) continue;
    if (starts_in_buffer(pair) && pair.second == AccessKind::load)
      remedies[i].needs_fence = true;
    else if (starts_in_buffer(pair))
      remedies[i].release_second = true;
    else
      remedies[i].acquire_first = true;
  }
  return remedies;
}

std::vector<Remedy> remedies_of(const std::vector<PairKinds>& cycle, const std::vector<std::string>& models) {
  std::vector<Remedy> all(cycle.size());
  for (const std::string& model : models) {
    const std::vector<Remedy> remedies = remedies_of(cycle, model);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].needs_fence |= remedies[i].needs_fence;
      all[i].release_second |= remedies[i].release_second;
      all[i].acquire_first |= remedies[i].acquire_first;
    }
  }
  // A fence does what a release of the second access and an acquire of the first would do.
  for (Remedy& remedy : all)
    if (remedy.needs_fence) remedy = {.needs_fence = true};
  return all;
}

}  // namespace heddle::prediction
