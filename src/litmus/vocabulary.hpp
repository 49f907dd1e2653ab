// The names of types, functions, memory orders and operators of C in litmus tests. Each lookup returns nothing for an
// unknown name.
#pragma once

#include <optional>
#include <string_view>

#include "litmus/test.hpp"

namespace heddle::litmus {

/// An integer type, plain or atomic.
std::optional<Type> type_named(std::string_view word);
std::optional<graph::MemoryOrder> order_named(std::string_view word);
/// `name` is the name of the function without "_explicit".
std::optional<RmwOperation> rmw_named(std::string_view function);

struct BinaryOperator {
  Operator op;
  int precedence;
};
/// Binary operators without && and ||, which branch.
std::optional<BinaryOperator> binary_operator_named(std::string_view symbol);

}  // namespace heddle::litmus
