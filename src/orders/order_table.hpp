// Memory orders for places in a program, as --orders takes them:
//
//   ring.hpp:50=release                 the operations at this line, if they can have this order
//   ring.hpp:50:14/store=release        the store at this line and column
//   ring.hpp:61/cas=acq_rel             a compare-exchange that succeeds; cas-failure: one that fails
//   ring.hpp:70/fence=none              without the fence
//   ring.hpp:72/before=seq_cst          a fence before the operation; after: behind it
//   libring.so+0x1a2c/store=release     code without debug information: the file, and where the call returns to
//
// Entries are separated by commas. A file is named by its path or by the end of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "channel/site_order.hpp"
#include "orders/program_sites.hpp"

namespace heddle::orders {

struct OrderChange {
  std::string file;
  unsigned line = 0;                                ///< 0: code without debug information
  unsigned column = 0;                              ///< 0: any
  std::optional<channel::SiteOperation> operation;  ///< nothing: all that can have the order
  graph::MemoryOrder order = graph::MemoryOrder::relaxed;
  std::uint64_t offset = 0;  ///< without a line: in the file
};

Result<std::vector<OrderChange>> parse_orders(std::string_view text);
/// What parse_orders() reads.
std::string text_of(const std::vector<OrderChange>& changes);

/// Whether an operation can have the order: a load cannot release.
bool can_have(channel::SiteOperation operation, graph::MemoryOrder order);

/// The entries for a worker. A change of a place that has no such operation is a problem.
Result<std::vector<channel::SiteOrder>> find_sites(const std::vector<OrderChange>& changes, const ProgramSites& sites);

/// Adds an entry for each operation of the program that the table does not change.
void add_counted(const ProgramSites& sites, std::vector<channel::SiteOrder>& table);

}  // namespace heddle::orders
