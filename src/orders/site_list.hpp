// The atomic operations of one or several programs, as a person edits them: all machine code that one place of the
// source became is one site, also if several programs contain it. A compare-exchange is two sites, since it has an
// order for success and one for failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "channel/site_order.hpp"
#include "findings/explanation.hpp"
#include "orders/lattice.hpp"
#include "orders/order_table.hpp"
#include "orders/program_sites.hpp"

namespace heddle::orders {

struct OrderSite {
  findings::SourcePlace place;  ///< line 0: code without debug information, at `offset` of the file `path`
  std::string path = {};
  std::uint64_t offset = 0;
  std::string wrapper = {};  ///< a function of the user's that `place` calls, and that makes the access
  SiteOperation operation = SiteOperation::load;
  std::vector<bool> programs = {};  ///< which of them have it

  // What the executions of count() have shown.
  std::uint64_t executed = 0;
  bool is_shared = false;         ///< several threads accessed the variable in one execution
  std::uint32_t orders_seen = 0;  ///< a bit for each graph::MemoryOrder that was passed

  /// The order in the source, as it takes effect. Nothing: it was not executed, or the program computes the order and
  /// has passed several.
  std::optional<MemoryOrder> order() const;
  bool has_several_orders() const { return (orders_seen & (orders_seen - 1)) != 0; }
};

class SiteList {
 public:
  /// The sites of all programs, by file, line, column and operation.
  explicit SiteList(std::span<const ProgramSites* const> programs);

  const std::vector<OrderSite>& all() const { return sites_; }
  std::size_t size() const { return sites_.size(); }
  const OrderSite& operator[](std::size_t site) const { return sites_[site]; }

  /// Adds what a worker of the program has counted (ChannelMemory::site_orders).
  void count(std::span<const channel::SiteOrder> rows);
  /// The site with the operation whose call returns to this address of the file with this hash.
  std::optional<std::size_t> find(std::uint64_t module, std::uint64_t address, SiteOperation operation) const;
  /// The entry of --orders that gives the site an order, or adds a fence of this order before or after it.
  OrderChange change(std::size_t site, SiteOperation operation, MemoryOrder order) const;

 private:
  using Address = std::tuple<std::uint64_t, std::uint64_t, SiteOperation>;

  std::vector<OrderSite> sites_;
  std::map<Address, std::size_t> by_address_;
};

/// As reports name it: "load", "compare_exchange", "failed compare_exchange".
const char* name_of(SiteOperation operation);
/// "none" for a fence that is left out.
const char* name_of(MemoryOrder order);

}  // namespace heddle::orders
