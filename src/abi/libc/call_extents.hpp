// Which memory a function of the C library reads or writes, as parts of the rows in libc_calls.cpp. Template arguments
// are positions of the function's integer and pointer arguments, from 0 on; floating-point arguments do not count.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <cwchar>

#include "abi/libc/checked_call.hpp"

namespace heddle::abi {

// strlen() and the like are entry points of the runtime themselves, so plain loops are used here.
template <typename Char>
std::size_t length_of(const Char* text, std::size_t limit = ~std::size_t{0}) {
  std::size_t length = 0;
  while (length < limit && text[length] != 0) ++length;
  return length;
}
/// The bytes that are read to find the end of the text, at most `limit` characters.
template <typename Char>
std::size_t bytes_of(const Char* text, std::size_t limit = ~std::size_t{0}) {
  const std::size_t length = length_of(text, limit);
  return (length < limit ? length + 1 : length) * sizeof(Char);
}
template <typename Char>
bool contains(const Char* set, Char c) {
  for (; *set != 0; ++set)
    if (*set == c) return true;
  return false;
}

/// A text with its end. After a call: the text that the function has left there.
template <int argument, typename Char = char>
struct Text {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (const auto* text = call.pointer<const Char>(argument)) visitor(text, bytes_of(text));
  }
};
template <int argument>
using WideText = Text<argument, wchar_t>;

/// A text of at most so many characters as another argument says.
template <int argument, int limit, typename Char = char>
struct TextUpTo {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (const auto* text = call.pointer<const Char>(argument)) visitor(text, bytes_of(text, call.number(limit)));
  }
};

/// An array: the sizes are arguments.
template <int argument, int count, std::size_t unit = 1>
struct Array {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.pointer<const void>(argument), call.number(count) * unit);
  }
};
template <int argument, int count, int size>
struct Matrix {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.pointer<const void>(argument), call.number(count) * call.number(size));
  }
};

/// An object, or several.
template <int argument, typename T, std::size_t count = 1>
struct Object {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.pointer<const void>(argument), sizeof(T) * count);
  }
};
/// The static object that a function returns.
template <typename T>
struct ResultObject {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.result_pointer<const void>(), sizeof(T));
  }
};
struct ResultText {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (const auto* text = call.result_pointer<const char>()) visitor(text, bytes_of(text));
  }
};

/// So many elements as the function has returned, and perhaps an end of the text.
template <int argument, std::size_t unit = 1, std::size_t more = 0>
struct ResultArray {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (call.result + more != 0) visitor(call.pointer<const void>(argument), (call.result + more) * unit);
  }
};
/// As many elements as the function has returned, as an int. A negative result means none.
template <int argument, std::size_t unit = 1>
struct ResultIntArray {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto count = static_cast<std::int32_t>(call.result);
    if (count > 0) visitor(call.pointer<const void>(argument), static_cast<std::size_t>(count) * unit);
  }
};
/// fread: the result is a number of elements, whose size is an argument.
template <int argument, int size>
struct ResultMatrix {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.pointer<const void>(argument), call.result * call.number(size));
  }
};
/// A conversion: so many characters as the function has returned, and the end of the text if there is room for it.
template <int argument, int room, typename Char = char>
struct Converted {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (call.result == ~std::uint64_t{0}) return;
    visitor(call.pointer<const void>(argument),
            (call.result < call.number(room) ? call.result + 1 : call.result) * sizeof(Char));
  }
};
/// snprintf: the result is the length of the whole text, of which so much is written as fits.
template <int argument, int room, typename Char = char>
struct Printed {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto length = static_cast<std::uint32_t>(call.result);
    visitor(call.pointer<const void>(argument),
            std::min<std::size_t>(std::size_t{length} + 1, call.number(room)) * sizeof(Char));
  }
};
/// sprintf.
template <int argument>
struct PrintedText {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.pointer<const void>(argument), std::size_t{static_cast<std::uint32_t>(call.result)} + 1);
  }
};

/// A search from the front: up to what the function has found, else to the end of the text.
template <int argument, typename Char = char>
struct SearchedText {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto* text = call.pointer<const Char>(argument);
    const auto* found = call.result_pointer<const Char>();
    visitor(text, found == nullptr ? bytes_of(text) : static_cast<std::size_t>(found + 1 - text) * sizeof(Char));
  }
};
/// A search for a text in a text: up to the end of what was found.
template <int argument, int part, typename Char = char>
struct SearchedForText {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto* text = call.pointer<const Char>(argument);
    const auto* found = call.result_pointer<const Char>();
    const std::size_t size = length_of(call.pointer<const Char>(part));
    visitor(text, found == nullptr ? bytes_of(text) : static_cast<std::size_t>(found - text + size) * sizeof(Char));
  }
};
/// A search in an array: up to what was found and so many bytes, else the whole array.
template <int argument, int count, std::size_t unit = 1>
struct SearchedArray {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const std::uint64_t begin = call.number(argument);
    visitor(call.pointer<const void>(argument),
            call.result == 0 ? call.number(count) * unit : call.result - begin + unit);
  }
};
/// strspn: the result is the length of the part of the text that was searched.
template <int argument, typename Char = char>
struct SpannedText {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.pointer<const void>(argument), (call.result + 1) * sizeof(Char));
  }
};

/// Two texts that are compared up to the first difference, perhaps of so many characters as an argument says.
template <int argument, typename Char, auto same, int limit = -1>
struct Compared {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto* a = call.pointer<const Char>(0);
    const auto* b = call.pointer<const Char>(1);
    const std::size_t most = limit < 0 ? ~std::size_t{0} : call.number(static_cast<std::size_t>(limit));
    std::size_t i = 0;
    while (i < most && a[i] != 0 && same(a[i], b[i])) ++i;
    visitor(argument == 0 ? a : b, (i < most ? i + 1 : i) * sizeof(Char));
  }
};

/// The buffers of readv and the like: all bytes, or so many as the function has returned.
template <int vectors, int count, bool is_result>
struct Vectors {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto* vector = call.pointer<const iovec>(vectors);
    std::uint64_t left = is_result ? call.result : ~std::uint64_t{0};
    for (auto i = static_cast<std::int32_t>(call.number(count)); i > 0 && left != 0; --i, ++vector) {
      const std::uint64_t size = std::min<std::uint64_t>(vector->iov_len, left);
      visitor(vector->iov_base, size);
      left -= size;
    }
  }
};

}  // namespace heddle::abi
