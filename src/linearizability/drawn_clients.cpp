// Clients that are drawn: their calls, the roles of their threads, and which calls wait.
#include <algorithm>
#include <bit>

#include "linearizability/clients.hpp"

namespace heddle::linearizability {

struct Family::Drawn {
  Client client;
  std::uint32_t used[most_roles] = {};  ///< how many threads have each role
};

Client Family::draw(Numbers& numbers, base::Arena& arena) const {
  // Clients of one thread are no test of concurrency.
  const auto is_concurrent = [](const Class& described) { return described.threads > 1; };
  const bool some = std::any_of(classes_.begin(), classes_.end(), is_concurrent);
  std::uint32_t possible = 0;
  for (const Class& described : classes_) possible += !some || is_concurrent(described) ? 1 : 0;
  std::uint32_t skipped = numbers.below(possible);
  const Class* chosen = classes_.begin();
  while ((some && !is_concurrent(*chosen)) || skipped-- != 0) ++chosen;
  const Class& size = *chosen;
  std::uint32_t calls = size.calls;
  // A quarter of the clients, since the small ones find most bugs, and find them in few executions.
  if (larger_ != 0 && numbers.below(4) == 0) calls = std::min(calls + 1 + numbers.below(larger_), most_drawn_calls);
  std::uint32_t sizes[most_client_threads] = {};
  for (std::uint32_t call = 0; call < calls; ++call) ++sizes[call < size.threads ? call : numbers.below(size.threads)];
  Drawn drawn;
  for (std::uint32_t i = 0; i < size.initial; ++i) {
    const Letter& letter = initial_letters_[numbers.below(static_cast<std::uint32_t>(initial_letters_.size()))];
    drawn.client.calls.push_back(arena, {letter.operation, letter.argument, 0});
  }
  // A thread that may call nothing is left out.
  for (std::uint32_t thread = 0; thread < size.threads; ++thread)
    if (draw_calls(drawn, drawn.client.threads + 1, sizes[thread], numbers, arena)) ++drawn.client.threads;
  if (drawn.client.threads == 0) return {};
  draw_waits(drawn.client, numbers, arena);
  return drawn.client;
}

/// most_roles: all roles have as many threads as they may have, or there are none.
std::uint32_t Family::draw_role(Drawn& drawn, Numbers& numbers) const {
  std::uint32_t possible[most_roles], count = 0;
  for (std::uint32_t role = 0; role < role_limits_.size(); ++role)
    if (role_limits_[role] == 0 || drawn.used[role] < role_limits_[role]) possible[count++] = role;
  if (count == 0) return most_roles;
  const std::uint32_t role = possible[numbers.below(count)];
  ++drawn.used[role];
  return role;
}

bool Family::draw_calls(Drawn& drawn, std::uint32_t thread, std::uint32_t count, Numbers& numbers,
                        base::Arena& arena) const {
  const std::uint32_t role = draw_role(drawn, numbers);
  base::ArenaVector<Letter> possible;
  for (const Letter& letter : letters_)
    if (may_call(role, letter)) possible.push_back(arena, letter);
  if (possible.empty()) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Letter& letter = possible[numbers.below(static_cast<std::uint32_t>(possible.size()))];
    drawn.client.calls.push_back(arena, {letter.operation, letter.argument, thread});
  }
  return true;
}

void Family::draw_waits(Client& client, Numbers& numbers, base::Arena& arena) const {
  const auto size = static_cast<std::uint32_t>(client.calls.size());
  std::uint32_t first = 0;
  while (client.calls[first].thread == 0) ++first;
  // The calls before each one, that one included: by program order, and by the waits so far.
  std::uint32_t before[32] = {};
  static_assert(most_drawn_calls + 8 <= std::size(before));
  for (std::uint32_t call = first; call < size; ++call) {
    before[call] = std::uint32_t{1} << call;
    if (call > first && client.calls[call - 1].thread == client.calls[call].thread) before[call] |= before[call - 1];
  }
  const std::uint32_t made = size - first;
  // Waits are what shows missing barriers, but they also take freedom away: half of the clients have none.
  const std::uint32_t most = std::min(waits_, made / 2 + 1);
  const std::uint32_t wanted = most == 0 || numbers.below(2) == 0 ? 0 : 1 + numbers.below(most);
  for (std::uint32_t i = 0; client.threads > 1 && i < wanted; ++i) {
    const std::uint32_t earlier = first + numbers.below(made), later = first + numbers.below(made);
    const bool is_new = (before[later] >> earlier & 1) == 0 && (before[earlier] >> later & 1) == 0;
    if (!is_new) continue;
    client.waits.push_back(arena, {earlier, later});
    for (std::uint32_t call = first; call < size; ++call)
      if ((before[call] >> later & 1) != 0) before[call] |= before[earlier];
  }
}

}  // namespace heddle::linearizability
