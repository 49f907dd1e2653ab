// How typed records are written into the channel and read from it. A list of records is a sequence of sections in
// 8-byte words: a header word (section number and length), then the fields of one record. The functions code() of the
// records (channel/finding_record.hpp) list the fields once, for RecordWriter, RecordReader and others.
//
// Encoding: a number or an enumerator is one word; a text is its length in bytes and the bytes, padded with zeros; a
// list of addresses is its length and the addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace heddle::channel {

using Words = std::span<const std::uint64_t>;

/// The last enumerator of an enumeration that is a field; RecordReader refuses larger values.
template <typename Enumeration>
inline constexpr Enumeration last_enumerator = Enumeration::last;

/// Writes records into a fixed buffer, for code that must not allocate. A record that does not fit is left out.
class RecordWriter {
 public:
  explicit RecordWriter(std::span<std::uint64_t> buffer) : buffer_(buffer) {}

  /// Returns false, without side effects, if there is no room for the record.
  template <typename Record>
  bool add(Record record) {
    const std::size_t begin = size_;
    fits_ = true;
    put(0);
    record.code(*this);
    if (!fits_) {
      size_ = begin;
      return false;
    }
    buffer_[begin] = static_cast<std::uint64_t>(Record::section) << 32 | (size_ - begin - 1);
    return true;
  }

  std::span<const std::uint64_t> words() const { return buffer_.first(size_); }

  // ---- for code() -------------------------------------------------------------------------------------------
  template <typename... Fields>
  void fields(Fields&... values) {
    (field(values), ...);
  }
  /// A field with a name, which other readers and writers of the list use.
  template <typename Field>
  RecordWriter& operator()(const char*, Field& value) {
    field(value);
    return *this;
  }

 private:
  template <typename Value>
  void field(Value& value) {
    if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>)
      put(static_cast<std::uint64_t>(value));
    else
      value.code(*this);
  }
  void field(std::string_view text) {
    put(text.size());
    for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, text.size() - at < sizeof word ? text.size() - at : sizeof word);
      put(word);
    }
  }
  void field(Words addresses) {
    put(addresses.size());
    for (const std::uint64_t address : addresses) put(address);
  }
  void put(std::uint64_t word) {
    if (size_ < buffer_.size())
      buffer_[size_++] = word;
    else
      fits_ = false;
  }

  std::span<std::uint64_t> buffer_;
  std::size_t size_ = 0;
  bool fits_ = true;
};

/// Reads what a RecordWriter wrote. It trusts no length and no value, since the program under test can overwrite the
/// channel. Texts and addresses of the records point into the words that are read.
class RecordReader {
 public:
  explicit RecordReader(Words words) : rest_(words) {}

  /// Advances to the next record and returns its section; nothing at the end, or if the words are not well-formed.
  template <typename Section>
  std::optional<Section> next() {
    if (rest_.empty()) return std::nullopt;
    const std::uint64_t header = rest_[0], length = header & 0xffffffffU, section = header >> 32;
    rest_ = rest_.subspan(1);
    if (length > rest_.size() || section > static_cast<std::uint64_t>(last_enumerator<Section>)) {
      rest_ = {};
      return std::nullopt;
    }
    fields_ = rest_.first(length);
    rest_ = rest_.subspan(length);
    return static_cast<Section>(section);
  }

  /// The fields of the current record; nothing if they are not well-formed.
  template <typename Record>
  std::optional<Record> read() {
    Record record;
    is_well_formed_ = true;
    record.code(*this);
    if (!is_well_formed_) return std::nullopt;
    return record;
  }

  // ---- for code() -------------------------------------------------------------------------------------------
  template <typename... Fields>
  void fields(Fields&... values) {
    (field(values), ...);
  }
  template <typename Field>
  RecordReader& operator()(const char*, Field& value) {
    field(value);
    return *this;
  }

  // ---- for read_field(RecordReader&, Field&), which reads fields of other types -------------------------------
  template <typename Field>
  Field read_as() {
    Field value{};
    field(value);
    return value;
  }

 private:
  void field(std::string_view& text) {
    const std::uint64_t size = take();
    if (size > fields_.size() * sizeof(std::uint64_t)) {
      is_well_formed_ = false;
      return;
    }
    const Words words = fields_.first((size + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    fields_ = fields_.subspan(words.size());
    text = {reinterpret_cast<const char*>(words.data()), size};
  }
  void field(Words& addresses) {
    const std::uint64_t size = take();
    if (size > fields_.size()) {
      is_well_formed_ = false;
      return;
    }
    addresses = fields_.first(size);
    fields_ = fields_.subspan(size);
  }
  template <typename Value>
  void field(Value& value) {
    if constexpr (std::is_enum_v<Value>) {
      const std::uint64_t word = take();
      if (word <= static_cast<std::uint64_t>(last_enumerator<Value>))
        value = static_cast<Value>(word);
      else
        is_well_formed_ = false;
    } else if constexpr (std::is_integral_v<Value>) {
      value = static_cast<Value>(take());
    } else if constexpr (requires { read_field(*this, value); }) {
      read_field(*this, value);
    } else {
      value.code(*this);
    }
  }
  std::uint64_t take() {
    if (fields_.empty()) {
      is_well_formed_ = false;
      return 0;
    }
    const std::uint64_t word = fields_[0];
    fields_ = fields_.subspan(1);
    return word;
  }

  Words rest_;    ///< behind the current record
  Words fields_;  ///< of the current record, not read yet
  bool is_well_formed_ = true;
};

}  // namespace heddle::channel
