#include "brute_force.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "graph/execution_graph.hpp"
#include "litmus/interpreter.hpp"

namespace heddle::testing {

using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::LocationId;
using graph::ThreadId;
using Kind = Operation::Kind;

namespace {

bool is_compare_exchange(const Operation& op) {
  return op.kind == Kind::compare_exchange || op.kind == Kind::weak_compare_exchange;
}

/// An event to be: an initial value (no operation), or an operation of a thread.
struct Node {
  const Operation* op = nullptr;
  std::uint32_t thread = 0;
  std::uint32_t location = 0;
  bool is_read = false;
  bool is_write = true;
  std::size_t reads_from = 0;  ///< node
};

class Search {
 public:
  Search(const Program& program, const models::MemoryModel& model, bool orders_seq_cst)
      : program_(program), model_(model), orders_seq_cst_(orders_seq_cst),
        memory_(std::make_unique_for_overwrite<std::byte[]>(size)), arena_({memory_.get(), size}),
        scratch_memory_(std::make_unique_for_overwrite<std::byte[]>(size)), scratch_({scratch_memory_.get(), size}) {}

  BruteForceResult run() {
    for (std::uint32_t i = 0; i < program_.locations; ++i) nodes_.push_back({nullptr, 0, i, false, true, 0});
    for (std::uint32_t t = 0; t < program_.threads.size(); ++t)
      for (const Operation& op : program_.threads[t]) nodes_.push_back({&op, t, op.location, false, false, 0});
    choose_kinds(program_.locations);
    return std::move(result_);
  }

 private:
  static constexpr std::size_t size = 1 << 20;

  /// A compare-exchange is tried as an rmw and as a load.
  void choose_kinds(std::size_t n) {
    if (n == nodes_.size()) {
      modification_orders_.assign(program_.locations, {});
      return choose_modification_order(0);
    }
    Node& node = nodes_[n];
    const Kind kind = node.op->kind;
    node.is_read = kind != Kind::store && kind != Kind::fence;
    node.is_write = kind != Kind::load && kind != Kind::fence;
    choose_kinds(n + 1);
    if (!is_compare_exchange(*node.op)) return;
    node.is_write = false;
    choose_kinds(n + 1);
  }

  void choose_modification_order(std::uint32_t location) {
    if (location == program_.locations) return choose_reads_from(0);
    auto& order = modification_orders_[location];
    order.clear();
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (nodes_[n].is_write && nodes_[n].location == location) order.push_back(n);
    do {
      choose_modification_order(location + 1);
    } while (std::next_permutation(order.begin() + 1, order.end()));
  }

  void choose_reads_from(std::size_t n) {
    if (n == nodes_.size()) return judge();
    if (!nodes_[n].is_read) return choose_reads_from(n + 1);
    for (std::size_t w = 0; w < nodes_.size(); ++w) {
      if (w == n || !nodes_[w].is_write || nodes_[w].location != nodes_[n].location) continue;
      nodes_[n].reads_from = w;
      choose_reads_from(n + 1);
    }
  }

  void judge() {
    ++result_.candidates;
    std::vector<std::size_t> seq_cst;
    for (std::size_t n = program_.locations; orders_seq_cst_ && n < nodes_.size(); ++n)
      if (order_of(nodes_[n]) == graph::MemoryOrder::seq_cst) seq_cst.push_back(n);
    do {
      const auto order = execution_order(seq_cst);
      // Cyclic sb | rf: out of thin air. With the order of seq_cst events: c11 wants hb | rf | SC acyclic.
      if (order.empty()) continue;
      if (!values_fit(order)) return;
      build(order);
      scratch_.reset();
      if (!model_.check(*graph_, scratch_)) result_.graphs.insert(canonical_hash(*graph_));
    } while (std::next_permutation(seq_cst.begin(), seq_cst.end()));
  }

  static graph::MemoryOrder order_of(const Node& node) {
    return is_compare_exchange(*node.op) && !node.is_write ? node.op->failure_order : node.op->order;
  }

  /// The nodes in an order that contains sb, rf and the given order of seq_cst events; empty if there is none.
  std::vector<std::size_t> execution_order(const std::vector<std::size_t>& seq_cst) const {
    std::vector<std::size_t> order;
    std::vector<bool> done(nodes_.size(), false);
    std::size_t next_seq_cst = 0;
    for (bool progress = true; progress && order.size() < nodes_.size();) {
      progress = false;
      for (std::size_t n = 0; n < nodes_.size(); ++n) {
        if (done[n]) continue;
        const Node& node = nodes_[n];
        const bool waits_for_thread = n > program_.locations && nodes_[n - 1].op != nullptr &&
                                      nodes_[n - 1].thread == node.thread && !done[n - 1];
        if (waits_for_thread || (node.is_read && !done[node.reads_from])) continue;
        if (next_seq_cst < seq_cst.size() && seq_cst[next_seq_cst] != n &&
            std::find(seq_cst.begin(), seq_cst.end(), n) != seq_cst.end())
          continue;
        if (next_seq_cst < seq_cst.size() && seq_cst[next_seq_cst] == n) ++next_seq_cst;
        done[n] = progress = true;
        order.push_back(n);
      }
    }
    if (order.size() < nodes_.size()) order.clear();
    return order;
  }

  /// A strong compare-exchange succeeds exactly if it read the expected value, a weak one only then.
  bool values_fit(const std::vector<std::size_t>& order) const {
    std::vector<std::int64_t> written(nodes_.size(), 0);
    for (std::size_t n : order) {
      const Node& node = nodes_[n];
      if (node.op == nullptr) continue;
      const std::int64_t read = node.is_read ? written[node.reads_from] : 0;
      if (is_compare_exchange(*node.op)) {
        if (node.is_write && read != node.op->expected) return false;
        if (!node.is_write && node.op->kind == Kind::compare_exchange && read == node.op->expected) return false;
      }
      written[n] = node.op->kind == Kind::fetch_add ? read + node.op->value : node.op->value;
    }
    return true;
  }

  void build(const std::vector<std::size_t>& order) {
    arena_.reset();
    graph_.emplace(arena_);
    for (std::uint32_t i = 0; i < program_.locations; ++i) graph_->add_location(litmus::location_name(i), 4, 0);
    for (std::uint32_t t = 0; t < program_.threads.size(); ++t) graph_->add_thread(ThreadId{t}, litmus::thread_name(t));
    std::vector<EventId> ids(nodes_.size(), EventId{0});
    for (std::size_t n : order) {
      const Node& node = nodes_[n];
      if (node.op == nullptr) {
        ids[n] = EventId{static_cast<std::uint32_t>(n)};
        continue;
      }
      graph::Event event;
      event.kind = node.is_read && node.is_write ? EventKind::rmw
                   : node.is_read                ? EventKind::load
                   : node.is_write               ? EventKind::store
                                                 : EventKind::fence;
      event.order = order_of(node);
      if (is_compare_exchange(*node.op) && !node.is_write)
        event.failed_exchange =
            is_release(node.op->order) ? graph::FailedExchange::release : graph::FailedExchange::weaker_than_release;
      event.thread = ThreadId{node.thread};
      if (event.kind != EventKind::fence) {
        event.size = 4;
        event.location = LocationId{node.location};
      }
      if (node.is_read) event.reads_from = ids[node.reads_from];
      ids[n] = graph_->append(event);
    }
    for (std::uint32_t i = 0; i < program_.locations; ++i)
      for (std::uint32_t place = 0; place < modification_orders_[i].size(); ++place) {
        const EventId write = ids[modification_orders_[i][place]];
        graph_->location(LocationId{i}).modification_order[place] = write;
        graph_->event(write).mo_position = place;
      }
  }

  const Program& program_;
  const models::MemoryModel& model_;
  bool orders_seq_cst_;
  std::unique_ptr<std::byte[]> memory_;
  base::Arena arena_;
  std::unique_ptr<std::byte[]> scratch_memory_;
  base::Arena scratch_;
  std::optional<ExecutionGraph> graph_;
  std::vector<Node> nodes_;
  std::vector<std::vector<std::size_t>> modification_orders_;
  BruteForceResult result_;
};

}  // namespace

double count_candidates(const Program& program) {
  std::vector<double> writes(program.locations, 1);
  double candidates = 1;
  for (const auto& thread : program.threads)
    for (const Operation& op : thread)
      if (op.kind != Kind::load && op.kind != Kind::fence) candidates *= writes[op.location]++;
  for (const auto& thread : program.threads)
    for (const Operation& op : thread) {
      if (op.kind != Kind::store && op.kind != Kind::fence) candidates *= writes[op.location];
      if (is_compare_exchange(op)) candidates *= 2;
    }
  return candidates;
}

BruteForceResult brute_force(const Program& program, const models::MemoryModel& model, bool orders_seq_cst) {
  return Search(program, model, orders_seq_cst).run();
}

}  // namespace heddle::testing
