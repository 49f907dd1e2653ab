// A trace on disk: all that it takes to show one finding again. Reader and writer live in one file.
//
// Layout (integers little-endian):
//   8 bytes   magic "heddletr"
//   4 bytes   version, now 2
//   4 bytes   size of the header
//   8 bytes   size of the decision list
//   header    JSON object: program, args, build_id, model, release_sequence, seed, execution, strategy, max_events,
//             max_memory, timeout_ms, isolation, stdin, leaks, recorded, finding {kind, key, message}, and check where
//             the execution is of a heddle::check: which one the program calls, from 1
//   decisions as in trace/decision_list.hpp
//   8 bytes   XXH3-64 of everything before it
//
// `recorded` is false where the worker died before it could hand over its decisions; such an execution is shown
// again by running its number under its seed.
// A string that is not UTF-8 (arguments may be anything) stands as an array of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/result.hpp"

namespace heddle::trace {

inline constexpr std::string_view trace_magic = "heddletr";
inline constexpr std::uint32_t trace_version = 2;

struct TraceFile {
  std::string program;  ///< absolute path
  std::vector<std::string> args;
  std::string build_id;  ///< hexadecimal
  std::string model;
  std::string release_sequence;  ///< cpp20, c11
  std::uint64_t seed = 0;
  std::uint64_t execution = 0;
  std::string strategy;
  std::uint64_t max_events = 0;
  std::uint64_t max_memory = 0;
  std::uint64_t timeout_ms = 0;
  std::string isolation;   ///< reset, fork
  std::string stdin_path;  ///< absolute path; empty: none
  bool leaks = false;
  bool recorded = true;
  std::uint32_t check = 0;  ///< 0: main is the test
  std::string finding_kind;
  std::uint64_t finding_key = 0;
  std::string finding_message;
  std::string decisions;  ///< bytes

  bool operator==(const TraceFile&) const = default;
};

std::string encode_trace(const TraceFile& trace);
/// `name` is for the sentences about what is wrong. Never crashes, whatever the bytes are.
Result<TraceFile> decode_trace(std::string_view bytes, const std::string& name);

Outcome write_trace(const std::string& path, const TraceFile& trace);
Result<TraceFile> read_trace(const std::string& path);

}  // namespace heddle::trace
