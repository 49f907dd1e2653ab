#include "orders/site_list.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <string_view>

#include "graph/order_names.hpp"

namespace heddle::orders {

namespace {

/// What one site of the source has in common.
auto key_of(const OrderSite& site) {
  return std::tie(site.place.file, site.place.line, site.place.column, site.path, site.offset, site.operation);
}

/// The shortest end of the path, from a folder on, that no other path has.
std::string short_path(const std::string& path, const std::set<std::string>& all) {
  const auto is_unique = [&](std::string_view end) {
    return std::count_if(all.begin(), all.end(), [&](const std::string& other) {
             return other.ends_with(end) && (other.size() == end.size() || other[other.size() - end.size() - 1] == '/');
           }) == 1;
  };
  for (std::size_t slash = path.rfind('/'); slash != path.npos && slash != 0; slash = path.rfind('/', slash - 1))
    if (is_unique(std::string_view(path).substr(slash + 1))) return path.substr(slash + 1);
  return path;
}

}  // namespace

std::optional<MemoryOrder> OrderSite::order() const {
  if (orders_seen == 0 || has_several_orders()) return std::nullopt;
  return effective(operation, static_cast<MemoryOrder>(std::countr_zero(orders_seen)));
}

SiteList::SiteList(std::span<const ProgramSites* const> programs) {
  struct Found {
    OrderSite site;
    Address address;
    std::size_t program;
  };
  std::vector<Found> found;
  for (std::size_t program = 0; program < programs.size(); ++program)
    for (const AtomicSite& site : programs[program]->all())
      for (std::size_t i = 0; i <= static_cast<std::size_t>(SiteOperation::fence); ++i) {
        const auto operation = static_cast<SiteOperation>(i);
        if (!site.operations.has(operation)) continue;
        OrderSite listed;
        listed.place = site.place;
        listed.wrapper = site.wrapper;
        listed.operation = operation;
        if (site.place.line == 0) {
          listed.path = site.path;
          listed.offset = site.address;
        }
        found.push_back({std::move(listed), {site.module, site.address, operation}, program});
      }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return key_of(a.site) < key_of(b.site); });
  for (Found& one : found) {
    if (sites_.empty() || key_of(sites_.back()) != key_of(one.site)) {
      sites_.push_back(std::move(one.site));
      sites_.back().programs.resize(programs.size());
    }
    sites_.back().programs[one.program] = true;
    by_address_[one.address] = sites_.size() - 1;
  }
}

void SiteList::count(std::span<const channel::SiteOrder> rows) {
  for (const channel::SiteOrder& row : rows) {
    const auto found = by_address_.find({row.module, row.address, row.operation});
    if (found == by_address_.end()) continue;
    OrderSite& site = sites_[found->second];
    site.executed += row.executed;
    site.is_shared |= row.is_shared;
    site.orders_seen |= row.orders_seen;
  }
}

std::optional<std::size_t> SiteList::find(std::uint64_t module, std::uint64_t address, SiteOperation operation) const {
  const auto found = by_address_.find({module, address, operation});
  if (found == by_address_.end()) return std::nullopt;
  return found->second;
}

OrderChange SiteList::change(std::size_t index, SiteOperation operation, MemoryOrder order) const {
  const OrderSite& site = sites_[index];
  std::set<std::string> files;
  for (const OrderSite& other : sites_) files.insert(other.place.line != 0 ? other.place.file : other.path);
  OrderChange change;
  change.file = short_path(site.place.line != 0 ? site.place.file : site.path, files);
  change.line = site.place.line;
  change.column = site.place.column;
  change.offset = site.offset;
  change.operation = operation;
  change.order = order;
  return change;
}

const char* name_of(SiteOperation operation) {
  switch (operation) {
    case SiteOperation::load: return "load";
    case SiteOperation::store: return "store";
    case SiteOperation::read_modify_write: return "read-modify-write";
    case SiteOperation::compare_exchange: return "compare_exchange";
    case SiteOperation::failed_exchange: return "failed compare_exchange";
    case SiteOperation::fence: return "fence";
    case SiteOperation::fence_before: return "fence before";
    case SiteOperation::fence_after: return "fence after";
  }
  return "operation";
}

const char* name_of(MemoryOrder order) { return order == MemoryOrder::plain ? "none" : graph::order_name(order); }

}  // namespace heddle::orders
