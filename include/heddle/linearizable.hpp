// Checks a concurrent data structure against its sequential twin. See docs/linearizability.md.
//
//   #include <heddle/linearizable.hpp>
//
//   int main() {
//     return heddle::linearizable<Queue<int>>("queue", heddle::specification::queue<int>())
//         .operation("push", [](auto& queue, int value) { queue.push(value); }, heddle::fresh)
//         .operation("pop", [](auto& queue) { return queue.try_pop(); })
//         .finally("pop", heddle::until_empty)
//         .run();
//   }
//
// `heddle verify` runs every client with a few threads and calls, in every way that the memory model allows. `heddle
// test` draws clients and executions.
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/detail/call_values.hpp"
#include "heddle/linearizable.h"
#include "heddle/specifications.hpp"

namespace heddle {

/// The arguments of an operation are 1, 2, 3, ...: each call of a client has a value of its own. For structures that
/// only pass values on. A structure that is right for different values is right for equal ones, too.
struct Fresh {};
inline constexpr Fresh fresh;

/// How the final part makes a call.
enum class Finally {
  once,         ///< with each of its arguments
  until_empty,  ///< again and again, until the result converts to false: an empty std::optional, false, a null pointer
};
inline constexpr Finally once = Finally::once;
inline constexpr Finally until_empty = Finally::until_empty;

/// When an operation may fail without a reason that the specification knows.
enum class Failure {
  at_any_time,
  beside_others,  ///< only if its order to some other call is open: neither comes before the other
};
inline constexpr Failure at_any_time = Failure::at_any_time;
inline constexpr Failure beside_others = Failure::beside_others;

/// Which threads may call an operation.
struct Role {
  std::string name;
  unsigned most_threads = 0;  ///< 0: any number
};

template <typename Subject, typename Specification>
class Linearizable {
  static_assert(
      std::is_copy_constructible_v<Specification>,
      "heddle: the sequential specification must be copyable: the check tries many orders of the calls, each on "
      "a copy of its own");

 public:
  Linearizable(std::string name, Specification specification, std::function<std::unique_ptr<Subject>()> make)
      : name_(std::move(name)), initial_state_(std::move(specification)), make_(std::move(make)) {}

  // ---- operations --------------------------------------------------------------------------------------------------
  // `call` is called with the subject, and with the specification: a generic lambda. If their members differ, pass a
  // second callable for the specification. The results of both are compared with ==. A specification that allows
  // several results takes the subject's result as its last argument, and returns whether it is one of them.

  /// An operation without arguments.
  template <typename Call>
  Linearizable& operation(const std::string& name, Call call) {
    return operation(name, call, call);
  }
  template <typename OnSubject, typename OnSpecification,
            typename = std::enable_if_t<std::is_invocable_v<OnSubject, Subject&>>>
  Linearizable& operation(const std::string& name, OnSubject on_subject, OnSpecification on_specification) {
    operations_.push_back(without_arguments(name, on_subject, on_specification));
    return *this;
  }
  /// An operation whose argument is a new value in each call.
  template <typename Call>
  Linearizable& operation(const std::string& name, Call call, Fresh) {
    return operation(name, call, call, fresh);
  }
  template <typename OnSubject, typename OnSpecification>
  Linearizable& operation(const std::string& name, OnSubject on_subject, OnSpecification on_specification, Fresh) {
    static_assert(std::is_invocable_v<OnSubject, Subject&, int>,
                  "heddle: with heddle::fresh, the subject's side of an operation takes the subject and an int");
    return add(name, std::vector<int>(1), Numbered::yes, on_subject, on_specification);
  }
  /// An operation whose argument is one of these.
  template <typename Call, typename Argument>
  Linearizable& operation(const std::string& name, Call call, std::initializer_list<Argument> arguments) {
    return operation(name, call, call, arguments);
  }
  template <typename OnSubject, typename OnSpecification, typename Argument>
  Linearizable& operation(const std::string& name, OnSubject on_subject, OnSpecification on_specification,
                          std::initializer_list<Argument> arguments) {
    static_assert(std::is_invocable_v<OnSubject, Subject&, const Argument&>,
                  "heddle: the subject's side of an operation does not take the subject and one of these arguments");
    return add(name, std::vector<Argument>(arguments), Numbered::no, on_subject, on_specification);
  }

  /// The operation that was added last may fail, with this result. It then changes nothing.
  template <typename Result>
  Linearizable& may_fail_with(const Result& result, Failure when = at_any_time) {
    last("may_fail_with").allow_failure(detail::AnyResult(result), when);
    return *this;
  }
  /// The operation that was added last waits while this holds, until another call has changed it. Clients in which all
  /// threads could come to wait are left out, so a deadlock of another client is a bug of the data structure.
  template <typename Condition>
  Linearizable& waits_while(Condition condition) {
    static_assert(std::is_invocable_r_v<bool, Condition, const Specification&>,
                  "heddle: waits_while takes a function of the specification that returns a bool");
    last("waits_while").waits_while = std::move(condition);
    return *this;
  }
  /// Only threads of this role call the operation that was added last. A role is made by the first operation that names
  /// it. Operations without a role may be called by every thread.
  Linearizable& only_by(const Role& role) {
    std::size_t number = 0;
    while (number < roles_.size() && roles_[number].name != role.name) ++number;
    if (number == roles_.size()) roles_.push_back(role);
    last("only_by").roles |= 1U << number;
    return *this;
  }

  // ---- clients -----------------------------------------------------------------------------------------------------
  /// Clients with up to so many calls on up to so many threads. Several bounds: clients within any of them. Without
  /// any: 4 calls on 2 threads, and 3 calls on 3 threads.
  Linearizable& up_to(unsigned calls, unsigned threads) {
    bounds_.push_back({calls, threads});
    return *this;
  }
  /// Clients begin with up to so many calls of the operation, before the threads are created.
  Linearizable& initially(const std::string& name, unsigned most_calls) {
    find(name, "initially").may_be_initial = true;
    if (most_calls > initial_calls_) initial_calls_ = most_calls;
    return *this;
  }
  /// Every client ends with calls of the operation, when the threads have ended.
  Linearizable& finally(const std::string& name, Finally how = once) {
    final_.push_back({&find(name, "finally"), how});
    return *this;
  }
  /// Every client ends with calls of an operation that only this part makes.
  template <typename Call, typename = std::enable_if_t<std::is_invocable_v<Call, Subject&>>>
  Linearizable& finally(const std::string& name, Call call, Finally how = once) {
    return finally(name, call, call, how);
  }
  template <typename OnSubject, typename OnSpecification,
            typename = std::enable_if_t<std::is_invocable_v<OnSpecification, Specification&>>>
  Linearizable& finally(const std::string& name, OnSubject on_subject, OnSpecification on_specification,
                        Finally how = once) {
    final_operations_.push_back(without_arguments(name, on_subject, on_specification));
    final_.push_back({final_operations_.back().get(), how});
    return *this;
  }
  template <typename OnSubject, typename OnSpecification, typename Argument>
  Linearizable& finally(const std::string& name, OnSubject on_subject, OnSpecification on_specification,
                        std::initializer_list<Argument> arguments) {
    final_operations_.push_back(
        make_typed(name, std::vector<Argument>(arguments), Numbered::no, on_subject, on_specification));
    final_.push_back({final_operations_.back().get(), once});
    return *this;
  }
  /// At most so many calls of a client wait for a call of another thread. Default: any number.
  Linearizable& most_waits(unsigned waits) {
    waits_ = waits;
    return *this;
  }
  /// Sampling also draws clients with up to so many calls more than the bounds allow, up to 8.
  Linearizable& larger(unsigned calls) {
    larger_ = calls;
    return *this;
  }
  /// Calls of different threads need not keep their order.
  Linearizable& sequentially_consistent() {
    order_ = heddle_sequentially_consistent;
    return *this;
  }

  /// Makes the calls of one client, and checks their results: the body of main under heddle test and heddle verify, and
  /// of a heddle::check. Returns 0.
  int run() {
    choose_client();
    if (client_.call_count == 0) return 0;  // the search leaves this one out
    calls_.clear();
    subject_ = make_();
    for (unsigned i = 0; i < client_.call_count; ++i)
      calls_.push_back({operations_[client_.calls[i].operation].get(), client_.calls[i].argument, i + 1, {}});
    unsigned next = 0;
    while (next < client_.call_count && client_.calls[next].thread == 0) make_call(next++);
    run_threads(next);
    run_final_part();
    subject_.reset();
    check();
    return 0;
  }

 private:
  enum class Numbered : bool { no, yes };

  /// Whether the specification's side of an operation takes the subject's result behind the other arguments.
  template <typename OnSpecification, typename Result, typename... Arguments>
  static constexpr bool sees_result_of = std::conjunction_v<
      std::negation<std::is_void<Result>>, std::negation<std::is_invocable<OnSpecification, Arguments...>>,
      std::is_invocable_r<bool, OnSpecification, Arguments..., std::add_lvalue_reference_t<const Result>>>;

  class Operation {
   public:
    Operation(std::string given_name, Numbered is_numbered) : name(std::move(given_name)), numbered(is_numbered) {}
    virtual ~Operation() = default;
    virtual unsigned arguments() const = 0;
    virtual detail::AnyResult call(Subject& subject, unsigned argument, unsigned number) const = 0;
    virtual bool explains(Specification& state, unsigned argument, unsigned number,
                          const detail::AnyResult& result) const = 0;
    virtual void apply(Specification& state, unsigned argument, unsigned number) const = 0;
    virtual std::string argument_text(unsigned argument, unsigned number) const = 0;
    void allow_failure(detail::AnyResult result, Failure when) {
      failure = std::move(result);
      fails = when;
    }

    const std::string name;
    const Numbered numbered;
    unsigned roles = 0;
    bool may_be_initial = false;
    std::optional<detail::AnyResult> failure;
    Failure fails = at_any_time;
    std::function<bool(const Specification&)> waits_while;
  };

  template <typename Argument, typename OnSubject, typename OnSpecification>
  class TypedOperation final : public Operation {
   public:
    using SubjectResult = std::decay_t<std::invoke_result_t<OnSubject, Subject&, const Argument&>>;
    static constexpr bool sees_result = sees_result_of<OnSpecification, SubjectResult, Specification&, const Argument&>;
    static_assert(sees_result || std::is_invocable_v<OnSpecification, Specification&, const Argument&>,
                  "heddle: the specification's side of an operation takes other arguments than the subject's");
    using SpecificationResult = std::decay_t<
        typename std::conditional_t<sees_result, std::enable_if<true, bool>,
                                    std::invoke_result<OnSpecification, Specification&, const Argument&>>::type>;
    static_assert(sees_result || detail::are_comparable<SubjectResult, SpecificationResult>,
                  "heddle: the results of an operation on the subject and on the specification cannot be compared "
                  "with ==");

    TypedOperation(std::string given_name, Numbered is_numbered, std::vector<Argument> arguments, OnSubject on_subject,
                   OnSpecification on_specification)
        : Operation(std::move(given_name), is_numbered), arguments_(std::move(arguments)),
          on_subject_(std::move(on_subject)), on_specification_(std::move(on_specification)) {}

    unsigned arguments() const override { return static_cast<unsigned>(arguments_.size()); }
    detail::AnyResult call(Subject& subject, unsigned argument, unsigned number) const override {
      const Argument& value = value_of(argument, number);
      if constexpr (std::is_void_v<SubjectResult>) {
        std::invoke(on_subject_, subject, value);
        return detail::AnyResult();
      } else {
        return detail::AnyResult(std::invoke(on_subject_, subject, value));
      }
    }
    bool explains(Specification& state, unsigned argument, unsigned number,
                  const detail::AnyResult& result) const override {
      const Argument& value = value_of(argument, number);
      if constexpr (sees_result) {
        return std::invoke(on_specification_, state, value, result.template get<SubjectResult>());
      } else if constexpr (std::is_void_v<SpecificationResult>) {
        std::invoke(on_specification_, state, value);
        return true;
      } else {
        return detail::is_result(result.template get<SubjectResult>(), std::invoke(on_specification_, state, value));
      }
    }
    void apply(Specification& state, unsigned argument, unsigned number) const override {
      const Argument& value = value_of(argument, number);
      if constexpr (sees_result)
        detail::refuse("waits_while needs a specification that knows the result of '" + this->name + "' alone");
      else
        static_cast<void>(std::invoke(on_specification_, state, value));
    }
    std::string argument_text(unsigned argument, unsigned number) const override {
      return detail::text_of(value_of(argument, number));
    }

   private:
    /// Fresh values are numbered by call.
    Argument value_of(unsigned argument, unsigned number) const {
      if constexpr (std::is_same_v<Argument, int>)
        if (this->numbered == Numbered::yes) return static_cast<int>(number);
      return arguments_[argument];
    }

    std::vector<Argument> arguments_;
    OnSubject on_subject_;
    OnSpecification on_specification_;
  };

  struct Call {
    const Operation* operation;
    unsigned argument;
    unsigned number;  ///< of its fresh value
    detail::AnyResult result;
  };
  struct FinalCall {
    const Operation* operation;
    Finally how;
  };

  template <typename Argument, typename OnSubject, typename OnSpecification>
  static std::unique_ptr<Operation> make_typed(const std::string& name, std::vector<Argument> arguments,
                                               Numbered numbered, OnSubject on_subject,
                                               OnSpecification on_specification) {
    return std::make_unique<TypedOperation<Argument, OnSubject, OnSpecification>>(
        name, numbered, std::move(arguments), std::move(on_subject), std::move(on_specification));
  }
  template <typename OnSubject, typename OnSpecification>
  static std::unique_ptr<Operation> without_arguments(const std::string& name, OnSubject on_subject,
                                                      OnSpecification on_specification) {
    using Result = std::decay_t<std::invoke_result_t<OnSubject, Subject&>>;
    constexpr bool sees_result = sees_result_of<OnSpecification, Result, Specification&>;
    static_assert(sees_result || std::is_invocable_v<OnSpecification, Specification&>,
                  "heddle: the specification's side of an operation takes other arguments than the subject's");
    const auto call = [on_subject](Subject& subject, const detail::None&) { return std::invoke(on_subject, subject); };
    if constexpr (sees_result)
      return make_typed(name, std::vector<detail::None>(1), Numbered::no, call,
                        [on_specification](Specification& state, const detail::None&, const Result& result) {
                          return std::invoke(on_specification, state, result);
                        });
    else
      return make_typed(name, std::vector<detail::None>(1), Numbered::no, call,
                        [on_specification](Specification& state, const detail::None&) {
                          return std::invoke(on_specification, state);
                        });
  }
  template <typename Argument, typename OnSubject, typename OnSpecification>
  Linearizable& add(const std::string& name, std::vector<Argument> arguments, Numbered numbered, OnSubject on_subject,
                    OnSpecification on_specification) {
    operations_.push_back(make_typed(name, std::move(arguments), numbered, on_subject, on_specification));
    return *this;
  }

  Operation& last(const char* member) {
    if (operations_.empty()) detail::refuse(std::string(member) + " is about the operation before it: there is none");
    return *operations_.back();
  }
  Operation& find(const std::string& name, const char* member) {
    for (const auto& operation : operations_)
      if (operation->name == name) return *operation;
    detail::refuse(std::string(member) + " names the operation '" + name + "', which was not added before");
  }

  void choose_client() {
    std::vector<heddle_operation> operations;
    for (const auto& operation : operations_)
      operations.push_back({operation->arguments(), operation->roles, operation->may_be_initial ? 1U : 0U});
    std::vector<unsigned> limits;
    for (const Role& role : roles_) limits.push_back(role.most_threads);
    if (bounds_.empty()) bounds_ = {{4, 2}, {3, 3}};
    heddle_clients clients{};
    clients.operations = operations.data();
    clients.operation_count = operations.size();
    clients.role_limits = limits.data();
    clients.role_count = limits.size();
    clients.bounds = bounds_.data();
    clients.bound_count = bounds_.size();
    clients.initial_calls = initial_calls_;
    clients.waits = waits_;
    clients.larger = larger_;
    for (const auto& operation : operations_)
      if (operation->waits_while)
        clients.can_end = [](void* context, const heddle_client* client) {
          return detail::without_exceptions([&] { return self(context).can_end(*client) ? 1 : 0; });
        };
    clients.context = this;
    heddle_choose_client(&clients, &client_);
  }

  // ---- operations that wait
  // -----------------------------------------------------------------------------------------

  /// Whether the sequential type comes to the end of the client in every order of its calls.
  bool can_end(const heddle_client& client) const { return can_end(client, initial_state_, 0); }
  bool can_end(const heddle_client& client, const Specification& state, std::uint32_t done) const {
    bool has_ended = true, can_go_on = false;
    for (unsigned number = 0; number < client.call_count; ++number) {
      if ((done >> number & 1) != 0) continue;
      has_ended = false;
      const Operation& operation = *operations_[client.calls[number].operation];
      if (!is_next(client, done, number) || (operation.waits_while && operation.waits_while(state))) continue;
      Specification next = state;
      operation.apply(next, client.calls[number].argument, number + 1);
      if (!can_end(client, next, done | std::uint32_t{1} << number)) return false;
      can_go_on = true;
    }
    return has_ended || can_go_on;
  }
  static bool is_next(const heddle_client& client, std::uint32_t done, unsigned number) {
    for (unsigned other = 0; other < number; ++other) {
      const bool comes_first =
          client.calls[other].thread == 0 || client.calls[other].thread == client.calls[number].thread;
      if (comes_first && (done >> other & 1) == 0) return false;
    }
    for (unsigned i = 0; i < client.wait_count; ++i)
      if (client.waits[i].later == number && (done >> client.waits[i].earlier & 1) == 0) return false;
    return true;
  }

  // ---- the client
  // ----------------------------------------------------------------------------------------------------
  void make_call(unsigned number) {
    Call& call = calls_[number];
    for (unsigned i = 0; i < client_.wait_count; ++i)
      if (client_.waits[i].later == number) ::sem_wait(&waited_for_[i]);
    heddle_call_begins(number);
    call.result = call.operation->call(*subject_, call.argument, call.number);
    heddle_call_ends(number);
    for (unsigned i = 0; i < client_.wait_count; ++i)
      if (client_.waits[i].earlier == number) ::sem_post(&waited_for_[i]);
  }

  struct Thread {
    Linearizable* owner;
    unsigned begin;  ///< of its calls
    unsigned end;
    pthread_t handle;
  };

  static void* run_thread(void* argument) {
    const Thread& self = *static_cast<Thread*>(argument);
    for (unsigned call = self.begin; call < self.end; ++call) self.owner->make_call(call);
    return nullptr;
  }

  void run_threads(unsigned next) {
    for (unsigned i = 0; i < client_.wait_count; ++i) ::sem_init(&waited_for_[i], 0, 0);
    Thread threads[heddle_most_client_calls];
    for (unsigned i = 0; i < client_.threads; ++i) {
      threads[i] = {this, next, next, {}};
      while (next < client_.call_count && client_.calls[next].thread == i + 1) threads[i].end = ++next;
    }
    for (unsigned i = 0; i < client_.threads; ++i)
      if (::pthread_create(&threads[i].handle, nullptr, run_thread, &threads[i]) != 0)
        detail::refuse("a thread cannot be created");
    for (unsigned i = 0; i < client_.threads; ++i) ::pthread_join(threads[i].handle, nullptr);
    for (unsigned i = 0; i < client_.wait_count; ++i) ::sem_destroy(&waited_for_[i]);
  }

  void run_final_part() {
    if (client_.threads == 0) return;
    for (const FinalCall& final : final_) {
      const Operation& operation = *final.operation;
      for (unsigned argument = 0; argument < operation.arguments(); ++argument) {
        do {
          if (calls_.size() == heddle_most_calls)
            detail::refuse("the final part has not come to an end: '" + operation.name + "' never has an empty result");
          const auto number = static_cast<unsigned>(calls_.size());
          calls_.push_back({&operation, argument, number + 1, {}});
          make_call(number);
        } while (final.how == until_empty && !calls_.back().result.is_empty());
      }
    }
  }

  // ---- the check
  // -----------------------------------------------------------------------------------------------------
  static Linearizable& self(void* context) { return *static_cast<Linearizable*>(context); }
  static Specification& state(void* state) { return *static_cast<Specification*>(state); }

  bool explain(Specification& state, unsigned number) const {
    const Call& call = calls_[number];
    const auto& waits_while = call.operation->waits_while;
    if (waits_while && waits_while(state)) return false;
    return call.operation->explains(state, call.argument, call.number, call.result);
  }
  int apply(Specification& state, unsigned number, unsigned way) const {
    const Call& call = calls_[number];
    if (way == 1 && call.operation->failure)
      return call.result.equals(*call.operation->failure) && may_fail(number) ? 1 : 0;
    return way != 0 ? -1 : explain(state, number) ? 1 : 0;
  }
  bool may_fail(unsigned number) const {
    if (calls_[number].operation->fails == at_any_time) return true;
    for (unsigned other = 0; other < calls_.size(); ++other)
      if (other != number && heddle_call_comes_before(other, number) == 0 &&
          heddle_call_comes_before(number, other) == 0)
        return true;
    return false;
  }
  std::uint64_t hash_call(unsigned number) const {
    const Call& call = calls_[number];
    const Operation& operation = *call.operation;
    std::uint64_t hash = detail::mixed(operation.numbered == Numbered::yes ? call.number : 0, call.argument);
    for (std::size_t i = 0; i < operations_.size(); ++i)
      if (operations_[i].get() == &operation) hash = detail::mixed(hash, i);
    for (std::size_t i = 0; i < final_operations_.size(); ++i)
      if (final_operations_[i].get() == &operation) hash = detail::mixed(hash, operations_.size() + i);
    if (operation.fails == beside_others) hash = detail::mixed(hash, may_fail(number) ? 1 : 0);
    return detail::mixed(hash, call.result.hash());
  }

  std::string describe(unsigned number) const {
    const Call& call = calls_[number];
    const std::string result = call.result.text();
    return call.operation->name + "(" + call.operation->argument_text(call.argument, call.number) + ")" +
           (result.empty() ? "" : " = " + result);
  }

  void check() {
    heddle_specification specification{};
    specification.name = name_.c_str();
    specification.order = order_;
    specification.context = this;
    specification.make = [](void* context) -> void* {
      return detail::without_exceptions([&] { return new Specification(self(context).initial_state_); });
    };
    specification.copy = [](void*, const void* copied) -> void* {
      return detail::without_exceptions([&] { return new Specification(*static_cast<const Specification*>(copied)); });
    };
    specification.destroy = [](void*, void* destroyed) { delete &state(destroyed); };
    specification.apply = [](void* context, void* changed, unsigned call, unsigned way) {
      return detail::without_exceptions([&] { return self(context).apply(state(changed), call, way); });
    };
    if constexpr (detail::are_comparable<Specification, Specification>)
      specification.equal = [](void*, const void* a, const void* b) {
        return *static_cast<const Specification*>(a) == *static_cast<const Specification*>(b) ? 1 : 0;
      };
    bool is_hashable = true;
    for (const Call& call : calls_) is_hashable &= call.result.is_hashable();
    if (is_hashable)
      specification.hash_call = [](void* context, unsigned number) { return self(context).hash_call(number); };
    specification.describe = [](void* context, unsigned call, char* text, size_t size) {
      std::snprintf(text, size, "%s", self(context).describe(call).c_str());
    };
    heddle_check_calls(&specification);
  }

  std::string name_;
  Specification initial_state_;
  std::function<std::unique_ptr<Subject>()> make_;
  std::vector<std::unique_ptr<Operation>> operations_;
  std::vector<std::unique_ptr<Operation>> final_operations_;  ///< that only the final part calls
  std::vector<Role> roles_;
  std::vector<heddle_client_bound> bounds_;
  std::vector<FinalCall> final_;
  unsigned initial_calls_ = 0;
  unsigned waits_ = heddle_most_client_calls;
  unsigned larger_ = 0;
  int order_ = heddle_linearizable;

  // Of the execution:
  heddle_client client_{};
  std::unique_ptr<Subject> subject_;
  std::vector<Call> calls_;
  sem_t waited_for_[heddle_most_client_calls];
};

/// The subject is made by its default constructor, in every execution.
template <typename Subject, typename Specification>
Linearizable<Subject, Specification> linearizable(std::string name, Specification specification) {
  static_assert(std::is_default_constructible_v<Subject>,
                "heddle: the subject has no default constructor: pass a function that makes one, as a third argument");
  return {std::move(name), std::move(specification), [] { return std::make_unique<Subject>(); }};
}
/// `make` makes the subject, as a std::unique_ptr.
template <typename Subject, typename Specification, typename Make>
Linearizable<Subject, Specification> linearizable(std::string name, Specification specification, Make make) {
  return {std::move(name), std::move(specification), std::move(make)};
}

}  // namespace heddle
