#include "random_program.hpp"

namespace heddle::testing {

using graph::MemoryOrder;
using Kind = Operation::Kind;

namespace {

const char* order_name(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::plain: break;
    case MemoryOrder::relaxed: return "memory_order_relaxed";
    case MemoryOrder::consume: return "memory_order_consume";
    case MemoryOrder::acquire: return "memory_order_acquire";
    case MemoryOrder::release: return "memory_order_release";
    case MemoryOrder::acq_rel: return "memory_order_acq_rel";
    case MemoryOrder::seq_cst: return "memory_order_seq_cst";
  }
  return "?";
}

std::string statement(const Operation& op, const std::string& reg) {
  const std::string x = "x" + std::to_string(op.location);
  const std::string value = std::to_string(op.value);
  const std::string order = order_name(op.order);
  if (op.order == MemoryOrder::plain)
    return op.kind == Kind::load ? "int " + reg + " = *" + x + ";" : "*" + x + " = " + value + ";";
  switch (op.kind) {
    case Kind::load: return "int " + reg + " = atomic_load_explicit(" + x + "," + order + ");";
    case Kind::store: return "atomic_store_explicit(" + x + "," + value + "," + order + ");";
    case Kind::fetch_add: return "int " + reg + " = atomic_fetch_add_explicit(" + x + "," + value + "," + order + ");";
    case Kind::fence: return "atomic_thread_fence(" + order + ");";
    case Kind::compare_exchange:
    case Kind::weak_compare_exchange: {
      const std::string strength = op.kind == Kind::compare_exchange ? "strong" : "weak";
      return "int e" + reg + " = " + std::to_string(op.expected) + "; int " + reg + " = atomic_compare_exchange_" +
             strength + "_explicit(" + x + ",&e" + reg + "," + value + "," + order + "," +
             order_name(op.failure_order) + ");";
    }
  }
  return "";
}

MemoryOrder random_order(base::Random& random, const Shape& shape, std::initializer_list<MemoryOrder> weaker) {
  if (random.below(100) < shape.seq_cst_percent) return MemoryOrder::seq_cst;
  return weaker.begin()[random.below(weaker.size())];
}

Operation random_operation(base::Random& random, const Shape& shape, std::uint32_t location, std::int64_t value) {
  Operation op;
  op.location = location;
  op.value = value;
  const std::uint64_t kind = random.below(18);
  op.kind = random.below(100) < shape.fence_percent ? Kind::fence
            : kind < 7                              ? Kind::load
            : kind < 14                             ? Kind::store
            : kind < 16                             ? Kind::fetch_add
            : kind < 17                             ? Kind::compare_exchange
                                                    : Kind::weak_compare_exchange;
  switch (op.kind) {
    case Kind::load:
      op.order = random_order(random, shape, {MemoryOrder::relaxed, MemoryOrder::acquire});
      if (random.below(100) < shape.plain_percent) op.order = MemoryOrder::plain;
      break;
    case Kind::store:
      op.order = random_order(random, shape, {MemoryOrder::relaxed, MemoryOrder::release});
      if (random.below(100) < shape.plain_percent) op.order = MemoryOrder::plain;
      break;
    case Kind::fence:
      op.order = random_order(random, shape, {MemoryOrder::acquire, MemoryOrder::release, MemoryOrder::acq_rel});
      break;
    default:
      op.order = random_order(random, shape,
                              {MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::release, MemoryOrder::acq_rel});
      op.failure_order = random_order(random, shape, {MemoryOrder::relaxed, MemoryOrder::acquire});
      op.expected = static_cast<std::int64_t>(random.below(3));
  }
  return op;
}

}  // namespace

std::string Program::text() const {
  std::string text = "C random\n{ ";
  for (std::uint32_t i = 0; i < locations; ++i) text += "x" + std::to_string(i) + "=0; ";
  text += "}\n";
  for (std::size_t t = 0; t < threads.size(); ++t) {
    text += "P" + std::to_string(t) + " (";
    for (std::uint32_t i = 0; i < locations; ++i)
      text += (i == 0 ? "atomic_int* x" : ", atomic_int* x") + std::to_string(i);
    text += ") {\n";
    for (std::size_t i = 0; i < threads[t].size(); ++i)
      text += "  " + statement(threads[t][i], "r" + std::to_string(i)) + "\n";
    text += "}\n";
  }
  return text + "exists (true)\n";
}

Program random_program(base::Random& random, const Shape& shape) {
  Program program;
  program.locations = static_cast<std::uint32_t>(1 + random.below(shape.most_locations));
  program.threads.resize(2 + random.below(shape.most_threads - 1));
  const std::uint64_t events = program.threads.size() + random.below(shape.most_events - program.threads.size() + 1);
  for (std::uint64_t i = 0; i < events; ++i) {
    auto& thread = program.threads[i < program.threads.size() ? i : random.below(program.threads.size())];
    const auto location = static_cast<std::uint32_t>(random.below(program.locations));
    thread.push_back(random_operation(random, shape, location, static_cast<std::int64_t>(i + 1)));
  }
  return program;
}

Program random_cycle(base::Random& random, const Shape& shape) {
  Program program;
  program.threads.resize(2 + random.below(shape.most_threads - 1));
  program.locations = static_cast<std::uint32_t>(program.threads.size());
  Shape accesses = shape;
  accesses.fence_percent = 0;
  Shape only_fences = shape;
  only_fences.fence_percent = 100;
  std::int64_t value = 0;
  for (std::uint32_t t = 0; t < program.threads.size(); ++t) {
    const std::uint32_t from = t;
    const std::uint32_t to = (t + 1) % program.locations;
    auto& thread = program.threads[t];
    thread.push_back(random_operation(random, accesses, from, ++value));
    if (random.one_in(4)) thread.push_back(random_operation(random, accesses, random.one_in(2) ? from : to, ++value));
    if (random.below(100) < shape.fence_percent) thread.push_back(random_operation(random, only_fences, 0, 0));
    // Some threads stop here, so that IRIW and WRC are among the shapes.
    if (!random.one_in(4)) thread.push_back(random_operation(random, accesses, to, ++value));
  }
  return program;
}

}  // namespace heddle::testing
