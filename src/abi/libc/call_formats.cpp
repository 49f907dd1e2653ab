#include "abi/libc/call_formats.hpp"

#include <cwchar>

#include "abi/libc/call_extents.hpp"

namespace heddle::abi {

namespace {

/// How an argument is passed, or what it points to.
enum class Kind : std::uint8_t { none, number, word, floating, long_floating };
/// The length modifier of a conversion, as the size of the integer that it names.
struct Length {
  std::uint8_t size = sizeof(int);
  bool is_long_double = false;  ///< L
  bool is_long = false;         ///< l, ll and the like: of texts, wide ones
};

template <typename Char>
bool is_digit(Char c) {
  return c >= '0' && c <= '9';
}
template <typename Char>
std::size_t read_number(const Char*& at) {
  std::size_t value = 0;
  for (; is_digit(*at); ++at) value = value * 10 + static_cast<std::size_t>(*at - '0');
  return value;
}
template <typename Char>
Length read_length(const Char*& at) {
  Length length;
  for (;; ++at) {
    switch (*at) {
      case 'h': length.size = length.size == sizeof(short) ? sizeof(char) : sizeof(short); break;
      case 'l': length.is_long = true; [[fallthrough]];
      case 'j':
      case 'z':
      case 'Z':
      case 't': length.size = sizeof(long); break;
      case 'q':
      case 'L':
        length.is_long_double = true;
        length.size = sizeof(long);
        break;
      default: return length;
    }
  }
}

/// A printing format: which argument has which type, and which are texts.
template <typename Char>
class PrintFormat {
 public:
  explicit PrintFormat(const Char* format) { parse(format); }

  void announce(Call& call) {
    std::uint64_t values[most];
    const std::size_t known = fetch(call, values);
    for (std::size_t i = 0; i < number_of_uses_; ++i) {
      const Use& use = uses_[i];
      if (use.argument >= known || (use.precision_argument >= 0 && use.precision_argument >= static_cast<int>(known)))
        continue;
      const auto* at = reinterpret_cast<const void*>(values[use.argument]);
      if (at == nullptr) continue;
      if (use.written != 0)
        abi::announce(call, at, use.written, true);
      else
        abi::announce(call, at, size_of_text(use, at, values), false);
    }
  }

 private:
  static constexpr std::size_t most = 64;
  static constexpr std::size_t unlimited = ~std::size_t{0};
  /// An argument that points to memory.
  struct Use {
    std::uint8_t argument;
    std::uint8_t written;  ///< %n: the size of the object; 0: a text
    bool is_wide;
    std::int8_t precision_argument;  ///< -1: none
    std::size_t precision;
  };

  std::size_t size_of_text(const Use& use, const void* at, const std::uint64_t* values) const {
    std::size_t limit = use.precision;
    if (use.precision_argument >= 0) {
      const auto given = static_cast<std::int32_t>(values[use.precision_argument]);
      limit = given < 0 ? unlimited : static_cast<std::size_t>(given);
    }
    return use.is_wide ? bytes_of(static_cast<const wchar_t*>(at), limit)
                       : bytes_of(static_cast<const char*>(at), limit);
  }

  /// The arguments up to the first whose type is not known.
  std::size_t fetch(Call& call, std::uint64_t* values) {
    std::va_list list;
    call.copy_list(list);
    std::size_t i = 0;
    for (; i < most && kinds_[i] != Kind::none; ++i) {
      values[i] = 0;
      switch (kinds_[i]) {
        case Kind::number: values[i] = static_cast<std::uint64_t>(va_arg(list, int)); break;
        case Kind::word: values[i] = va_arg(list, std::uint64_t); break;
        case Kind::floating: static_cast<void>(va_arg(list, double)); break;
        case Kind::long_floating: static_cast<void>(va_arg(list, long double)); break;
        case Kind::none: break;
      }
    }
    va_end(list);
    return i;
  }

  /// The argument of a `*`, at its position or the next one.
  std::size_t take(std::size_t position, Kind kind) {
    const std::size_t argument = position != 0 ? position - 1 : next_++;
    if (argument < most) kinds_[argument] = kind;
    return argument;
  }
  static std::size_t read_position(const Char*& at) {
    const Char* end = at;
    const std::size_t position = read_number(end);
    if (end == at || *end != '$') return 0;
    at = end + 1;
    return position;
  }

  void parse(const Char* at) {
    while (*at != 0) {
      if (*at++ != '%') continue;
      if (!parse_conversion(at)) return;
    }
  }
  bool parse_conversion(const Char*& at) {
    const std::size_t position = read_position(at);
    constexpr Char flags[] = {'-', '+', ' ', '#', '0', '\'', 'I', 0};
    while (*at != 0 && contains(flags, *at)) ++at;
    if (*at == '*')
      take(read_position(++at), Kind::number);
    else
      read_number(at);
    Use use{0, 0, false, -1, unlimited};
    if (*at == '.') {
      if (*++at == '*') {
        const std::size_t argument = take(read_position(++at), Kind::number);
        if (argument >= most) return false;
        use.precision_argument = static_cast<std::int8_t>(argument);
      } else {
        use.precision = read_number(at);
      }
    }
    const Length length = read_length(at);
    return add(position, length, use, *at++);
  }
  bool add(std::size_t position, const Length& length, Use use, Char conversion) {
    switch (conversion) {
      case '%':
      case 'm': return true;
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X': take(position, length.size == sizeof(long) ? Kind::word : Kind::number); return true;
      case 'c':
      case 'C': take(position, Kind::number); return true;
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G': take(position, length.is_long_double ? Kind::long_floating : Kind::floating); return true;
      case 'p': take(position, Kind::word); return true;
      case 'n': use.written = length.size; break;
      case 'S': use.is_wide = true; break;
      case 's': use.is_wide = length.is_long; break;
      default: return false;  // a conversion that the program has registered, or the end of the format
    }
    const std::size_t argument = take(position, Kind::word);
    if (argument >= most || number_of_uses_ == most) return false;
    use.argument = static_cast<std::uint8_t>(argument);
    uses_[number_of_uses_++] = use;
    return true;
  }

  Kind kinds_[most] = {};
  Use uses_[most];
  std::size_t next_ = 0, number_of_uses_ = 0;
};

/// A reading format. Follows the conversions that scanf has assigned.
template <typename Char>
class ScanFormat {
 public:
  ScanFormat(Call& call, const Char* format) : call_(call), at_(format) { call.copy_list(list_); }
  ~ScanFormat() { va_end(list_); }
  ScanFormat(const ScanFormat&) = delete;
  ScanFormat& operator=(const ScanFormat&) = delete;

  void announce() {
    auto left = static_cast<std::int32_t>(call_.result);
    bool follows_conversion = true;
    while (*at_ != 0) {
      if (*at_++ != '%') {
        follows_conversion = false;  // whether the input continues like this is not known
        continue;
      }
      if (*at_ == '%') {
        ++at_;
        follows_conversion = false;
        continue;
      }
      const Conversion conversion = read_conversion();
      if (conversion.is_unknown || (conversion.is_count ? left == 0 && !follows_conversion : left == 0)) return;
      if (!conversion.is_skipped) {
        write(conversion, va_arg(list_, void*));
        if (!conversion.is_count) --left;
      }
      follows_conversion = true;
    }
  }

 private:
  struct Conversion {
    bool is_skipped = false;    ///< *: nothing is assigned
    bool is_allocated = false;  ///< m: the argument is the address of a pointer
    bool is_text = false, is_wide = false;
    bool is_count = false;  ///< %n
    bool is_unknown = false;
    std::size_t size = 0;  ///< 0: up to the end of the text
  };

  Conversion read_conversion() {
    Conversion out;
    if (*at_ == '*') {
      out.is_skipped = true;
      ++at_;
    }
    while (*at_ == '\'' || *at_ == 'I') ++at_;
    const std::size_t width = read_number(at_);
    if (*at_ == '$') out.is_unknown = true;
    if (*at_ == 'm') {
      out.is_allocated = true;
      ++at_;
    }
    const Length length = read_length(at_);
    out.size = length.size;
    out.is_wide = length.is_long;
    const Char conversion = *at_;
    if (conversion != 0) ++at_;
    switch (conversion) {
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X': break;
      case 'n': out.is_count = true; break;
      case 'p': out.size = sizeof(void*); break;
      case 'a':
      case 'A':
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        out.size = length.is_long_double ? sizeof(long double) : length.is_long ? sizeof(double) : sizeof(float);
        break;
      case 'C': out.is_wide = true; [[fallthrough]];
      case 'c':
        out.is_text = true;
        out.size = (width == 0 ? 1 : width) * (out.is_wide ? sizeof(wchar_t) : 1);
        break;
      case 'S': out.is_wide = true; [[fallthrough]];
      case 's':
        out.is_text = true;
        out.size = 0;
        break;
      case '[':
        skip_set();
        out.is_text = true;
        out.size = 0;
        break;
      default: out.is_unknown = true; break;
    }
    return out;
  }
  /// A `]` that comes first belongs to the set.
  void skip_set() {
    if (*at_ == '^') ++at_;
    if (*at_ == ']') ++at_;
    while (*at_ != 0 && *at_ != ']') ++at_;
    if (*at_ != 0) ++at_;
  }

  void write(const Conversion& conversion, void* at) {
    if (conversion.is_allocated) {
      abi::announce(call_, at, sizeof(void*), true);
      at = *static_cast<void**>(at);
    }
    std::size_t size = conversion.size;
    if (conversion.is_text && size == 0)
      size = conversion.is_wide ? bytes_of(static_cast<const wchar_t*>(at)) : bytes_of(static_cast<const char*>(at));
    abi::announce(call_, at, size, true);
  }

  Call& call_;
  const Char* at_;
  std::va_list list_;
};

template <typename Char>
void announce_print(Call& call, const Char* format) {
  if (format == nullptr) return;
  announce(call, format, bytes_of(format), false);
  PrintFormat<Char>(format).announce(call);
}

}  // namespace

void announce_printed(Call& call, const char* format) { announce_print(call, format); }
void announce_printed(Call& call, const wchar_t* format) { announce_print(call, format); }
void announce_scanned(Call& call, const char* format) { ScanFormat<char>(call, format).announce(); }
void announce_scanned(Call& call, const wchar_t* format) { ScanFormat<wchar_t>(call, format).announce(); }

}  // namespace heddle::abi
