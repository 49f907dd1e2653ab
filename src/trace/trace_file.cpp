#include "trace/trace_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "run/values.hpp"
#include "trace/atomic_file.hpp"
#include "trace/sealed_file.hpp"

namespace heddle::trace {

namespace {

using Json = nlohmann::ordered_json;

constexpr SealedFormat format{.magic = trace_magic,
                              .version = trace_version,
                              .version_name = "trace version",
                              .article = "a heddle trace",
                              .remedy = "record it again",
                              .most_header = std::uint64_t{64} << 20,
                              .most_content = std::uint64_t{1} << 30};

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

std::string encode_trace(const TraceFile& trace) { return seal(format, {make_header(trace).dump(), trace.decisions}); }

Result<TraceFile> decode_trace(std::string_view bytes, const std::string& name) {
  const auto parts = unseal(format, bytes, name);
  if (!parts) return parts.problem();
  try {
    TraceFile trace = read_header(parts->header);
    trace.decisions = parts->content;
    return trace;
  } catch (const Json::exception&) {
    return corrupted_file(format, name, "its header is not what heddle writes");
  } catch (const BadHeader&) {
    return corrupted_file(format, name, "its header has a value that heddle does not write");
  }
}

Outcome write_trace(const std::string& path, const TraceFile& trace) {
  return write_file_atomically(path, encode_trace(trace));
}

Result<TraceFile> read_trace(const std::string& path) {
  const auto file = InputFile::open(path);
  if (!file) return file.problem();
  // A file that is no trace is not read as a whole.
  const auto begin = file->read(seal_begin_size);
  if (!begin) return begin.problem();
  if (const auto problem = check_seal_begin(format, *begin, file->size(), path)) return *problem;
  const auto bytes = file->read(file->size());
  if (!bytes) return bytes.problem();
  return decode_trace(*bytes, path);
}

}  // namespace heddle::trace
