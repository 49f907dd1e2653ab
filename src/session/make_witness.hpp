// A witness (orders/witness.hpp) from the record of an execution with a bug.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "findings/finding.hpp"
#include "findings/module_map.hpp"
#include "orders/site_list.hpp"
#include "orders/witness.hpp"
#include "story/log_records.hpp"

namespace heddle::session {

/// The dimensions of a site; orders::no_dimension: that does not change.
struct DimensionsOfSite {
  std::uint32_t order = orders::no_dimension;
  std::uint32_t fence_before = orders::no_dimension;
  std::uint32_t fence_after = orders::no_dimension;
};
/// By site.
using SiteDimensions = std::vector<DimensionsOfSite>;

/// Nothing: the execution is too long, or its bug cannot be found in the record.
std::optional<orders::Witness> make_witness(const findings::Finding& finding, const story::LogRecords& records,
                                            const findings::ModuleMap& modules, const orders::SiteList& sites,
                                            const SiteDimensions& dimensions);

}  // namespace heddle::session
