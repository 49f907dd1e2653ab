// A trace on disk: everything that is needed to show one finding again. Reader and writer live in one file.
//
// A sealed file (trace/sealed_file.hpp) with the magic "heddletr":
//   header    JSON object: program, args, build_id, run {key: text, ...}, execution, recorded, check, finding {kind,
//             key, message}. `run` has the fields that the table in run/fields.cpp marks for traces. `check` is the
//             number of the heddle::check that was executed, from 1; 0: main was the test
//   content   decisions as in trace/decision_list.hpp
//
// `recorded` is false if the worker died before it could hand over its decisions. A replay of such a trace runs the
// execution with the same number under the same seed.
// A string that is not UTF-8 (arguments may be any bytes) is written as an array of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "run/specification.hpp"

namespace heddle::trace {

inline constexpr std::string_view trace_magic = "heddletr";
inline constexpr std::uint32_t trace_version = 4;

struct TraceFile {
  run::RunSpecification run{};  ///< fields that are not kept in traces have the defaults of heddle test when read
  std::string program;          ///< absolute path
  std::vector<std::string> args;
  std::string build_id;  ///< hexadecimal
  std::uint64_t execution = 0;
  bool recorded = true;
  std::uint32_t check = 0;  ///< 0: main is the test
  std::string finding_kind;
  std::uint64_t finding_key = 0;
  std::string finding_message;
  std::string decisions;  ///< bytes

  bool operator==(const TraceFile&) const = default;
};

std::string encode_trace(const TraceFile& trace);
/// `name` is the name of the file in error messages. Any sequence of bytes is safe to decode.
Result<TraceFile> decode_trace(std::string_view bytes, const std::string& name);

Outcome write_trace(const std::string& path, const TraceFile& trace);
Result<TraceFile> read_trace(const std::string& path);

}  // namespace heddle::trace
