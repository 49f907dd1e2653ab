#include "orders/order_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace heddle::orders {

namespace {

using channel::SiteOperation;
using graph::MemoryOrder;

// In the order of the enumerations.
constexpr std::array<std::string_view, 8> operation_names = {"load",        "store", "rmw",    "cas",
                                                             "cas-failure", "fence", "before", "after"};
constexpr std::array<std::string_view, 7> order_names = {"none",    "relaxed", "consume", "acquire",
                                                         "release", "acq_rel", "seq_cst"};

template <typename Enum, std::size_t size>
std::optional<Enum> find_name(const std::array<std::string_view, size>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

bool adds_fence(SiteOperation operation) {
  return operation == SiteOperation::fence_before || operation == SiteOperation::fence_after;
}

/// Takes ":12" off the end of the text.
std::optional<unsigned> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  unsigned number = 0;
  if (colon == text.npos) return std::nullopt;
  const char *first = text.data() + colon + 1, *last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, number);
  if (error != std::errc{} || end != last || number == 0) return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

/// Takes "+0x1a2c" off the end of the text.
std::optional<std::uint64_t> take_offset(std::string_view& text) {
  const std::size_t plus = text.rfind("+0x");
  std::uint64_t offset = 0;
  if (plus == text.npos) return std::nullopt;
  const char *first = text.data() + plus + 3, *last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, offset, 16);
  if (error != std::errc{} || end != last || offset == 0) return std::nullopt;
  text = text.substr(0, plus);
  return offset;
}

Problem bad_entry(std::string_view entry, std::string_view why) {
  return usage_problem(
      fmt::format("--orders: '{}' {}; an entry is FILE:LINE[:COLUMN][/OPERATION]=ORDER, such as "
                  "queue.hpp:50/store=release",
                  entry, why));
}

Result<OrderChange> check_operation(std::string_view entry, OrderChange change) {
  if (change.file.empty()) return bad_entry(entry, "has no file");
  if (change.operation && !can_have(*change.operation, change.order))
    return bad_entry(entry, "gives an operation an order that it cannot have");
  return change;
}

Result<OrderChange> parse_entry(std::string_view entry) {
  OrderChange change;
  const std::size_t equals = entry.rfind('=');
  if (equals == entry.npos) return bad_entry(entry, "has no order");
  const auto order = find_name<MemoryOrder>(order_names, entry.substr(equals + 1));
  if (!order) return bad_entry(entry, "does not end with a memory order or 'none'");
  change.order = *order;
  std::string_view place = entry.substr(0, equals);
  const std::size_t slash = place.rfind('/');
  // A slash before the line belongs to the path.
  if (slash != place.npos && place.find(':', slash) == place.npos && place.find("+0x", slash) == place.npos) {
    change.operation = find_name<SiteOperation>(operation_names, place.substr(slash + 1));
    if (!change.operation)
      return bad_entry(entry, "names no operation: load, store, rmw, cas, cas-failure, fence, before or after");
    place = place.substr(0, slash);
  }
  if (const auto offset = take_offset(place)) {
    change.offset = *offset;
    change.file = place;
    return check_operation(entry, std::move(change));
  }
  const auto last = take_number(place);
  if (!last) return bad_entry(entry, "has no line");
  change.line = *last;
  if (const auto line = take_number(place)) {
    change.column = *last;
    change.line = *line;
  }
  change.file = place;
  return check_operation(entry, std::move(change));
}

/// "ring.hpp" names "/home/me/ring.hpp".
bool names_file(std::string_view name, std::string_view path) {
  if (!path.ends_with(name)) return false;
  return path.size() == name.size() || name.front() == '/' || path[path.size() - name.size() - 1] == '/';
}

bool is_at(const OrderChange& change, const AtomicSite& site) {
  if (change.line == 0) return change.offset == site.address && names_file(change.file, site.path);
  if (site.place.line != change.line || (change.column != 0 && site.place.column != change.column)) return false;
  return names_file(change.file, site.place.file);
}

std::string entry_text(const OrderChange& change) {
  std::string text = change.line != 0 ? fmt::format("{}:{}", change.file, change.line)
                                      : fmt::format("{}+{:#x}", change.file, change.offset);
  if (change.column != 0) text += fmt::format(":{}", change.column);
  if (change.operation) text += fmt::format("/{}", operation_names[static_cast<std::size_t>(*change.operation)]);
  return text + fmt::format("={}", order_names[static_cast<std::size_t>(change.order)]);
}

}  // namespace

bool can_have(SiteOperation operation, MemoryOrder order) {
  switch (operation) {
    case SiteOperation::load:
    case SiteOperation::failed_exchange:
      return order != MemoryOrder::plain && order != MemoryOrder::release && order != MemoryOrder::acq_rel;
    case SiteOperation::store:
      return order == MemoryOrder::relaxed || order == MemoryOrder::release || order == MemoryOrder::seq_cst;
    case SiteOperation::fence: return true;
    default: return order != MemoryOrder::plain;
  }
}

Result<std::vector<OrderChange>> parse_orders(std::string_view text) {
  std::vector<OrderChange> changes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    auto change = parse_entry(text.substr(0, end));
    if (!change) return change.problem();
    changes.push_back(std::move(*change));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return changes;
}

std::string text_of(const std::vector<OrderChange>& changes) {
  std::string text;
  for (const OrderChange& change : changes) text += (text.empty() ? "" : ",") + entry_text(change);
  return text;
}

Result<std::vector<channel::SiteOrder>> find_sites(const std::vector<OrderChange>& changes, const ProgramSites& sites) {
  std::vector<channel::SiteOrder> table;
  for (const OrderChange& change : changes) {
    const std::size_t before = table.size();
    for (const AtomicSite& site : sites.all()) {
      if (!is_at(change, site)) continue;
      if (change.operation && adds_fence(*change.operation)) {
        table.push_back({site.module, site.address, *change.operation, change.order});
        continue;
      }
      for (std::size_t i = 0; i <= static_cast<std::size_t>(SiteOperation::fence); ++i) {
        const auto operation = static_cast<SiteOperation>(i);
        const bool is_meant = !change.operation || *change.operation == operation;
        if (is_meant && site.operations.has(operation) && can_have(operation, change.order))
          table.push_back({site.module, site.address, operation, change.order});
      }
    }
    if (table.size() == before)
      return usage_problem(
          fmt::format("--orders: the program has no such operation for '{}'; name a line with an atomic operation, and "
                      "compile with -g",
                      entry_text(change)));
  }
  return table;
}

void add_counted(const ProgramSites& sites, std::vector<channel::SiteOrder>& table) {
  const auto changed = table;
  const auto is_changed = [&](const AtomicSite& site, SiteOperation operation) {
    return std::any_of(changed.begin(), changed.end(), [&](const channel::SiteOrder& row) {
      return row.module == site.module && row.address == site.address && row.operation == operation;
    });
  };
  for (const AtomicSite& site : sites.all())
    for (std::size_t i = 0; i <= static_cast<std::size_t>(SiteOperation::fence); ++i) {
      const auto operation = static_cast<SiteOperation>(i);
      if (!site.operations.has(operation) || is_changed(site, operation)) continue;
      channel::SiteOrder row{site.module, site.address, operation};
      row.keeps_order = true;
      table.push_back(row);
    }
}

}  // namespace heddle::orders
