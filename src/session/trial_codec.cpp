#include "session/trial_codec.hpp"

#include <cstring>
#include <type_traits>

namespace heddle::session {

namespace {

/// One function lists the members for both directions: a Writer takes their values, a Reader sets them.
class Writer {
 public:
  std::string bytes;

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void operator()(const T& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  template <typename T, typename Each>
  void list(const std::vector<T>& values, Each each) {
    (*this)(values.size());
    for (const T& value : values) each(*this, value);
  }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool is_complete() const { return is_complete_ && rest_.empty(); }

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& value) {
    if (!has(sizeof value)) return;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    if (!has(size)) return;
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  template <typename T, typename Each>
  void list(std::vector<T>& values, Each each) {
    std::size_t size = 0;
    (*this)(size);
    if (!has(size)) return;  // each value takes a byte at least
    values.resize(size);
    for (T& value : values) each(*this, value);
  }

 private:
  bool has(std::size_t size) {
    is_complete_ = is_complete_ && rest_.size() >= size;
    return is_complete_;
  }

  std::string_view rest_;
  bool is_complete_ = true;
};

constexpr auto code_whole = [](auto& coder, auto& value) { coder(value); };

constexpr auto code_event = [](auto& coder, auto& event) {
  coder(event.kind);
  coder(event.order);
  coder(event.size);
  coder(event.is_failed_exchange);
  coder(event.thread);
  coder(event.index);
  coder(event.location);
  coder(event.reads_from);
  coder(event.mo_position);
  coder(event.dimension);
  coder(event.success_dimension);
  coder.list(event.synchronised, code_whole);
};

constexpr auto code_witness = [](auto& coder, auto& witness) {
  coder.list(witness.events, code_event);
  coder(witness.threads);
  coder(witness.locations);
  coder(witness.race);
  coder(witness.finding);
};

constexpr auto code_access = [](auto& coder, auto& access) {
  coder(access.place.file);
  coder(access.place.line);
  coder(access.place.column);
  coder(access.place.function);
  coder(access.what);
};

constexpr auto code_bug = [](auto& coder, auto& bug) {
  coder(bug.program);
  coder(bug.key);
  coder(bug.kind);
  coder(bug.message);
  coder(bug.trace);
  coder.list(bug.plain, code_access);
};

constexpr auto code_trial = [](auto& coder, auto& trial) {
  coder(trial.judgement);
  coder.list(trial.certificates, code_whole);
  coder.list(trial.bugs, code_bug);
  coder.list(trial.witnesses, code_witness);
  coder(trial.problem);
};

}  // namespace

std::string encode_trial(const Trial& trial, std::uint64_t executions) {
  Writer writer;
  writer(executions);
  code_trial(writer, trial);
  return std::move(writer.bytes);
}

std::optional<DecodedTrial> decode_trial(std::string_view bytes) {
  Reader reader(bytes);
  DecodedTrial decoded;
  reader(decoded.executions);
  code_trial(reader, decoded.trial);
  if (!reader.is_complete()) return std::nullopt;
  return decoded;
}

}  // namespace heddle::session
