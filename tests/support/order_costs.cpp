// Prints the table of src/orders/cost.hpp for tests/system/order_costs.py: a line for each operation and order, or pair
// of orders of a compare-exchange, with tabs between operation, orders, x86-64, Armv8.0, Armv8.1 and weight.
#include <array>
#include <cstdio>
#include <utility>

#include "orders/cost.hpp"
#include "orders/order_table.hpp"

namespace {

using heddle::channel::SiteOperation;
using heddle::graph::MemoryOrder;

constexpr std::array<std::pair<MemoryOrder, const char*>, 7> orders = {{{MemoryOrder::plain, "none"},
                                                                        {MemoryOrder::relaxed, "relaxed"},
                                                                        {MemoryOrder::consume, "consume"},
                                                                        {MemoryOrder::acquire, "acquire"},
                                                                        {MemoryOrder::release, "release"},
                                                                        {MemoryOrder::acq_rel, "acq_rel"},
                                                                        {MemoryOrder::seq_cst, "seq_cst"}}};
constexpr std::array<std::pair<SiteOperation, const char*>, 4> operations = {{{SiteOperation::load, "load"},
                                                                              {SiteOperation::store, "store"},
                                                                              {SiteOperation::read_modify_write, "rmw"},
                                                                              {SiteOperation::fence, "fence"}}};

void print(const char* operation, const char* order, const char* failure, const heddle::orders::SiteCost& cost) {
  std::printf("%s\t%s\t%s\t%s\t%s\t%s\t%d\n", operation, order, failure, cost.x86.c_str(), cost.arm.c_str(),
              cost.arm_lse.c_str(), cost.weight);
}

}  // namespace

int main() {
  using heddle::orders::can_have;
  for (const auto& [operation, name] : operations)
    for (const auto& [order, order_name] : orders)
      if (can_have(operation, order)) print(name, order_name, "", heddle::orders::cost_of(operation, order));
  for (const auto& [success, success_name] : orders)
    for (const auto& [failure, failure_name] : orders)
      if (can_have(SiteOperation::compare_exchange, success) && can_have(SiteOperation::failed_exchange, failure))
        print("cas", success_name, failure_name, heddle::orders::cost_of_exchange(success, failure));
}
