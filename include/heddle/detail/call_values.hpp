// Arguments and results of calls for heddle/linearizable.hpp: compared, hashed and written for people.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/linearizable.h"

namespace heddle {

/// What a specification returns that leaves the result open: the subject may return any of these.
template <typename Result>
struct OneOf {
  std::vector<Result> results;
};
template <typename Result>
OneOf<Result> one_of(std::initializer_list<Result> results) {
  return {results};
}

namespace detail {

[[noreturn]] inline void refuse(const std::string& what) { ::heddle_refuse(what.c_str()); }

template <typename Function>
auto without_exceptions(Function function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::exception& thrown) {
    refuse(std::string("the specification has thrown an exception: ") + thrown.what());
  } catch (...) {
    refuse("the specification has thrown an exception");
  }
}

/// The argument of an operation without arguments.
struct None {};

// ---- comparing
// -------------------------------------------------------------------------------------------------------

template <typename A, typename B, typename = void>
struct Comparable : std::false_type {};
template <typename A, typename B>
struct Comparable<
    A, B, std::enable_if_t<std::is_convertible_v<decltype(std::declval<const A&>() == std::declval<const B&>()), bool>>>
    : std::true_type {};
template <typename A, typename B>
struct Comparable<A, OneOf<B>, void> : Comparable<A, B> {};
template <>
struct Comparable<void, void, void> : std::true_type {};
template <typename A, typename B>
inline constexpr bool are_comparable = Comparable<A, B>::value;

template <typename A, typename B>
bool is_result(const A& actual, const B& expected) {
  return static_cast<bool>(actual == expected);
}
template <typename A, typename B>
bool is_result(const A& actual, const OneOf<B>& expected) {
  for (const B& result : expected.results)
    if (static_cast<bool>(actual == result)) return true;
  return false;
}

// ---- words
// -----------------------------------------------------------------------------------------------------------

template <typename T, typename = void>
struct Printable : std::false_type {};
template <typename T>
struct Printable<T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>> : std::true_type {
};

inline std::string text_of(const None&) { return ""; }
inline std::string text_of(bool value) { return value ? "true" : "false"; }
template <typename A, typename B>
std::string text_of(const std::pair<A, B>& pair);
template <typename T>
std::string text_of(const std::optional<T>& value);
template <typename T>
std::string text_of(const std::vector<T>& values);
template <typename T>
std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return text_of(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (Printable<T>::value) {
    std::ostringstream out;
    out << value;
    return out.str();
  } else {
    return "...";
  }
}
template <typename A, typename B>
std::string text_of(const std::pair<A, B>& pair) {
  return text_of(pair.first) + ", " + text_of(pair.second);
}
template <typename T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "empty";
}
template <typename T>
std::string text_of(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += (text.size() == 1 ? "" : ", ") + text_of(value);
  return text + "]";
}

// ---- hashes
// ---------------------------------------------------------------------------------------------------------- Two
// results with the same hash are taken for equal: a hash has to tell results apart. So only types whose every bit goes
// into the hash have one, and texts.

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  const auto product = static_cast<unsigned __int128>(hash ^ 0x9e3779b97f4a7c15ULL) * (word ^ 0xd6e8feb86659fd93ULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ (hash << 1) ^ word;
}

template <typename T, typename = void>
struct Hash {
  static constexpr bool exists = false;
};
template <typename T>
struct Hash<T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>> {
  static constexpr bool exists = sizeof(T) <= sizeof(std::uint64_t);
  static std::uint64_t of(const T& value) { return static_cast<std::uint64_t>(value); }
};
template <>
struct Hash<std::string> {
  static constexpr bool exists = true;
  static std::uint64_t of(const std::string& value) {
    std::uint64_t hash = value.size();
    for (const char c : value) hash = mixed(hash, static_cast<unsigned char>(c));
    return hash;
  }
};
template <typename T>
struct Hash<std::optional<T>> {
  static constexpr bool exists = Hash<T>::exists;
  static std::uint64_t of(const std::optional<T>& value) { return value ? mixed(1, Hash<T>::of(*value)) : 0; }
};
template <typename A, typename B>
struct Hash<std::pair<A, B>> {
  static constexpr bool exists = Hash<A>::exists && Hash<B>::exists;
  static std::uint64_t of(const std::pair<A, B>& value) {
    return mixed(mixed(2, Hash<A>::of(value.first)), Hash<B>::of(value.second));
  }
};
template <typename T>
struct Hash<std::vector<T>> {
  static constexpr bool exists = Hash<T>::exists;
  static std::uint64_t of(const std::vector<T>& values) {
    std::uint64_t hash = values.size();
    for (const T& value : values) hash = mixed(hash, Hash<T>::of(value));
    return hash;
  }
};

// ---- results of any type
// ---------------------------------------------------------------------------------------------

/// What a call returned. Nothing: it returned void, or has not returned.
class AnyResult {
 public:
  AnyResult() = default;
  template <typename T, typename = std::enable_if_t<!std::is_same_v<T, AnyResult>>>
  explicit AnyResult(T value) : held_(std::make_unique<Held<T>>(std::move(value))) {}

  template <typename T>
  const T& get() const {
    return static_cast<const Held<T>&>(*held_).value;
  }
  bool equals(const AnyResult& other) const {
    return held_ == nullptr || other.held_ == nullptr ? held_ == other.held_ : held_->equals(*other.held_);
  }
  /// For Finally::until_empty.
  bool is_empty() const { return held_ == nullptr || held_->is_empty(); }
  bool is_hashable() const { return held_ == nullptr || held_->is_hashable(); }
  std::uint64_t hash() const { return held_ == nullptr ? 0 : held_->hash(); }
  std::string text() const { return held_ == nullptr ? "" : held_->text(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual bool equals(const Base& other) const = 0;
    virtual bool is_empty() const = 0;
    virtual bool is_hashable() const = 0;
    virtual std::uint64_t hash() const = 0;
    virtual std::string text() const = 0;
  };
  template <typename T>
  struct Held final : Base {
    explicit Held(T given) : value(std::move(given)) {}
    bool equals(const Base& other) const override {
      const auto* same = dynamic_cast<const Held*>(&other);
      if constexpr (are_comparable<T, T>) return same != nullptr && static_cast<bool>(value == same->value);
      return false;
    }
    bool is_empty() const override {
      if constexpr (std::is_constructible_v<bool, const T&>)
        return !static_cast<bool>(value);
      else
        return true;
    }
    bool is_hashable() const override { return Hash<T>::exists; }
    std::uint64_t hash() const override {
      if constexpr (Hash<T>::exists) return Hash<T>::of(value);
      return 0;
    }
    std::string text() const override { return text_of(value); }

    T value;
  };

  std::unique_ptr<Base> held_;
};

}  // namespace detail
}  // namespace heddle
