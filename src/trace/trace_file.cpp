#include "trace/trace_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "run/values.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::trace {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t preamble_size = 8 + 4 + 4 + 8;
constexpr std::size_t checksum_size = 8;
constexpr std::uint64_t most_header = std::uint64_t{64} << 20;
constexpr std::uint64_t most_decisions = std::uint64_t{1} << 30;

template <typename Integer>
void put(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

template <typename Integer>
Integer get(std::string_view bytes, std::size_t offset) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    value |= static_cast<Integer>(static_cast<Integer>(static_cast<std::uint8_t>(bytes[offset + i])) << (8 * i));
  }
  return value;
}

bool is_utf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Json from_bytes(const std::string& text) {
  if (is_utf8(text)) return text;
  Json bytes = Json::array();
  for (const char c : text) bytes.push_back(static_cast<std::uint8_t>(c));
  return bytes;
}

std::string to_bytes(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string text;
  for (const Json& byte : value) text.push_back(static_cast<char>(byte.get<std::uint8_t>()));
  return text;
}

struct BadHeader {};

Json run_json(const run::RunSpecification& specification) {
  Json json = Json::object();
  for (const run::Field& field : run::fields()) {
    if ((field.uses & run::trace) != 0) json[key_of(field)] = from_bytes(format_value(field, specification));
  }
  return json;
}

run::RunSpecification read_run(const Json& json) {
  run::RunSpecification specification = run::default_specification(run::test);
  for (const run::Field& field : run::fields()) {
    if ((field.uses & run::trace) == 0) continue;
    if (parse_value(field, to_bytes(json.at(key_of(field))), specification)) throw BadHeader{};
  }
  return specification;
}

Json make_header(const TraceFile& trace) {
  Json args = Json::array();
  for (const std::string& argument : trace.args) args.push_back(from_bytes(argument));
  return {{"program", from_bytes(trace.program)},
          {"args", args},
          {"build_id", trace.build_id},
          {"run", run_json(trace.run)},
          {"execution", trace.execution},
          {"recorded", trace.recorded},
          {"check", trace.check},
          {"finding",
           {{"kind", trace.finding_kind}, {"key", trace.finding_key}, {"message", from_bytes(trace.finding_message)}}}};
}

/// Throws Json::exception or BadHeader if the header is not what make_header() writes.
TraceFile read_header(std::string_view text) {
  const Json header = Json::parse(text);
  TraceFile trace;
  trace.program = to_bytes(header.at("program"));
  for (const Json& argument : header.at("args")) trace.args.push_back(to_bytes(argument));
  header.at("build_id").get_to(trace.build_id);
  trace.run = read_run(header.at("run"));
  header.at("execution").get_to(trace.execution);
  header.at("recorded").get_to(trace.recorded);
  header.at("check").get_to(trace.check);
  const Json& finding = header.at("finding");
  finding.at("kind").get_to(trace.finding_kind);
  finding.at("key").get_to(trace.finding_key);
  trace.finding_message = to_bytes(finding.at("message"));
  return trace;
}

}  // namespace

std::string encode_trace(const TraceFile& trace) {
  const std::string header = make_header(trace).dump();
  std::string bytes(trace_magic);
  put(bytes, trace_version);
  put(bytes, static_cast<std::uint32_t>(header.size()));
  put(bytes, static_cast<std::uint64_t>(trace.decisions.size()));
  bytes += header;
  bytes += trace.decisions;
  put(bytes, base::hash_bytes(bytes.data(), bytes.size()));
  return bytes;
}

namespace {

struct Sizes {
  std::uint64_t header = 0;
  std::uint64_t decisions = 0;
};

Problem corrupted(const std::string& name, const char* what) {
  return test_problem(fmt::format("{} is corrupted: {}; record it again", name, what));
}

/// Checks the preamble of a file of `size` bytes. `bytes` are the first ones, at least preamble_size or all of them.
Result<Sizes> read_preamble(std::string_view bytes, std::uint64_t size, const std::string& name) {
  const std::string_view start = bytes.substr(0, trace_magic.size());
  if (start.empty() || start != trace_magic.substr(0, start.size())) {
    return test_problem(fmt::format("{} is not a heddle trace", name));
  }
  const auto truncated = [&] {
    return test_problem(fmt::format("{} is truncated: it ends after {} bytes; record it again", name, size));
  };
  if (bytes.size() < preamble_size) return truncated();
  const auto version = get<std::uint32_t>(bytes, 8);
  if (version != trace_version) {
    return test_problem(fmt::format("{} has trace version {}, and this heddle reads version {}: record it again", name,
                                    version, trace_version));
  }
  const std::uint64_t header_size = get<std::uint32_t>(bytes, 12);
  const auto decisions_size = get<std::uint64_t>(bytes, 16);
  const std::uint64_t rest = size - preamble_size;
  // Sizes come from the file: subtract, since a sum may overflow.
  if (rest < checksum_size || header_size > rest - checksum_size ||
      decisions_size > rest - checksum_size - header_size) {
    return truncated();
  }
  if (decisions_size != rest - checksum_size - header_size) return corrupted(name, "it is longer than its header says");
  if (header_size > most_header) return corrupted(name, "its header is longer than any that heddle writes");
  if (decisions_size > most_decisions) return corrupted(name, "it has more decisions than heddle records");
  return Sizes{header_size, decisions_size};
}

}  // namespace

Result<TraceFile> decode_trace(std::string_view bytes, const std::string& name) {
  const auto sizes = read_preamble(bytes, bytes.size(), name);
  if (!sizes) return sizes.problem();
  const std::size_t content_size = bytes.size() - checksum_size;
  if (get<std::uint64_t>(bytes, content_size) != base::hash_bytes(bytes.data(), content_size)) {
    return corrupted(name, "its checksum does not match its content");
  }
  try {
    TraceFile trace = read_header(bytes.substr(preamble_size, sizes->header));
    trace.decisions = bytes.substr(preamble_size + sizes->header, sizes->decisions);
    return trace;
  } catch (const Json::exception&) {
    return corrupted(name, "its header is not what heddle writes");
  } catch (const BadHeader&) {
    return corrupted(name, "its header has a value that heddle does not write");
  }
}

Outcome write_trace(const std::string& path, const TraceFile& trace) {
  return write_file_atomically(path, encode_trace(trace));
}

Result<TraceFile> read_trace(const std::string& path) {
  const auto file = InputFile::open(path);
  if (!file) return file.problem();
  // A file that is no trace is not read as a whole.
  const auto start = file->read(preamble_size);
  if (!start) return start.problem();
  if (const auto sizes = read_preamble(*start, file->size(), path); !sizes) return sizes.problem();
  const auto bytes = file->read(file->size());
  if (!bytes) return bytes.problem();
  return decode_trace(*bytes, path);
}

}  // namespace heddle::trace
