// The clients of a data structure: which threads make which calls, and which calls wait for calls of other threads.
//
// A family has all clients up to bounds, in classes: the smaller the number of calls, then of threads, then of initial
// calls, the earlier the class. Of clients that differ only by an exchange of threads, a class has one.
//
// Waiting. Under a weak memory model, a call need not see what a call of another thread did before it in time. So
// clients also order calls of different threads: a call begins only after another one, and what that one did happens
// before it. A class has, for each choice of calls, every partial order that contains program order.
//
// Enumerating a large class takes long. Sampling draws clients without that, larger ones included.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"

namespace heddle::linearizability {

struct OperationChoices {
  std::uint32_t arguments = 1;  ///< the number of different arguments
  std::uint32_t roles = 0;      ///< bit r: threads with role r may call it; 0: any thread may
  bool may_be_initial = false;  ///< the initial part may call it
};

struct Bound {
  std::uint32_t calls = 0;    ///< the most calls of all threads together
  std::uint32_t threads = 0;  ///< the most threads
};

struct FamilyDescription {
  std::span<const OperationChoices> operations;
  std::span<const std::uint32_t> role_limits;  ///< for each role, the most threads that have it; 0: any number
  std::span<const Bound> bounds;               ///< a client is within one of them
  std::uint32_t initial_calls = 0;             ///< the most calls before the threads begin
  std::uint32_t waits = 0;                     ///< the most waits of a client
  std::uint32_t larger = 0;                    ///< clients that are drawn have up to so many calls more than the bounds
};

inline constexpr std::uint32_t most_client_calls = 8;  ///< of the threads of a client in a class
inline constexpr std::uint32_t most_client_threads = 4;
inline constexpr std::uint32_t most_drawn_calls = 16;  ///< of the threads of a client that is drawn
inline constexpr std::uint32_t most_roles = 8;

/// A call of a client. Calls of one thread are in program order.
struct ClientCall {
  std::uint32_t operation = 0;
  std::uint32_t argument = 0;
  std::uint32_t thread = 0;  ///< 0: the initial part
};
/// The later call begins after the end of the earlier one, which another thread makes. Positions in Client::calls.
struct Wait {
  std::uint32_t earlier = 0;
  std::uint32_t later = 0;
};

struct Client {
  std::uint32_t threads = 0;
  base::ArenaVector<ClientCall> calls;  ///< initial ones first, then thread by thread
  base::ArenaVector<Wait> waits;
};

/// Where a client that is drawn comes from.
class Numbers {
 public:
  /// A number below `count`, which is not 0.
  virtual std::uint32_t below(std::uint32_t count) = 0;

 protected:
  ~Numbers() = default;
};

class Family {
 public:
  /// Everything is in the arena, the description included.
  Family(const FamilyDescription& description, base::Arena& arena);

  std::size_t classes() const { return classes_.size(); }
  /// How many clients the class has. Enumerates them at the first call.
  std::uint32_t size(std::size_t client_class);
  /// The client with this number in its class. In `arena`.
  Client client(std::size_t client_class, std::uint32_t number, base::Arena& arena);
  /// Some client of a size within the bounds, each size as often as any other, or of a larger size. In `arena`. Without
  /// calls: the roles allow none.
  Client draw(Numbers& numbers, base::Arena& arena) const;

 private:
  struct Order;
  struct Shape;
  /// A client: its shape, the order of its calls, and what they are, as digits of a number.
  struct Entry {
    std::uint32_t shape;
    std::uint32_t order;
    std::uint64_t letters;
  };
  struct Class {
    std::uint32_t calls = 0;
    std::uint32_t threads = 0;
    std::uint32_t initial = 0;
    std::span<Shape> shapes;
    std::span<Entry> clients;
    bool is_enumerated = false;
  };
  struct Letter {
    std::uint32_t operation = 0;
    std::uint32_t argument = 0;
    std::uint32_t roles = 0;
  };

  struct Drawn;
  std::uint32_t draw_role(Drawn& drawn, Numbers& numbers) const;
  bool may_call(std::uint32_t role, const Letter& letter) const {
    return letter.roles == 0 || (role < most_roles && (letter.roles >> role & 1) != 0);
  }
  bool draw_calls(Drawn& drawn, std::uint32_t thread, std::uint32_t count, Numbers& numbers, base::Arena& arena) const;
  void draw_waits(Client& client, Numbers& numbers, base::Arena& arena) const;

  void enumerate(Class& described);
  std::span<Shape> shapes_of(std::uint32_t calls, std::uint32_t threads);
  void add_orders(Shape& shape);
  template <typename Visitor>
  void for_each_client(const Class& described, Visitor visit);
  bool is_first_of_its_kind(const Shape& shape, std::uint32_t order, std::span<const std::uint32_t> letters) const;
  bool roles_fit(const Shape& shape, std::span<const std::uint32_t> letters) const;

  base::Arena& arena_;
  std::span<const std::uint32_t> role_limits_;
  std::uint32_t waits_ = 0;
  std::uint32_t larger_ = 0;
  base::ArenaVector<Letter> letters_;
  base::ArenaVector<Letter> initial_letters_;
  base::ArenaVector<Class> classes_;
};

}  // namespace heddle::linearizability
