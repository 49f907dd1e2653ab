// A witness (orders/witness.hpp) from the record of an execution with a bug.
#pragma once

#include <optional>

#include "findings/finding.hpp"
#include "findings/module_map.hpp"
#include "orders/site_list.hpp"
#include "orders/witness.hpp"
#include "story/log_records.hpp"

namespace heddle::session {

/// The dimension of each site of a list; orders::no_dimension: its order does not change.
using SiteDimensions = std::vector<std::uint32_t>;

/// Nothing: the execution is too long, or its bug cannot be found in the record.
std::optional<orders::Witness> make_witness(const findings::Finding& finding, const story::LogRecords& records,
                                            const findings::ModuleMap& modules, const orders::SiteList& sites,
                                            const SiteDimensions& dimensions);

}  // namespace heddle::session
