// The list of FindingRecords in the channel: the worker appends, the driver reads while the worker runs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>

#include "channel/channel.hpp"
#include "channel/record.hpp"

namespace heddle::channel {

/// Bytes of the record with its content, output and decisions, up to the next record.
inline std::uint64_t size_in_log(const FindingRecord& record) {
  const std::uint64_t size = sizeof record + record.content_size + record.output_size + record.decisions_size;
  return (size + 7) & ~std::uint64_t{7};
}

/// The worker's side. There is one writer at a time: the worker, or the child that it waits for.
class FindingLogWriter {
 public:
  explicit FindingLogWriter(Channel& channel) : channel_(channel) {}

  FindingRecord* find(std::uint64_t key) {
    const std::uint64_t end = channel_.progress.findings_size.load(std::memory_order_relaxed);
    for (std::uint64_t at = 0; at < end;) {
      auto* record = reinterpret_cast<FindingRecord*>(channel_.at(findings_offset + at));
      if (record->key == key) return record;
      at += size_in_log(*record);
    }
    return nullptr;
  }

  struct Entry {
    std::uint64_t key = 0;
    std::uint64_t execution = 0;
    bool recorded = true;  ///< false: the decisions are not known
    bool is_timely = true;
    bool is_first = true;  ///< of its kind in the execution
    bool is_without_race = true;
    Words content;  ///< channel/finding_record.hpp
    std::span<const char> output;
    std::uint64_t decisions_size = 0;
  };
  /// Appends a record with a count of 1. `complete(record, decisions)` sets its strategy and writes the bytes of its
  /// decisions; afterwards the driver sees the record. Returns false, and counts the finding as dropped, if there is
  /// no room.
  template <typename Complete>
  bool append(const Entry& entry, Complete complete) {
    Progress& progress = channel_.progress;
    const std::uint64_t end = progress.findings_size.load(std::memory_order_relaxed);
    const std::uint64_t size =
        sizeof(FindingRecord) + entry.content.size_bytes() + entry.output.size() + entry.decisions_size;
    if (end + size + 8 > findings_capacity) {
      progress.findings_dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    auto* record = new (channel_.at(findings_offset + end)) FindingRecord{};
    record->key = entry.key;
    record->execution = entry.execution;
    record->count.store(1, std::memory_order_relaxed);
    record->first_count.store(entry.is_first ? 1 : 0, std::memory_order_relaxed);
    record->content_size = entry.content.size_bytes();
    record->output_size = entry.output.size();
    record->decisions_size = entry.decisions_size;
    record->unrecorded = entry.recorded ? 0 : 1;
    record->is_timely.store(entry.is_timely ? 1 : 0, std::memory_order_relaxed);
    record->is_without_race.store(entry.is_without_race ? 1 : 0, std::memory_order_relaxed);
    auto* at = reinterpret_cast<std::byte*>(record + 1);
    std::memcpy(at, entry.content.data(), entry.content.size_bytes());
    at += entry.content.size_bytes();
    if (!entry.output.empty()) std::memcpy(at, entry.output.data(), entry.output.size());
    complete(*record, reinterpret_cast<std::uint8_t*>(at + entry.output.size()));
    progress.findings_size.store(end + size_in_log(*record), std::memory_order_release);
    return true;
  }

 private:
  Channel& channel_;
};

/// The driver's side. It trusts no size, since the program under test can overwrite the channel.
class FindingLogReader {
 public:
  struct Entry {
    const FindingRecord* record = nullptr;  ///< null: there is no further record
    Words content;
    std::string_view output;
    std::string_view decisions;
  };

  /// The next record that the worker completed. A record whose sizes exceed the list ends it.
  Entry next(Channel& channel) {
    const std::uint64_t end =
        std::min(channel.progress.findings_size.load(std::memory_order_acquire), findings_capacity);
    if (end <= position_ || end - position_ < sizeof(FindingRecord)) return stop(end);
    const std::byte* at = channel.at(findings_offset + position_);
    const auto* record = reinterpret_cast<const FindingRecord*>(at);
    std::uint64_t room = end - position_ - sizeof *record;
    for (const std::uint64_t size : {record->content_size, record->output_size, record->decisions_size}) {
      if (size > room) return stop(end);
      room -= size;
    }
    const auto* content = reinterpret_cast<const char*>(at + sizeof *record);
    position_ += size_in_log(*record);
    return {record,
            {reinterpret_cast<const std::uint64_t*>(content), record->content_size / sizeof(std::uint64_t)},
            {content + record->content_size, record->output_size},
            {content + record->content_size + record->output_size, record->decisions_size}};
  }

 private:
  Entry stop(std::uint64_t end) {
    position_ = std::max(position_, end);
    return {};
  }

  std::uint64_t position_ = 0;
};

}  // namespace heddle::channel
