// A value, or where and why a file is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace heddle::litmus {

struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct Error {
  std::string file;
  Position at;
  std::string message;

  /// "SB.litmus:3:7: message", as compilers write it.
  std::string text() const {
    return file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + message;
  }
};

template <typename T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  const Error& error() const { return error_; }

 private:
  std::optional<T> value_;
  Error error_;
};

}  // namespace heddle::litmus
