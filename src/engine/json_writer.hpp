// Writes JSON into a fixed buffer. What does not fit is cut off, and `complete` says so.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

namespace heddle::engine {

class JsonWriter {
 public:
  explicit JsonWriter(std::span<char> buffer) : buffer_(buffer) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name) {
    separate();
    quoted(name);
    put(':');
    needs_comma_ = false;
    return *this;
  }
  JsonWriter& text(std::string_view value) {
    separate();
    quoted(value);
    needs_comma_ = true;
    return *this;
  }
  JsonWriter& number(std::uint64_t value) { return formatted("%llu", static_cast<unsigned long long>(value)); }
  JsonWriter& address(std::uint64_t value) { return formatted("\"0x%llx\"", static_cast<unsigned long long>(value)); }

  std::string_view result() const { return {buffer_.data(), size_}; }
  bool complete() const { return complete_; }

 private:
  JsonWriter& open(char bracket) {
    separate();
    put(bracket);
    needs_comma_ = false;
    return *this;
  }
  JsonWriter& close(char bracket) {
    put(bracket);
    needs_comma_ = true;
    return *this;
  }
  JsonWriter& formatted(const char* format, unsigned long long value) {
    separate();
    char digits[32];
    const int length = std::snprintf(digits, sizeof digits, format, value);
    for (int i = 0; i < length; ++i) put(digits[i]);
    needs_comma_ = true;
    return *this;
  }
  void separate() {
    if (needs_comma_) put(',');
  }
  void quoted(std::string_view value) {
    put('"');
    for (char c : value) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') put('\\');
      if (byte >= 0x20 && byte < 0x7f) {
        put(c);
      } else {  // control characters and everything beyond ASCII, as the code point of the same number
        constexpr char digits[] = "0123456789abcdef";
        for (char part : {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]}) put(part);
      }
    }
    put('"');
  }
  void put(char c) {
    if (size_ < buffer_.size())
      buffer_[size_++] = c;
    else
      complete_ = false;
  }

  std::span<char> buffer_;
  std::size_t size_ = 0;
  bool needs_comma_ = false;
  bool complete_ = true;
};

}  // namespace heddle::engine
