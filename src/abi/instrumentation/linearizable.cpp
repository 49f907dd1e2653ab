// The functions of include/heddle/linearizable.h: the choice of a client, the calls that it makes, and the check of
// what they returned.
#include "heddle/linearizable.h"

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "abi/start/runtime.hpp"
#include "base/hash.hpp"
#include "channel/finding_record.hpp"
#include "linearizability/checker.hpp"
#include "linearizability/clients.hpp"

namespace heddle::abi {

namespace {

using engine::ClientCalls;
using engine::Engine;
using linearizability::CallSet;
using linearizability::Client;
using linearizability::Family;
using linearizability::FamilyDescription;

static_assert(linearizability::most_calls == heddle_most_calls);

struct Message {
  char text[600] = "";
  std::size_t length = 0;

  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int written = std::vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    if (written > 0) length = std::min(length + static_cast<std::size_t>(written), sizeof text - 1);
  }
};

/// The program uses the interface wrongly: this is no bug of its data structure.
[[noreturn]] void refuse(Engine& engine, const char* what) {
  engine.execution().unsupported("the test of linearizability cannot go on: %s", what);
}

/// A search goes through all clients: tells the driver how many there are. To count them takes long if there are
/// millions.
void announce(Engine& engine, const heddle_clients& clients, Family& family) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < family.classes(); ++i) count += family.size(i);
  Message bounds;
  for (std::size_t i = 0; i < clients.bound_count; ++i) {
    const auto& [calls, threads] = clients.bounds[i];
    bounds.add("%s%u %s on %u %s", i == 0 ? "" : " and ", calls, calls == 1 ? "call" : "calls", threads,
               threads == 1 ? "thread" : "threads");
  }
  if (clients.can_end != nullptr) bounds.add(", less those whose threads could all come to wait");
  engine.announce_clients(count, bounds.text);
}

/// A number below `count`, as choices among few options: a search takes them in ascending order.
std::uint32_t choose_below(Engine& engine, std::uint32_t count, std::uint64_t site) {
  constexpr std::uint32_t most_options = 64;
  if (count < 2) return 0;
  if (count <= most_options) return engine.choose_value(count, site);
  const std::uint32_t groups = (count + most_options - 1) / most_options;
  const std::uint32_t group = choose_below(engine, groups, site);
  const std::uint32_t rest = std::min(most_options, count - group * most_options);
  return group * most_options + (rest < 2 ? 0 : engine.choose_value(rest, site));
}

FamilyDescription describe(Engine& engine, const heddle_clients& clients) {
  base::Arena& arena = engine.execution_arena();
  FamilyDescription description;
  const auto operations = arena.create_array<linearizability::OperationChoices>(clients.operation_count);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const heddle_operation& given = clients.operations[i];
    operations[i] = {given.arguments, given.roles, given.may_be_initial != 0};
  }
  const auto bounds = arena.create_array<linearizability::Bound>(clients.bound_count);
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = {clients.bounds[i].calls, clients.bounds[i].threads};
  const auto limits = arena.create_array<std::uint32_t>(clients.role_count);
  for (std::size_t i = 0; i < limits.size(); ++i) limits[i] = clients.role_limits[i];
  description.operations = operations;
  description.bounds = bounds;
  description.role_limits = limits;
  description.initial_calls = clients.initial_calls;
  description.waits = clients.waits;
  description.larger = clients.larger;
  return description;
}

void check_description(Engine& engine, const heddle_clients& clients) {
  if (clients.operation_count == 0) refuse(engine, "it names no operation of the data structure");
  if (clients.bound_count == 0) refuse(engine, "it names no bound for the clients");
  if (clients.role_count > linearizability::most_roles) refuse(engine, "it names more than 8 roles");
  if (clients.initial_calls > 8) refuse(engine, "the initial part can have up to 8 calls");
  if (clients.larger > linearizability::most_client_calls) refuse(engine, "larger clients can have up to 8 calls more");
  for (std::size_t i = 0; i < clients.operation_count; ++i)
    if (clients.operations[i].arguments == 0) refuse(engine, "an operation has no argument to choose from");
  for (std::size_t i = 0; i < clients.bound_count; ++i) {
    const heddle_client_bound& bound = clients.bounds[i];
    if (bound.calls == 0 || bound.calls > linearizability::most_client_calls)
      refuse(engine, "clients can have 1 to 8 calls");
    if (bound.threads == 0 || bound.threads > linearizability::most_client_threads)
      refuse(engine, "clients can have 1 to 4 threads");
  }
}

class ChosenNumbers final : public linearizability::Numbers {
 public:
  ChosenNumbers(Engine& engine, std::uint64_t site) : engine_(engine), site_(site) {}
  std::uint32_t below(std::uint32_t count) override { return choose_below(engine_, count, site_); }

 private:
  Engine& engine_;
  std::uint64_t site_;
};

/// A search goes through the classes; to enumerate them would take sampling long.
Client draw(Engine& engine, const heddle_clients& clients, Family& family, std::uint64_t site) {
  ChosenNumbers numbers(engine, site);
  if (!engine.is_search()) return family.draw(numbers, engine.execution_arena());
  auto client_class = numbers.below(static_cast<std::uint32_t>(family.classes()));
  if (client_class + 1 == family.classes()) announce(engine, clients, family);
  // Roles can leave a class without clients.
  for (std::size_t tried = 0; family.size(client_class) == 0; ++tried) {
    if (tried == family.classes()) return {};
    client_class = (client_class + 1) % static_cast<std::uint32_t>(family.classes());
  }
  return family.client(client_class, numbers.below(family.size(client_class)), engine.execution_arena());
}

heddle_client draw_allowed(Engine& engine, const heddle_clients& clients, Family& family, std::uint64_t site) {
  constexpr int most_draws = 100;
  Client client = draw(engine, clients, family, site);
  for (int draws = 1; client.threads == 0; ++draws) {
    if (draws == most_draws) refuse(engine, "the roles allow no client at all");
    client = draw(engine, clients, family, site);
  }
  heddle_client chosen{};
  chosen.threads = client.threads;
  for (const linearizability::ClientCall& call : client.calls)
    chosen.calls[chosen.call_count++] = {call.operation, call.argument, call.thread};
  for (const linearizability::Wait& wait : client.waits) chosen.waits[chosen.wait_count++] = {wait.earlier, wait.later};
  return chosen;
}

bool can_end(Engine& engine, const heddle_clients& clients, const heddle_client& chosen) {
  if (clients.can_end == nullptr) return true;
  ++engine.current().ignore_depth;
  const bool result = clients.can_end(clients.context, &chosen) != 0;
  --engine.current().ignore_depth;
  return result;
}

/// A search visits a client that is left out, too: its execution is empty. Sampling draws another one.
void choose(Engine& engine, const heddle_clients& clients, heddle_client& chosen, std::uint64_t site) {
  constexpr int most_draws = 1000;
  check_description(engine, clients);
  Family& family = engine.client_calls().family(describe(engine, clients));
  if (clients.larger != 0) engine.findings().withhold_proof(channel::ProofGap::larger_clients);
  chosen = draw_allowed(engine, clients, family, site);
  for (int draws = 1; !can_end(engine, clients, chosen); ++draws) {
    if (engine.is_search()) {
      chosen = {};
      return;
    }
    if (draws == most_draws) refuse(engine, "nearly all its clients could come to wait for ever");
    chosen = draw_allowed(engine, clients, family, site);
  }
}

/// The program's functions as a Specification.
class ProgramSpecification final : public linearizability::Specification {
 public:
  explicit ProgramSpecification(const heddle_specification& functions) : functions_(functions) {}

  State make() override { return functions_.make(functions_.context); }
  State copy(State state) override { return functions_.copy(functions_.context, state); }
  void destroy(State state) override { functions_.destroy(functions_.context, state); }
  bool equal(State a, State b) override {
    return functions_.equal != nullptr && functions_.equal(functions_.context, a, b) != 0;
  }
  std::uint64_t hash(State state) override {
    return functions_.hash == nullptr ? 0 : functions_.hash(functions_.context, state);
  }
  Step apply(State state, std::uint32_t call, std::uint32_t way) override {
    const int result = functions_.apply(functions_.context, state, call, way);
    return result < 0 ? Step::none : result == 0 ? Step::refused : Step::allowed;
  }

 private:
  const heddle_specification& functions_;
};

ClientCalls::HistoryHash hash_of(const ClientCalls& calls, const heddle_specification& specification,
                                 linearizability::History history) {
  const std::uint64_t name =
      base::hash_words(base::hash_text(specification.name), calls.tests_ended(), calls.hash_of_drawn_values());
  ClientCalls::HistoryHash hash{base::hash_words(name, specification.order),
                                base::hash_words(specification.order, name)};
  for (std::uint32_t call = 0; call < history.size(); ++call) {
    const std::uint64_t content = specification.hash_call(specification.context, call);
    hash.first = base::hash_words(hash.first, content, history[call]);
    hash.second = base::hash_words(history[call], content, hash.second);
  }
  return hash;
}

/// The calls of a history that is not linearizable, for people.
class HistoryReport {
 public:
  HistoryReport(const ClientCalls& calls, const heddle_specification& specification, linearizability::History history,
                const linearizability::Reasons& reasons, base::Arena& arena)
      : calls_(calls), reasons_(reasons), order_(arena.create_array<std::uint32_t>(history.size())),
        records_(arena.create_array<channel::CallRecord>(history.size())) {
    for (std::uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return calls.began_earlier(a, b); });
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      constexpr std::size_t room = 120;
      const auto text = arena.create_array<char>(room);
      specification.describe(specification.context, order_[i], text.data(), room);
      text[room - 1] = '\0';
      records_[i] = {calls.label_of(order_[i]), text.data(), sorted(history[order_[i]]),
                     sorted(reasons.before[order_[i]]), (reasons.unexplained & linearizability::only(order_[i])) != 0};
    }
  }

  std::span<const channel::CallRecord> records() const { return records_; }

  /// One sentence that says why no order explains the results.
  Message message() const {
    Message message;
    const int unexplained = std::popcount(reasons_.unexplained);
    message.add("no order of the calls explains %s", unexplained == 2 ? "both " : "");
    int named = 0;
    for (std::uint32_t i = 0; i < records_.size(); ++i) {
      if (!records_[i].is_unexplained) continue;
      ++named;
      message.add("%s%s", named == 1 ? "" : named < unexplained ? ", " : " and ", name(i).text);
    }
    if (unexplained > 2) message.add(" together");
    const char* link = ": ";
    for (std::uint32_t later = 0; later < records_.size(); ++later) {
      for (CallSet left = records_[later].reasons; left != 0; left &= left - 1) {
        const auto earlier = static_cast<std::uint32_t>(std::countr_zero(left));
        message.add("%s%s happens before %s", link, called(earlier).text, called(later).text);
        link = ", and ";
      }
    }
    return message;
  }

 private:
  std::uint32_t position(std::uint32_t call) const {
    return static_cast<std::uint32_t>(std::find(order_.begin(), order_.end(), call) - order_.begin());
  }
  CallSet sorted(CallSet set) const {
    CallSet result = 0;
    for (; set != 0; set &= set - 1)
      result |= linearizability::only(position(static_cast<std::uint32_t>(std::countr_zero(set))));
    return result;
  }
  /// With its thread, if another call reads alike.
  Message name(std::uint32_t at) const {
    Message text;
    text.add("%s", records_[at].text.data());
    const bool is_unique = std::count_if(records_.begin(), records_.end(),
                                         [&](const auto& other) { return other.text == records_[at].text; }) == 1;
    if (!is_unique) text.add(" in %s", records_[at].thread.data());
    return text;
  }
  Message called(std::uint32_t at) const {
    if (!records_[at].is_unexplained || std::popcount(reasons_.unexplained) != 1) return name(at);
    Message text;
    text.add("this call");
    return text;
  }

  const ClientCalls& calls_;
  const linearizability::Reasons& reasons_;
  std::span<std::uint32_t> order_;  ///< the numbers of the calls, by their begin
  std::span<channel::CallRecord> records_;
};

void check(Engine& engine, const heddle_specification& given, std::uint64_t site) {
  ClientCalls& calls = engine.client_calls();
  if (!calls.all_ended()) refuse(engine, "heddle_check_calls was called before all calls had ended");
  const auto order = given.order == heddle_sequentially_consistent ? ClientCalls::Order::program_order
                                                                   : ClientCalls::Order::happens_before;
  const linearizability::History history = calls.history(order);
  ++engine.current().ignore_depth;
  const bool has_hash = given.hash_call != nullptr && calls.knows_drawn_values();
  const ClientCalls::HistoryHash hash = has_hash ? hash_of(calls, given, history) : ClientCalls::HistoryHash{};
  if (has_hash && calls.is_known(hash)) {
    --engine.current().ignore_depth;
    calls.end_test();
    return;
  }
  const std::uint64_t events = engine.events_of_execution();
  ProgramSpecification specification(given);
  base::Arena& arena = calls.scratch();
  const bool fits = linearizability::is_linearizable(history, specification, arena);
  if (!fits) {
    const linearizability::Reasons reasons = linearizability::find_reasons(history, specification, arena);
    const HistoryReport report(calls, given, history, reasons, arena);
    const Message message = report.message();
    engine.findings().report_history(message.text, report.records(), given.name, site);
  }
  --engine.current().ignore_depth;
  if (engine.events_of_execution() != events)
    refuse(engine, "the specification makes atomic operations or takes locks; an ordinary, sequential class is needed");
  if (fits) {
    if (has_hash) calls.remember(hash);
    calls.end_test();
    return;
  }
  engine.scheduler().end_with_finding();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void heddle_choose_client(const heddle_clients* clients, heddle_client* chosen) {
  *chosen = {};
  if (Engine* engine = running()) choose(*engine, *clients, *chosen, HEDDLE_CALLER);
}
void heddle_call_begins(unsigned call) {
  Engine* engine = running();
  if (engine != nullptr && !engine->client_calls().begin(call))
    refuse(*engine, "heddle_call_begins was called twice for one call, or for more than 64 calls");
}
void heddle_call_ends(unsigned call) {
  Engine* engine = running();
  if (engine != nullptr && !engine->client_calls().end(call))
    refuse(*engine, "heddle_call_ends was called for a call that this thread has not begun");
}
int heddle_call_comes_before(unsigned earlier, unsigned later) {
  Engine* engine = running();
  return engine != nullptr && engine->client_calls().comes_before(earlier, later) ? 1 : 0;
}
void heddle_check_calls(const heddle_specification* specification) {
  if (Engine* engine = running()) check(*engine, *specification, HEDDLE_CALLER);
}
void heddle_refuse(const char* what) {
  if (Engine* engine = running()) refuse(*engine, what);
  std::fprintf(stderr, "heddle: %s\n", what);
  std::abort();
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
