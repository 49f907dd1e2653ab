#include "engine/clients/client_calls.hpp"

#include <cstddef>
#include <new>

#include "base/hash.hpp"
#include "engine/operations/operation.hpp"

namespace heddle::engine {

using linearizability::CallSet;
using linearizability::Family;
using linearizability::FamilyDescription;
using linearizability::only;

Family& ClientCalls::family(const FamilyDescription& description) {
  std::uint64_t hash = base::hash_words(description.initial_calls, description.waits, description.larger);
  for (const auto& operation : description.operations)
    hash = base::hash_words(hash, operation.arguments, operation.roles, operation.may_be_initial);
  for (const std::uint32_t limit : description.role_limits) hash = base::hash_words(hash, limit, 1);
  for (const auto& bound : description.bounds) hash = base::hash_words(hash, bound.calls, bound.threads);
  for (const KnownFamily& known : families_)
    if (known.hash == hash) return *known.family;
  auto* family = new (forever_.allocate(sizeof(Family), alignof(Family))) Family(description, forever_);
  families_.push_back(forever_, {hash, family});
  return *family;
}

bool ClientCalls::begin(std::uint32_t call) {
  if (call >= linearizability::most_calls) return false;
  if (call >= calls_.size()) calls_.resize(arena_, call + std::size_t{1});
  Call& begun = calls_[call];
  if (begun.label != nullptr) return false;
  const ProgramThread& self = threads_.current();
  begun.label = self.label;
  begun.thread = self.id;
  begun.begin_step = ++steps_;
  const base::VectorClock& clock = *graph_.thread(self.id).clock;
  const auto entries = arena_.create_array<std::uint32_t>(graph_.threads().size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = clock[i];
  begun.clock = entries;
  return true;
}

bool ClientCalls::end(std::uint32_t call) {
  if (call >= calls_.size()) return false;
  Call& ended = calls_[call];
  const ProgramThread& self = threads_.current();
  if (ended.label == nullptr || ended.thread != self.id || ended.end_step != 0) return false;
  ended.end_step = ++steps_;
  ended.end_index = graph_.thread(self.id).index;
  return true;
}

bool ClientCalls::all_ended() const {
  for (const Call& call : calls_)
    if (call.end_step == 0) return false;
  return true;
}

bool ClientCalls::comes_before(const Call& a, const Call& b) const {
  if (a.thread == b.thread) return a.end_step < b.begin_step;
  return number(a.thread) < b.clock.size() && b.clock[number(a.thread)] >= a.end_index;
}

linearizability::History ClientCalls::history(Order order) const {
  const auto before = arena_.create_array<CallSet>(calls_.size());
  const graph::ThreadId self = threads_.current().id;
  for (std::uint32_t later = 0; later < calls_.size(); ++later) {
    const Call& b = calls_[later];
    for (std::uint32_t earlier = 0; earlier < calls_.size(); ++earlier) {
      const Call& a = calls_[earlier];
      const bool matters =
          order == Order::happens_before || a.thread == b.thread || a.thread == self || b.thread == self;
      if (matters && earlier != later && comes_before(a, b)) before[later] |= only(earlier);
    }
  }
  return before;
}

base::Arena& ClientCalls::scratch() {
  constexpr std::size_t room = std::size_t{16} << 20;  // of address space
  if (scratch_.capacity() == 0)
    scratch_ = base::Arena({static_cast<std::byte*>(forever_.allocate(room, alignof(std::max_align_t))), room});
  scratch_.reset();
  return scratch_;
}

std::uint64_t ClientCalls::hash_of_drawn_values() const {
  std::uint64_t hash = 0;
  for (const graph::Event& event : graph_.events())
    if (event.operation == static_cast<std::uint8_t>(Operation::any_value))
      hash = base::hash_words(hash, static_cast<std::uint64_t>(event.read));
  return hash;
}

bool ClientCalls::is_known(const HistoryHash& hash) const {
  if (known_.empty()) return false;
  for (std::size_t at = hash.first & (known_.size() - 1); known_[at] != HistoryHash{};
       at = (at + 1) & (known_.size() - 1))
    if (known_[at] == hash) return true;
  return false;
}

void ClientCalls::remember(const HistoryHash& hash) {
  const auto insert = [this](const HistoryHash& added) {
    std::size_t at = added.first & (known_.size() - 1);
    while (known_[at] != HistoryHash{}) at = (at + 1) & (known_.size() - 1);
    known_[at] = added;
  };
  if (2 * (known_count_ + 1) > known_.size()) {
    const std::span<HistoryHash> old = known_;
    known_ = forever_.create_array<HistoryHash>(old.empty() ? 1024 : 2 * old.size());
    for (const HistoryHash& kept : old)
      if (kept != HistoryHash{}) insert(kept);
  }
  insert(hash);
  ++known_count_;
}

}  // namespace heddle::engine
