#include "litmus/vocabulary.hpp"

#include <map>

namespace heddle::litmus {

using graph::MemoryOrder;

namespace {

const std::map<std::string_view, Type> types = {
    {"int", {4, true}},      {"atomic_int", {4, true}},      {"unsigned", {4, false}}, {"atomic_uint", {4, false}},
    {"long", {8, true}},     {"atomic_long", {8, true}},     {"char", {1, true}},      {"atomic_char", {1, true}},
    {"short", {2, true}},    {"atomic_short", {2, true}},    {"bool", {1, false}},     {"atomic_bool", {1, false}},
    {"_Bool", {1, false}},   {"int8_t", {1, true}},          {"int16_t", {2, true}},   {"int32_t", {4, true}},
    {"int64_t", {8, true}},  {"uint8_t", {1, false}},        {"uint16_t", {2, false}}, {"uint32_t", {4, false}},
    {"intptr_t", {8, true}}, {"atomic_intptr_t", {8, true}},
};

const std::map<std::string_view, MemoryOrder> orders = {
    {"memory_order_relaxed", MemoryOrder::relaxed}, {"memory_order_consume", MemoryOrder::consume},
    {"memory_order_acquire", MemoryOrder::acquire}, {"memory_order_release", MemoryOrder::release},
    {"memory_order_acq_rel", MemoryOrder::acq_rel}, {"memory_order_seq_cst", MemoryOrder::seq_cst},
};

const std::map<std::string_view, RmwOperation> rmw_functions = {
    {"atomic_exchange", RmwOperation::exchange},  {"atomic_fetch_add", RmwOperation::add},
    {"atomic_fetch_sub", RmwOperation::subtract}, {"atomic_fetch_and", RmwOperation::bit_and},
    {"atomic_fetch_or", RmwOperation::bit_or},    {"atomic_fetch_xor", RmwOperation::bit_xor},
};

const std::map<std::string_view, BinaryOperator> binary_operators = {
    {"|", {Operator::bit_or, 3}},      {"^", {Operator::bit_xor, 4}},    {"&", {Operator::bit_and, 5}},
    {"==", {Operator::equal, 6}},      {"!=", {Operator::not_equal, 6}}, {"<", {Operator::less, 7}},
    {"<=", {Operator::less_equal, 7}}, {">", {Operator::greater, 7}},    {">=", {Operator::greater_equal, 7}},
    {"+", {Operator::add, 9}},         {"-", {Operator::subtract, 9}},   {"*", {Operator::multiply, 10}},
};

template <typename Meaning>
std::optional<Meaning> find(const std::map<std::string_view, Meaning>& words, std::string_view word) {
  const auto found = words.find(word);
  return found == words.end() ? std::nullopt : std::optional<Meaning>(found->second);
}

}  // namespace

std::optional<Type> type_named(std::string_view word) { return find(types, word); }
std::optional<MemoryOrder> order_named(std::string_view word) { return find(orders, word); }
std::optional<RmwOperation> rmw_named(std::string_view function) { return find(rmw_functions, function); }
std::optional<BinaryOperator> binary_operator_named(std::string_view symbol) { return find(binary_operators, symbol); }

}  // namespace heddle::litmus
