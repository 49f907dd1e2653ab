#include "litmus/c_code.hpp"

#include <algorithm>
#include <set>

namespace heddle::litmus {

using graph::MemoryOrder;
using Kind = Instruction::Kind;

namespace {

const char* order_name(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::relaxed: return "memory_order_relaxed";
    case MemoryOrder::consume: return "memory_order_consume";
    case MemoryOrder::acquire: return "memory_order_acquire";
    case MemoryOrder::release: return "memory_order_release";
    case MemoryOrder::acq_rel: return "memory_order_acq_rel";
    default: return "memory_order_seq_cst";
  }
}

/// memory_order_relaxed is __ATOMIC_RELAXED for the functions of gcc and clang that take plain types.
const char* rmw_name(RmwOperation operation) {
  switch (operation) {
    case RmwOperation::exchange: return "exchange";
    case RmwOperation::add: return "fetch_add";
    case RmwOperation::subtract: return "fetch_sub";
    case RmwOperation::bit_and: return "fetch_and";
    case RmwOperation::bit_or: return "fetch_or";
    case RmwOperation::bit_xor: return "fetch_xor";
  }
  return "";
}

const char* symbol(Operator op) {
  switch (op) {
    case Operator::add: return "+";
    case Operator::subtract:
    case Operator::negate: return "-";
    case Operator::multiply: return "*";
    case Operator::bit_and: return "&";
    case Operator::bit_or: return "|";
    case Operator::bit_xor: return "^";
    case Operator::equal: return "==";
    case Operator::not_equal: return "!=";
    case Operator::less: return "<";
    case Operator::less_equal: return "<=";
    case Operator::greater: return ">";
    case Operator::greater_equal: return ">=";
    case Operator::logical_not: return "!";
    case Operator::constant:
    case Operator::reg: break;
  }
  return "";
}

class ThreadWriter {
 public:
  ThreadWriter(const Test& test, std::uint32_t thread, std::string file)
      : test_(test), thread_(test.threads[thread]), file_(std::move(file)), uses_(location_uses(test)) {
    for (const Instruction& instruction : thread_.code)
      if (instruction.target != none) targets_.insert(instruction.target);
  }

  std::string body() {
    for (std::uint32_t r = 0; r < thread_.registers.size(); ++r)
      text_ += "  " + c_type(thread_.registers[r].type) + " " + reg(r) + " = " + number(thread_.registers[r].initial) +
               ";\n";
    for (std::uint32_t i = 0; i < thread_.code.size(); ++i) {
      if (targets_.contains(i)) text_ += "L" + std::to_string(i) + ":;\n";
      line(thread_.code[i].at.line);
      write(thread_.code[i]);
    }
    if (targets_.contains(static_cast<std::uint32_t>(thread_.code.size())))
      text_ += "L" + std::to_string(thread_.code.size()) + ":;\n";
    return std::move(text_);
  }

  std::string reg(std::uint32_t index) const {
    const std::string& name = thread_.registers[index].name;
    return name.empty() ? "t" + std::to_string(index) : "r_" + name;
  }

  /// With its type: "_Atomic(int32_t) *l0".
  std::string parameter(std::uint32_t location) const {
    const std::string type = c_type(test_.locations[location].type);
    const bool is_atomic = uses_[location] == LocationUse::atomic;
    return (is_atomic ? "_Atomic(" + type + ")" : type) + " *" + pointer(location);
  }

 private:
  static std::string pointer(std::uint32_t location) { return "l" + std::to_string(location); }
  static std::string number(std::int64_t value) {
    return value == INT64_MIN ? "INT64_MIN" : "INT64_C(" + std::to_string(value) + ")";
  }

  void line(std::uint32_t at) {
    if (!file_.empty()) text_ += "#line " + std::to_string(at) + " \"" + file_ + "\"\n";
  }

  std::string expression(std::uint32_t index) const {
    const Expression& e = thread_.expressions[index];
    if (e.op == Operator::constant) return number(e.constant);
    if (e.op == Operator::reg) return "(int64_t)" + reg(e.first);
    const std::string first = expression(e.first);
    if (e.second == none) return "(int64_t)(" + std::string(symbol(e.op)) + "(" + first + "))";
    return "(int64_t)((" + first + ") " + symbol(e.op) + " (" + expression(e.second) + "))";
  }

  std::string address(const Instruction& access) const {
    const std::string base = pointer(access.location);
    return access.offset == none ? base : base + " + (" + expression(access.offset) + ")";
  }
  std::string value(const Instruction& access, std::uint32_t index) const {
    return "(" + c_type(test_.locations[access.location].type) + ")(" + expression(index) + ")";
  }
  /// "atomic_load_explicit" or, for a location with plain accesses as well, "__atomic_load_n".
  std::string function(const Instruction& access, const std::string& c11, const std::string& builtin) const {
    return uses_[access.location] == LocationUse::mixed ? "__atomic_" + builtin : "atomic_" + c11 + "_explicit";
  }
  void assign(std::uint32_t destination, const std::string& what) {
    text_ += "  " +
             (destination == none
                  ? "(void)(" + what + ")"
                  : reg(destination) + " = (" + c_type(thread_.registers[destination].type) + ")(" + what + ")") +
             ";\n";
  }

  void write(const Instruction& i) {
    const std::string order = order_name(i.order);
    switch (i.kind) {
      case Kind::assign: return assign(i.destination, expression(i.value));
      case Kind::branch_if_zero:
        text_ += "  if (!(" + expression(i.value) + ")) goto L" + std::to_string(i.target) + ";\n";
        return;
      case Kind::jump: text_ += "  goto L" + std::to_string(i.target) + ";\n"; return;
      case Kind::fence: text_ += "  atomic_thread_fence(" + order + ");\n"; return;
      case Kind::load:
        if (i.order == MemoryOrder::plain) return assign(i.destination, "*(" + address(i) + ")");
        return assign(i.destination, function(i, "load", "load_n") + "(" + address(i) + ", " + order + ")");
      case Kind::store:
        if (i.order == MemoryOrder::plain)
          text_ += "  *(" + address(i) + ") = " + value(i, i.value) + ";\n";
        else
          text_ += "  " + function(i, "store", "store_n") + "(" + address(i) + ", " + value(i, i.value) + ", " + order +
                   ");\n";
        return;
      case Kind::rmw: {
        const std::string name = rmw_name(i.operation);
        const std::string builtin = i.operation == RmwOperation::exchange ? "exchange_n" : name;
        return assign(i.destination,
                      function(i, name, builtin) + "(" + address(i) + ", " + value(i, i.value) + ", " + order + ")");
      }
      case Kind::compare_exchange: return write_compare_exchange(i);
    }
  }

  void write_compare_exchange(const Instruction& i) {
    const bool is_mixed = uses_[i.location] == LocationUse::mixed;
    const std::string orders = std::string(order_name(i.order)) + ", " + order_name(i.failure_order);
    text_ += "  {\n    " + c_type(test_.locations[i.location].type) + " expected = " + value(i, i.expected) +
             ";\n    " + reg(i.destination) + " = ";
    if (is_mixed)
      text_ += "__atomic_compare_exchange_n(" + address(i) + ", &expected, " + value(i, i.value) + ", " +
               (i.is_weak ? "1" : "0");
    else
      text_ += std::string("atomic_compare_exchange_") + (i.is_weak ? "weak" : "strong") + "_explicit(" + address(i) +
               ", &expected, " + value(i, i.value);
    text_ += ", " + orders + ");\n    " + reg(i.observed) + " = expected;\n  }\n";
  }

  const Test& test_;
  const Thread& thread_;
  std::string file_;
  std::vector<LocationUse> uses_;
  std::set<std::uint32_t> targets_;
  std::string text_;
};

}  // namespace

std::string c_type(Type type) {
  return std::string(type.is_signed ? "int" : "uint") + std::to_string(8 * type.size) + "_t";
}

std::vector<LocationUse> location_uses(const Test& test) {
  std::vector<LocationUse> uses(test.locations.size(), LocationUse::unused);
  for (const Thread& thread : test.threads)
    for (const Instruction& access : thread.code) {
      if (access.location == none) continue;
      const LocationUse use = access.order == MemoryOrder::plain ? LocationUse::plain : LocationUse::atomic;
      LocationUse& all = uses[access.location];
      all = all == LocationUse::unused || all == use ? use : LocationUse::mixed;
    }
  return uses;
}

std::vector<std::uint32_t> locations_of(const Test& test, std::uint32_t thread) {
  std::set<std::uint32_t> locations;
  for (const Instruction& access : test.threads[thread].code)
    if (access.location != none) locations.insert(access.location);
  return {locations.begin(), locations.end()};
}

std::vector<std::uint32_t> registers_of(const Test& test, std::uint32_t thread) {
  std::vector<std::uint32_t> observed;
  for (std::uint32_t o = 0; o < test.observables.size(); ++o)
    if (test.observables[o].thread == thread) observed.push_back(o);
  return observed;
}

std::string function_name(const std::string& prefix, std::uint32_t thread) {
  return prefix + "_P" + std::to_string(thread);
}

std::string thread_function(const Test& test, std::uint32_t thread, const std::string& prefix,
                            const std::string& file) {
  ThreadWriter writer(test, thread, file);
  std::string text = "void " + function_name(prefix, thread) + "(int64_t *out";
  for (const std::uint32_t location : locations_of(test, thread)) text += ", " + writer.parameter(location);
  text += ") {\n" + writer.body();
  std::uint32_t place = 0;
  for (const std::uint32_t o : registers_of(test, thread))
    text += "  out[" + std::to_string(place++) + "] = (int64_t)" + writer.reg(test.observables[o].index) + ";\n";
  return text + (place == 0 ? "  (void)out;\n}\n" : "}\n");
}

}  // namespace heddle::litmus
