#include "session/make_witness.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/hash.hpp"

namespace heddle::session {

namespace {

using channel::log_nothing;
using channel::SiteOperation;
using graph::EventKind;
using orders::RacingAccess;
using orders::Witness;
using orders::WitnessEvent;

// As many as the worker looks at when it changes the order of an operation (engine/memory/site_orders.cpp).
constexpr std::size_t most_wrappers = 5;
// Reads of one round of a loop that waits.
constexpr std::size_t longest_round = 8;
// Leaves room for a fence before and after each event.
constexpr std::uint32_t index_scale = 4;

class WitnessMaker {
 public:
  WitnessMaker(const findings::Finding& finding, const story::LogRecords& records, const findings::ModuleMap& modules,
               const orders::SiteList& sites, const SiteDimensions& dimensions)
      : finding_(finding), in_(records), modules_(modules), sites_(sites), dimensions_(dimensions) {}

  std::optional<Witness> make() {
    const std::size_t end = end_of_execution();
    if (!in_.is_complete) return std::nullopt;
    Witness witness;
    witness.finding = finding_.key;
    witness.locations = static_cast<std::uint32_t>(in_.locations.size());
    for (const story::ThreadRecord& thread : in_.threads)
      witness.threads = std::max(witness.threads, thread.number + 1);
    for (std::size_t i = 0; i < end; ++i) {
      witness.events.push_back(event_of(in_.events[i]));
      if (!refers_back(witness.events.back(), i)) return std::nullopt;
    }
    drop_repeated_rounds(witness);
    add_fences(witness);
    if (witness.events.size() > orders::longest_witness) return std::nullopt;
    if (finding_.kind != findings::FindingKind::race) return witness;
    witness.race = race(end);
    if (!witness.race) return std::nullopt;
    return witness;
  }

 private:
  /// What comes after the bug has no part in it.
  std::size_t end_of_execution() const {
    const std::size_t all = in_.events.size();
    return finding_.graph_events ? std::min<std::size_t>(*finding_.graph_events, all) : all;
  }

  /// A thread that waits in a loop reads the same writes again and again. The first round shows what the others do: a
  /// read of a write that the thread has read before, without a write of its own between, adds no happens-before, and
  /// the model allows it whenever it allows the first.
  /// Fences that the run had added go, too: add_fences() puts them back where an assignment has them.
  void drop_repeated_rounds(Witness& witness) {
    std::vector<std::vector<std::size_t>> kept(witness.threads);
    std::vector<bool> is_dropped(witness.events.size());
    for (std::size_t i = 0; i < witness.events.size(); ++i) is_dropped[i] = is_added_fence(in_.events[i]);
    for (std::size_t i = 0; i < witness.events.size(); ++i) {
      if (witness.events[i].thread == log_nothing || is_dropped[i]) continue;
      auto& own = kept[witness.events[i].thread];
      own.push_back(i);
      for (std::size_t length = 1; length <= longest_round && 2 * length <= own.size(); ++length) {
        if (!is_repeated(witness, std::span(own).last(2 * length))) continue;
        for (const std::size_t event : std::span(own).last(length)) is_dropped[event] = true;
        own.resize(own.size() - length);
        break;
      }
    }
    std::vector<std::uint32_t> renamed(witness.events.size(), log_nothing);
    std::vector<WitnessEvent> events;
    for (std::size_t i = 0; i < witness.events.size(); ++i) {
      if (is_dropped[i]) continue;
      WitnessEvent& event = witness.events[i];
      renamed[i] = static_cast<std::uint32_t>(events.size());
      if (event.reads_from != log_nothing) event.reads_from = renamed[event.reads_from];
      for (std::uint32_t& release : event.synchronised) release = renamed[release];
      events.push_back(std::move(event));
    }
    witness.events = std::move(events);
  }

  /// Whether the second half of these events of a thread reads what the first half has read, and does nothing else.
  static bool is_repeated(const Witness& witness, std::span<const std::size_t> rounds) {
    const std::size_t length = rounds.size() / 2;
    for (std::size_t i = 0; i < length; ++i) {
      const WitnessEvent &first = witness.events[rounds[i]], &second = witness.events[rounds[i + length]];
      const bool is_same = first.kind == EventKind::load && second.kind == EventKind::load &&
                           first.location == second.location && first.reads_from == second.reads_from &&
                           first.site == second.site && first.order == second.order &&
                           first.is_failed_exchange == second.is_failed_exchange;
      if (!is_same) return false;
    }
    return true;
  }

  /// Fences that assignments can add. They get indices between those of the operation and its neighbours.
  void add_fences(Witness& witness) {
    std::vector<std::uint32_t> renamed;
    std::vector<WitnessEvent> events;
    for (WitnessEvent& event : witness.events) {
      const auto fence = [&](std::uint32_t dimension, std::uint32_t index) {
        if (dimension != orders::no_dimension)
          events.push_back({.kind = EventKind::fence, .thread = event.thread, .index = index, .dimension = dimension});
      };
      event.index *= index_scale;
      if (event.reads_from != log_nothing) event.reads_from = renamed[event.reads_from];
      for (std::uint32_t& release : event.synchronised) release = renamed[release];
      const DimensionsOfSite around = event.site == log_nothing ? DimensionsOfSite{} : dimensions_[event.site];
      const std::uint32_t index = event.index;
      fence(around.fence_before, index - 1);
      renamed.push_back(static_cast<std::uint32_t>(events.size()));
      events.push_back(event);
      fence(around.fence_after, index + 1);
    }
    witness.events = std::move(events);
  }

  static bool refers_back(const WitnessEvent& event, std::size_t position) {
    const auto is_back = [&](std::uint32_t other) { return other < position; };
    return (event.reads_from == log_nothing || is_back(event.reads_from)) &&
           std::all_of(event.synchronised.begin(), event.synchronised.end(), is_back);
  }

  WitnessEvent event_of(const story::EventRecord& record) {
    const channel::LoggedEvent& fields = record.fields;
    WitnessEvent event;
    event.kind = fields.kind;
    event.order = fields.order;
    event.size = static_cast<std::uint8_t>(fields.size);
    event.is_failed_exchange = fields.failed_exchange;
    event.thread = fields.thread;
    event.index = fields.index;
    event.location = fields.location;
    event.reads_from = fields.reads_from;
    event.mo_position = fields.mo_position;
    event.synchronised = record.synchronised;
    switch (fields.kind) {
      case EventKind::load:
        event.site = site_of(record, fields.failed_exchange ? SiteOperation::failed_exchange : SiteOperation::load);
        if (fields.failed_exchange)
          event.success_dimension = order_dimension(site_of(record, SiteOperation::compare_exchange));
        break;
      case EventKind::store: event.site = site_of(record, SiteOperation::store); break;
      case EventKind::rmw:
        event.site = site_of(record, SiteOperation::read_modify_write);
        if (event.site == log_nothing) event.site = site_of(record, SiteOperation::compare_exchange);
        break;
      case EventKind::fence: event.site = site_of(record, SiteOperation::fence); break;
      default: break;
    }
    event.dimension = order_dimension(event.site);
    return event;
  }

  std::uint32_t order_dimension(std::uint32_t site) const {
    return site == log_nothing ? orders::no_dimension : dimensions_[site].order;
  }

  /// A fence at another operation: the run had added it. Those of the kernel, in a call of futex, stay.
  bool is_added_fence(const story::EventRecord& record) {
    if (record.fields.kind != EventKind::fence || record.fields.operation != "fence") return false;
    if (site_of(record, SiteOperation::fence) != log_nothing) return false;
    for (const SiteOperation operation :
         {SiteOperation::load, SiteOperation::store, SiteOperation::read_modify_write, SiteOperation::compare_exchange})
      if (site_of(record, operation) != log_nothing) return true;
    return false;
  }

  /// The innermost call of a stack that is a site with this operation.
  std::uint32_t site_of(const story::EventRecord& record, SiteOperation operation) {
    for (std::size_t i = 0; i < std::min(record.stack.size(), most_wrappers); ++i)
      if (const auto site = site_at(record.stack[i] + (i == 0 ? 1 : 0), operation))
        return static_cast<std::uint32_t>(*site);
    return log_nothing;
  }

  /// `address` is where a call returns to. The innermost place of a stack is the last byte of a call.
  std::optional<std::size_t> site_at(std::uint64_t address, SiteOperation operation) {
    const findings::LoadedFile* module = modules_.find(address);
    if (module == nullptr) return std::nullopt;
    const auto [hash, is_new] = hashes_.try_emplace(module, 0);
    if (is_new) hash->second = base::hash_text(module->path);
    return sites_.find(hash->second, address - module->base, operation);
  }

  std::optional<orders::Race> race(std::size_t end) const {
    if (finding_.accesses.size() != 2) return std::nullopt;
    const auto second = find(finding_.accesses[0], end), first = find(finding_.accesses[1], end);
    if (!first || !second) return std::nullopt;
    return orders::Race{*first, *second};
  }

  /// The newest access that agrees with one of the finding.
  std::optional<RacingAccess> find(const findings::Access& access, std::size_t end) const {
    const auto is_it = [&](std::uint32_t thread, const std::vector<std::uint64_t>& stack, std::uint64_t address,
                           std::uint64_t size) {
      return label_of(thread) == access.thread && !stack.empty() && !access.stack.pcs.empty() &&
             stack[0] == access.stack.pcs[0] && access.address.value - address < size;
    };
    for (std::size_t i = in_.plain.size(); i-- > 0;) {
      const auto& fields = in_.plain[i].fields;
      if (fields.events_before <= end && is_it(fields.thread, in_.plain[i].stack, fields.address, fields.size))
        return RacingAccess{fields.thread, fields.index * index_scale};
    }
    for (std::size_t i = end; i-- > 0;) {
      const auto& fields = in_.events[i].fields;
      if (fields.location == log_nothing || fields.thread == log_nothing) continue;
      if (is_it(fields.thread, in_.events[i].stack, in_.locations[fields.location].address, fields.size))
        return RacingAccess{fields.thread, fields.index * index_scale};
    }
    return std::nullopt;
  }

  std::string label_of(std::uint32_t thread) const {
    const auto found = std::find_if(in_.threads.begin(), in_.threads.end(),
                                    [&](const story::ThreadRecord& record) { return record.number == thread; });
    return found == in_.threads.end() ? "" : found->label;
  }

  const findings::Finding& finding_;
  const story::LogRecords& in_;
  const findings::ModuleMap& modules_;
  const orders::SiteList& sites_;
  const SiteDimensions& dimensions_;
  std::map<const findings::LoadedFile*, std::uint64_t> hashes_;  ///< of the paths
};

}  // namespace

std::optional<Witness> make_witness(const findings::Finding& finding, const story::LogRecords& records,
                                    const findings::ModuleMap& modules, const orders::SiteList& sites,
                                    const SiteDimensions& dimensions) {
  return WitnessMaker(finding, records, modules, sites, dimensions).make();
}

}  // namespace heddle::session
