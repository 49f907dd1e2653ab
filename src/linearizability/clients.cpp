#include "linearizability/clients.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"

namespace heddle::linearizability {

namespace {

constexpr std::uint32_t T = most_client_threads;
constexpr std::uint32_t C = most_client_calls;

/// For each call of a client, how many calls of each thread come before it.
struct Knowledge {
  std::uint8_t known[C][T] = {};
  bool operator==(const Knowledge&) const = default;
};

}  // namespace

struct Family::Order {
  Knowledge knowledge;
  base::ArenaVector<Wait> waits;
};

/// How many calls each thread makes, never more than the thread before it.
struct Family::Shape {
  std::uint32_t threads = 0;
  std::uint32_t calls = 0;
  std::uint32_t sizes[T] = {};
  std::uint32_t first[T] = {};  ///< the position of each thread's first call
  base::ArenaVector<Order> orders;
  struct Exchange {
    std::uint32_t position_of[C] = {};      ///< where each call is after the exchange
    std::span<const std::uint32_t> orders;  ///< which order each one becomes
  };
  base::ArenaVector<Exchange> exchanges;  ///< of threads that make equally many calls

  std::uint32_t thread_of(std::uint32_t call) const {
    std::uint32_t thread = 0;
    while (thread + 1 < threads && call >= first[thread + 1]) ++thread;
    return thread;
  }
};

namespace {

/// Finds every partial order that contains program order: assigns what each call knows, call by call.
template <typename Shape, typename Visitor>
class OrderSearch {
 public:
  OrderSearch(const Shape& shape, Visitor visit) : shape_(shape), visit_(visit) {}

  void run() { assign(0, 0); }

 private:
  void assign(std::uint32_t call, std::uint32_t thread) {
    if (call == shape_.calls) {
      if (is_closed()) visit_(knowledge_);
      return;
    }
    if (thread == shape_.threads) return assign(call + 1, 0);
    const std::uint32_t own = shape_.thread_of(call);
    std::uint8_t& known = knowledge_.known[call][thread];
    if (thread == own) {
      known = static_cast<std::uint8_t>(call - shape_.first[own]);
      return assign(call, thread + 1);
    }
    const std::uint8_t least = call == shape_.first[own] ? std::uint8_t{0} : knowledge_.known[call - 1][thread];
    for (std::uint32_t count = least; count <= shape_.sizes[thread]; ++count) {
      knowledge_.known[call][thread] = static_cast<std::uint8_t>(count);
      assign(call, thread + 1);
    }
  }

  /// What a call knows is known to those that know the call, and no call knows itself.
  bool is_closed() const {
    for (std::uint32_t call = 0; call < shape_.calls; ++call) {
      const std::uint32_t own = shape_.thread_of(call);
      for (std::uint32_t thread = 0; thread < shape_.threads; ++thread) {
        const std::uint32_t count = knowledge_.known[call][thread];
        if (thread == own || count == 0) continue;
        const auto& of_newest = knowledge_.known[shape_.first[thread] + count - 1];
        if (of_newest[own] > call - shape_.first[own]) return false;
        for (std::uint32_t other = 0; other < shape_.threads; ++other)
          if (of_newest[other] > knowledge_.known[call][other]) return false;
      }
    }
    return true;
  }

  const Shape& shape_;
  Visitor visit_;
  Knowledge knowledge_;
};

}  // namespace

Family::Family(const FamilyDescription& description, base::Arena& arena)
    : arena_(arena), role_limits_(arena.copy_array(description.role_limits)), waits_(description.waits),
      larger_(description.larger) {
  for (std::uint32_t i = 0; i < description.operations.size(); ++i) {
    const OperationChoices& operation = description.operations[i];
    for (std::uint32_t argument = 0; argument < operation.arguments; ++argument) {
      letters_.push_back(arena, {i, argument, operation.roles});
      if (operation.may_be_initial) initial_letters_.push_back(arena, {i, argument, 0});
    }
  }
  std::uint32_t most = 0;
  for (const Bound& bound : description.bounds) most = std::max(most, std::min(bound.calls, C));
  for (std::uint32_t calls = 1; calls <= most; ++calls) {
    std::uint32_t most_threads = 0;
    for (const Bound& bound : description.bounds)
      if (calls <= bound.calls) most_threads = std::max(most_threads, std::min({bound.threads, calls, T}));
    const std::uint32_t initial = initial_letters_.empty() ? 0 : description.initial_calls;
    for (std::uint32_t threads = 1; threads <= most_threads; ++threads)
      for (std::uint32_t before = 0; before <= initial; ++before)
        classes_.push_back(arena, {calls, threads, before, {}, {}, false});
  }
}

std::uint32_t Family::size(std::size_t client_class) {
  Class& described = classes_[client_class];
  if (!described.is_enumerated) enumerate(described);
  return static_cast<std::uint32_t>(described.clients.size());
}

Client Family::client(std::size_t client_class, std::uint32_t number, base::Arena& arena) {
  HEDDLE_CHECK(number < size(client_class), "a class has no client with this number");
  const Class& described = classes_[client_class];
  const Entry& entry = described.clients[number];
  const Shape& shape = described.shapes[entry.shape];
  Client client;
  client.threads = shape.threads;
  std::uint64_t letters = entry.letters;
  const auto next = [&letters](const base::ArenaVector<Letter>& from) {
    const Letter& letter = from[letters % from.size()];
    letters /= from.size();
    return letter;
  };
  for (std::uint32_t i = 0; i < shape.calls; ++i) {
    const Letter letter = next(letters_);
    client.calls.push_back(arena, {letter.operation, letter.argument, shape.thread_of(i) + 1});
  }
  for (std::uint32_t i = 0; i < described.initial; ++i) {
    const Letter letter = next(initial_letters_);
    client.calls.insert(arena, i, {letter.operation, letter.argument, 0});
  }
  for (const Wait& wait : shape.orders[entry.order].waits)
    client.waits.push_back(arena, {wait.earlier + described.initial, wait.later + described.initial});
  return client;
}

void Family::enumerate(Class& described) {
  described.is_enumerated = true;
  described.shapes = shapes_of(described.calls, described.threads);
  std::size_t count = 0;
  for_each_client(described, [&count](const Entry&) { ++count; });
  described.clients = arena_.create_array<Entry>(count);
  std::size_t next = 0;
  for_each_client(described, [&](const Entry& entry) { described.clients[next++] = entry; });
}

/// The clients of few waits come first.
template <typename Visitor>
void Family::for_each_client(const Class& described, Visitor visit) {
  std::uint64_t initial_parts = 1, thread_parts = 1;
  for (std::uint32_t i = 0; i < described.initial; ++i) initial_parts *= initial_letters_.size();
  for (std::uint32_t i = 0; i < described.calls; ++i) thread_parts *= letters_.size();
  for (std::uint32_t waits = 0; waits <= std::min(waits_, C * T); ++waits) {
    for (std::uint32_t s = 0; s < described.shapes.size(); ++s) {
      const Shape& shape = described.shapes[s];
      for (std::uint32_t order = 0; order < shape.orders.size(); ++order) {
        if (shape.orders[order].waits.size() != waits) continue;
        for (std::uint64_t number = 0; number < thread_parts; ++number) {
          std::uint32_t letters[C];
          std::uint64_t left = number;
          for (std::uint32_t i = 0; i < described.calls; ++i) {
            letters[i] = static_cast<std::uint32_t>(left % letters_.size());
            left /= letters_.size();
          }
          const std::span<const std::uint32_t> calls{letters, described.calls};
          if (!roles_fit(shape, calls) || !is_first_of_its_kind(shape, order, calls)) continue;
          for (std::uint64_t initial = 0; initial < initial_parts; ++initial)
            visit(Entry{s, order, number + initial * thread_parts});
        }
      }
    }
  }
}

std::span<Family::Shape> Family::shapes_of(std::uint32_t calls, std::uint32_t threads) {
  base::ArenaVector<Shape> shapes;
  std::uint64_t codes = 1;  // the sizes as digits of a number
  for (std::uint32_t thread = 0; thread < threads; ++thread) codes *= calls;
  for (std::uint64_t code = 0; code < codes; ++code) {
    Shape shape;
    shape.threads = threads;
    std::uint64_t left = code;
    bool is_sorted = true;
    for (std::uint32_t thread = 0; thread < std::min(threads, T); ++thread) {
      shape.sizes[thread] = static_cast<std::uint32_t>(left % calls) + 1;
      shape.first[thread] = shape.calls;
      shape.calls += shape.sizes[thread];
      is_sorted &= thread == 0 || shape.sizes[thread - 1] >= shape.sizes[thread];
      left /= calls;
    }
    if (is_sorted && shape.calls == calls) shapes.push_back(arena_, shape);
  }
  for (Shape& shape : shapes) add_orders(shape);
  return {shapes.begin(), shapes.size()};
}

void Family::add_orders(Shape& shape) {
  // A wait is needed where a call knows more of a thread than the call before it, and no other wait tells it.
  const auto waits_of = [&](const Knowledge& knowledge) {
    base::ArenaVector<Wait> waits;
    for (std::uint32_t call = 0; call < shape.calls; ++call) {
      const std::uint32_t own = shape.thread_of(call);
      for (std::uint32_t thread = 0; thread < shape.threads; ++thread) {
        const std::uint32_t count = knowledge.known[call][thread];
        const std::uint32_t before = call == shape.first[own] ? 0 : knowledge.known[call - 1][thread];
        if (thread == own || count <= before) continue;
        bool is_told = false;
        for (std::uint32_t other = 0; other < shape.threads; ++other) {
          const std::uint32_t newest = knowledge.known[call][other];
          if (other == own || other == thread || newest == 0) continue;
          is_told |= knowledge.known[shape.first[other] + newest - 1][thread] >= count;
        }
        if (!is_told) waits.push_back(arena_, {shape.first[thread] + count - 1, call});
      }
    }
    return waits;
  };
  OrderSearch(shape, [&](const Knowledge& knowledge) {
    const auto waits = waits_of(knowledge);
    if (waits.size() <= waits_) shape.orders.push_back(arena_, {knowledge, waits});
  }).run();

  std::uint32_t threads[T];
  std::iota(threads, threads + shape.threads, 0U);
  while (std::next_permutation(threads, threads + shape.threads)) {
    bool exchanges_equals = true;
    for (std::uint32_t i = 0; i < shape.threads; ++i) exchanges_equals &= shape.sizes[i] == shape.sizes[threads[i]];
    if (!exchanges_equals) continue;
    Shape::Exchange exchange;
    for (std::uint32_t call = 0; call < shape.calls; ++call) {
      const std::uint32_t own = shape.thread_of(call);
      exchange.position_of[call] = shape.first[threads[own]] + call - shape.first[own];
    }
    const auto becomes = arena_.create_array<std::uint32_t>(shape.orders.size());
    for (std::size_t i = 0; i < shape.orders.size(); ++i) {
      Knowledge exchanged;
      for (std::uint32_t call = 0; call < shape.calls; ++call)
        for (std::uint32_t thread = 0; thread < shape.threads; ++thread)
          exchanged.known[exchange.position_of[call]][threads[thread]] = shape.orders[i].knowledge.known[call][thread];
      while (!(shape.orders[becomes[i]].knowledge == exchanged)) ++becomes[i];
    }
    exchange.orders = becomes;
    shape.exchanges.push_back(arena_, exchange);
  }
}

/// Whether no exchange of threads leads to a client that comes earlier.
bool Family::is_first_of_its_kind(const Shape& shape, std::uint32_t order,
                                  std::span<const std::uint32_t> letters) const {
  for (const Shape::Exchange& exchange : shape.exchanges) {
    std::uint32_t exchanged[C];
    for (std::uint32_t call = 0; call < shape.calls; ++call) exchanged[exchange.position_of[call]] = letters[call];
    const auto comparison =
        std::lexicographical_compare_three_way(exchanged, exchanged + shape.calls, letters.begin(), letters.end());
    if (comparison < 0 || (comparison == 0 && exchange.orders[order] < order)) return false;
  }
  return true;
}

/// Whether every thread can have a role that allows all its calls.
bool Family::roles_fit(const Shape& shape, std::span<const std::uint32_t> letters) const {
  if (role_limits_.empty()) return true;
  std::uint32_t possible[T];
  for (std::uint32_t thread = 0; thread < shape.threads; ++thread) {
    possible[thread] = ~std::uint32_t{0};
    for (std::uint32_t i = 0; i < shape.sizes[thread]; ++i)
      if (const std::uint32_t roles = letters_[letters[shape.first[thread] + i]].roles; roles != 0)
        possible[thread] &= roles;
  }
  std::uint64_t codes = 1;  // the threads' roles as digits of a number
  for (std::uint32_t thread = 0; thread < shape.threads; ++thread) codes *= role_limits_.size();
  for (std::uint64_t code = 0; code < codes; ++code) {
    std::uint32_t used[most_roles] = {};
    std::uint64_t left = code;
    bool fits = true;
    for (std::uint32_t thread = 0; thread < std::min(shape.threads, T); ++thread) {
      const auto role = static_cast<std::uint32_t>(left % role_limits_.size());
      left /= role_limits_.size();
      ++used[role];
      fits &= (possible[thread] >> role & 1) != 0 && (role_limits_[role] == 0 || used[role] <= role_limits_[role]);
    }
    if (fits) return true;
  }
  return false;
}

}  // namespace heddle::linearizability
