// The records of one execution (channel/execution_record.hpp) as the driver reads them, with memory of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "channel/execution_record.hpp"

namespace heddle::story {

struct ThreadRecord {
  std::uint32_t number = 0;
  std::string label;
  std::uint64_t stack_begin = 0;
  std::uint64_t stack_end = 0;
};

struct LocationRecord {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string object;
};

struct EventRecord {
  channel::LoggedEvent fields;  ///< without texts and lists
  std::string operation;
  std::vector<std::uint64_t> stack;
  std::vector<std::uint32_t> clock;
  std::vector<std::uint32_t> synchronised;
};

struct PlainRecord {
  channel::LoggedPlainAccess fields;  ///< without lists
  std::vector<std::uint64_t> stack;
  std::vector<std::uint32_t> clock;
};

struct LogRecords {
  std::uint64_t events_of_execution = 0;
  bool is_complete = false;
  std::vector<ThreadRecord> threads;
  std::vector<LocationRecord> locations;  ///< by their number in the graph; without address and object: not known
  std::vector<EventRecord> events;        ///< by their number in the graph
  std::vector<PlainRecord> plain;         ///< in the order of execution
  std::vector<channel::LoggedDecision> decisions;       ///< in the order of execution
  std::map<std::uint64_t, channel::FramePlace> locals;  ///< by address
};

/// Nothing if the bytes are no log. Every number in the records is in range.
std::optional<LogRecords> read_log_records(std::span<const std::byte> bytes);

}  // namespace heddle::story
