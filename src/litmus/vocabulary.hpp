// What the words of C mean in litmus tests; nothing for a word that is none of them.
#pragma once

#include <optional>
#include <string_view>

#include "litmus/test.hpp"

namespace heddle::litmus {

/// An integer type, plain or atomic.
std::optional<Type> type_named(std::string_view word);
std::optional<graph::MemoryOrder> order_named(std::string_view word);
/// By the name of the function without "_explicit".
std::optional<RmwOperation> rmw_named(std::string_view function);

struct BinaryOperator {
  Operator op;
  int precedence;
};
/// && and || are not among them: they branch.
std::optional<BinaryOperator> binary_operator_named(std::string_view symbol);

}  // namespace heddle::litmus
