#include "story/log_records.hpp"

#include <algorithm>

namespace heddle::story {

namespace {

using channel::log_nothing;

template <typename Number>
std::vector<Number> copy_of(channel::Words words) {
  std::vector<Number> copy;
  copy.reserve(words.size());
  for (const std::uint64_t word : words) copy.push_back(static_cast<Number>(word));
  return copy;
}

/// More of them in one execution than the graph has events: the program has overwritten the record.
constexpr std::uint32_t most_locations = 1 << 20;

class Reader {
 public:
  explicit Reader(channel::Words words) : reader_(words) {}

  std::optional<LogRecords> read() {
    bool has_head = false;
    while (const auto section = reader_.next<channel::LogSection>()) {
      switch (*section) {
        case channel::LogSection::head:
          if (const auto head = reader_.read<channel::LogHead>()) {
            out_.events_of_execution = head->events;
            out_.is_complete = head->left_out == 0;
            has_head = true;
          }
          break;
        case channel::LogSection::thread: add_thread(); break;
        case channel::LogSection::location: add_location(); break;
        case channel::LogSection::event: add_event(); break;
        case channel::LogSection::plain_access: add_plain(); break;
        case channel::LogSection::local:
          if (const auto local = reader_.read<channel::LoggedLocal>()) out_.locals[local->address] = local->place;
          break;
        case channel::LogSection::decision:
          if (const auto decision = reader_.read<channel::LoggedDecision>()) out_.decisions.push_back(*decision);
          break;
      }
    }
    if (!has_head || !is_in_range()) return std::nullopt;
    std::ranges::stable_sort(out_.decisions, {}, &channel::LoggedDecision::events_before);
    return std::move(out_);
  }

 private:
  void add_thread() {
    if (const auto thread = reader_.read<channel::LoggedThread>())
      out_.threads.push_back({thread->number, std::string(thread->label), thread->stack_begin, thread->stack_end});
  }

  void add_location() {
    const auto location = reader_.read<channel::LoggedLocation>();
    if (!location || location->number >= most_locations) return;
    if (out_.locations.size() <= location->number) out_.locations.resize(location->number + 1);
    out_.locations[location->number] = {location->address, location->size, std::string(location->object)};
  }

  void add_event() {
    const auto event = reader_.read<channel::LoggedEvent>();
    if (!event) return;
    EventRecord record{*event, std::string(event->operation), copy_of<std::uint64_t>(event->stack),
                       copy_of<std::uint32_t>(event->clock), copy_of<std::uint32_t>(event->synchronised)};
    record.fields.operation = {};
    record.fields.stack = record.fields.clock = record.fields.synchronised = {};
    out_.events.push_back(std::move(record));
  }

  void add_plain() {
    const auto access = reader_.read<channel::LoggedPlainAccess>();
    if (!access) return;
    PlainRecord record{*access, copy_of<std::uint64_t>(access->stack), copy_of<std::uint32_t>(access->clock)};
    record.fields.stack = record.fields.clock = {};
    out_.plain.push_back(std::move(record));
  }

  bool knows_thread(std::uint32_t number) const {
    return std::any_of(out_.threads.begin(), out_.threads.end(),
                       [&](const ThreadRecord& thread) { return thread.number == number; });
  }

  /// The program can overwrite the channel: a log whose records do not fit together is none.
  bool is_in_range() {
    const std::size_t count = out_.events.size();
    for (std::size_t i = 0; i < count; ++i) {
      const channel::LoggedEvent& event = out_.events[i].fields;
      if (event.number != i) return false;
      if (event.thread != log_nothing && !knows_thread(event.thread)) return false;
      if (event.reads_from != log_nothing && event.reads_from >= count) return false;
      if (event.location != log_nothing && event.location >= most_locations) return false;
      if (event.location != log_nothing && event.location >= out_.locations.size())
        out_.locations.resize(event.location + 1);
      for (const std::uint32_t other : out_.events[i].synchronised)
        if (other >= count) return false;
    }
    return std::all_of(out_.plain.begin(), out_.plain.end(),
                       [&](const PlainRecord& access) { return knows_thread(access.fields.thread); });
  }

  channel::RecordReader reader_;
  LogRecords out_;
};

}  // namespace

std::optional<LogRecords> read_log_records(std::span<const std::byte> bytes) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(bytes.data());
  return Reader({words, bytes.size() / sizeof *words}).read();
}

}  // namespace heddle::story
