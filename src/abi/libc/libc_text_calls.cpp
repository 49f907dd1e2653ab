// The table of checked calls (checked_call.hpp): texts, arrays and conversions. strings.cpp has the functions
// that programs call most.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <wchar.h>

#include "abi/libc/call_extents.hpp"
#include "abi/libc/checked_call.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

constexpr auto equal = [](auto a, auto b) { return a == b; };
template <typename Char>
Char lower(Char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<Char>(c - 'A' + 'a') : c;
}
constexpr auto equal_letters = [](auto a, auto b) { return lower(a) == lower(b); };

// memccpy and memmem: how much they have looked at follows from the result.
template <int argument>
struct CopiedUpTo {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.pointer<const void>(argument), call.result == 0 ? call.number(3) : call.result - call.number(0));
  }
};
struct SearchedForArray {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    visitor(call.pointer<const void>(0),
            call.result == 0 ? call.number(1) : call.result - call.number(0) + call.number(3));
  }
};
/// memrchr begins at the end.
struct SearchedFromEnd {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const std::uint64_t begin = call.result == 0 ? call.number(0) : call.result;
    visitor(reinterpret_cast<const void*>(begin), call.number(0) + call.number(2) - begin);
  }
};
/// The end of a text, which wcscat overwrites.
template <int argument>
struct AppendedText {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto* begin = call.pointer<const wchar_t>(argument) + call.kept[0];
    visitor(begin, bytes_of(begin));
  }
};
constexpr Effect keeps_length = before<[](Call& call) { call.kept[0] = length_of(call.pointer<const wchar_t>(0)); }>;

// ---- tokens -------------------------------------------------------------------------------------------------------

/// Announces the search for a token, and the end that is put behind it. Returns what follows; null at the end.
char* take_token(Call& call, char* from, const char* separators, bool skips) {
  char* begin = from;
  while (skips && *begin != 0 && contains(separators, *begin)) ++begin;
  char* end = begin;
  while (*end != 0 && !contains(separators, *end)) ++end;
  announce(call, from, static_cast<std::size_t>(end - from) + 1, false);
  announce(call, separators, bytes_of(separators), false);
  if (*end == 0) return nullptr;
  announce(call, end, 1, true);
  return end + 1;
}
char position_of_strtok = 0;  ///< stands for the place where strtok continues, which all threads share
void announce_strtok(Call& call) {
  announce(call, &position_of_strtok, 1, true);
  if (auto* text = call.pointer<char>(0))
    take_token(call, text, call.pointer<const char>(1), true);
  else
    announce(call, call.pointer<const char>(1), bytes_of(call.pointer<const char>(1)), false);
}
void announce_strtok_r(Call& call) {
  auto** position = call.pointer<char*>(2);
  auto* text = call.pointer<char>(0);
  if (text == nullptr) {
    announce(call, position, sizeof *position, false);
    text = *position;
  }
  if (text != nullptr) take_token(call, text, call.pointer<const char>(1), true);
  announce(call, position, sizeof *position, true);
}
void announce_strsep(Call& call) {
  auto** position = call.pointer<char*>(0);
  announce(call, position, sizeof *position, false);
  if (*position == nullptr) return;
  take_token(call, *position, call.pointer<const char>(1), false);
  announce(call, position, sizeof *position, true);
}

// ---- numbers ------------------------------------------------------------------------------------------------------

/// Announces the characters of a number, and the one that ends it: `function` is strtol or one like it.
template <typename Result, typename Char>
void announce_number(Call& call, void* function, std::uint64_t third, std::uint64_t fourth) {
  const auto* text = call.pointer<const Char>(0);
  Char* end = nullptr;
  [[maybe_unused]] const Result ignored =
      reinterpret_cast<Result (*)(const Char*, Char**, std::uint64_t, std::uint64_t)>(function)(text, &end, third,
                                                                                                fourth);
  if (end != nullptr) announce(call, text, static_cast<std::size_t>(end - text + 1) * sizeof(Char), false);
}
template <typename Result, typename Char = char>
constexpr Effect reads_number =
    before<[](Call& call) { announce_number<Result, Char>(call, call.row->real, call.number(2), call.number(3)); }>;
constexpr Effect reads_decimal =
    before<[](Call& call) { announce_number<long, char>(call, engine::next_function<void*>("strtol"), 10, 0); }>;
constexpr Effect reads_double =
    before<[](Call& call) { announce_number<double, char>(call, engine::next_function<void*>("strtod"), 0, 0); }>;
constexpr Effect writes_end = writes<Object<1, char*>>;

// ---- multibyte characters -----------------------------------------------------------------------------------------

/// mbsrtowcs and its like: *source moves on; it is null when the whole text has been converted.
template <typename Char>
void keep_source(Call& call) {
  auto** source = call.pointer<const Char*>(1);
  announce(call, source, sizeof *source, false);
  call.kept[0] = reinterpret_cast<std::uint64_t>(*source);
}
template <typename Char>
void announce_source(Call& call) {
  auto** source = call.pointer<const Char*>(1);
  const auto* begin = reinterpret_cast<const Char*>(call.kept[0]);
  if (call.number(0) == 0) return;  // only counts
  if (*source == nullptr)
    announce(call, begin, bytes_of(begin), false);
  else
    announce(call, begin, static_cast<std::size_t>(*source - begin) * sizeof(Char), false);
  announce(call, source, sizeof *source, true);
}
/// mbrtowc: the result is the number of bytes; 0 for the end of the text.
struct Character {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto size = static_cast<std::int64_t>(call.result);
    visitor(call.pointer<const void>(1), size > 0 ? call.result : size == 0 ? 1 : 0);
  }
};
struct CharacterOfInt {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    const auto size = static_cast<std::int32_t>(call.result);
    visitor(call.pointer<const void>(1), size > 0 ? static_cast<std::size_t>(size) : size == 0 ? 1 : 0);
  }
};

/// iconv moves two pointers on.
void keep_conversion(Call& call) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{3}}) {
    auto** position = call.pointer<char*>(i);
    announce(call, position, sizeof *position, false);
    announce(call, call.pointer<std::size_t>(i + 1), sizeof(std::size_t), false);
    call.kept[i / 2] = position == nullptr ? 0 : reinterpret_cast<std::uint64_t>(*position);
  }
}
void announce_conversion(Call& call) {
  for (const std::size_t i : {std::size_t{1}, std::size_t{3}}) {
    auto** position = call.pointer<char*>(i);
    if (position == nullptr || *position == nullptr) continue;
    const auto* begin = reinterpret_cast<const char*>(call.kept[i / 2]);
    announce(call, begin, static_cast<std::size_t>(*position - begin), i == 3);
    announce(call, position, sizeof *position, true);
    announce(call, call.pointer<std::size_t>(i + 1), sizeof(std::size_t), true);
  }
}
/// strerror_r of GNU uses the buffer only if it returns it.
struct TextIfReturned {
  template <typename Visitor>
  static void visit(const Call& call, Visitor visitor) {
    if (call.result == call.number(1)) Text<1>::visit(call, visitor);
  }
};
template <int argument>
using Wide = WideText<argument>;
constexpr std::size_t wide = sizeof(wchar_t);

}  // namespace

}  // namespace heddle::abi

using namespace heddle::abi;  // NOLINT: the rows have no namespace, like the functions that they define

// ---- arrays and texts -----------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(bcopy, always, reads<Array<0, 2>>, writes<Array<1, 2>>)
HEDDLE_CHECKED_CALL(swab, always, reads<Array<0, 2>>, writes<Array<1, 2>>)
HEDDLE_CHECKED_CALL(explicit_bzero, always, writes<Array<0, 1>>)
HEDDLE_CHECKED_CALL(__explicit_bzero_chk, always, writes<Array<0, 1>>)
HEDDLE_CHECKED_CALL(memccpy, always, reads_by_result<CopiedUpTo<1>>, writes<CopiedUpTo<0>>)
HEDDLE_CHECKED_CALL(memrchr, always, reads_by_result<SearchedFromEnd>)
HEDDLE_CHECKED_CALL(memmem, always, reads<Array<2, 3>>, reads_by_result<SearchedForArray>)
HEDDLE_CHECKED_CALL(rawmemchr, always, reads_by_result<SearchedArray<0, 0>>)
HEDDLE_CHECKED_CALL(strchrnul, always, reads_by_result<SearchedText<0>>)
HEDDLE_CHECKED_CALL(index, always, reads_by_result<SearchedText<0>>)
HEDDLE_CHECKED_CALL(rindex, always, reads<Text<0>>)
HEDDLE_CHECKED_CALL(strcasestr, always, reads<Text<1>>, reads_by_result<SearchedForText<0, 1>>)
HEDDLE_CHECKED_CALL(strcasecmp, always, reads<Compared<0, char, equal_letters>>,
                    reads<Compared<1, char, equal_letters>>)
HEDDLE_CHECKED_CALL(strcasecmp_l, always, reads<Compared<0, char, equal_letters>>,
                    reads<Compared<1, char, equal_letters>>)
HEDDLE_CHECKED_CALL(strncasecmp, always, reads<Compared<0, char, equal_letters, 2>>,
                    reads<Compared<1, char, equal_letters, 2>>)
HEDDLE_CHECKED_CALL(strncasecmp_l, always, reads<Compared<0, char, equal_letters, 2>>,
                    reads<Compared<1, char, equal_letters, 2>>)
HEDDLE_CHECKED_CALL(strspn, always, reads<Text<1>>, reads_by_result<SpannedText<0>>)
HEDDLE_CHECKED_CALL(strcspn, always, reads<Text<1>>, reads_by_result<SpannedText<0>>)
HEDDLE_CHECKED_CALL(strpbrk, always, reads<Text<1>>, reads_by_result<SearchedText<0>>)
HEDDLE_CHECKED_CALL(strtok, always, before<announce_strtok>)
HEDDLE_CHECKED_CALL(strtok_r, always, before<announce_strtok_r>)
HEDDLE_CHECKED_CALL(__strtok_r, always, before<announce_strtok_r>)
HEDDLE_CHECKED_CALL(strsep, always, before<announce_strsep>)
HEDDLE_CHECKED_CALL(strcoll, always, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(strcoll_l, always, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(strxfrm, always, reads<Text<1>>, writes<Printed<0, 2>>)
HEDDLE_CHECKED_CALL(strxfrm_l, always, reads<Text<1>>, writes<Printed<0, 2>>)
HEDDLE_CHECKED_CALL(strverscmp, always, reads<Text<0>>, reads<Text<1>>)
HEDDLE_CHECKED_CALL(strerror_r, pointer, writes<TextIfReturned>)
HEDDLE_CHECKED_CALL(__xpg_strerror_r, zero, writes<Text<1>>)
#if __GLIBC_PREREQ(2, 38)
HEDDLE_CHECKED_CALL(strlcpy, always, reads<Text<1>>, writes<Printed<0, 2>>)
HEDDLE_CHECKED_CALL(strlcat, always, reads<TextUpTo<0, 2>>, reads<Text<1>>, writes<TextUpTo<0, 2>>)
#endif

// ---- wide texts -----------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(wmemcpy, always, reads<Array<1, 2, wide>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(__wmemcpy_chk, always, reads<Array<1, 2, wide>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(wmempcpy, always, reads<Array<1, 2, wide>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(__wmempcpy_chk, always, reads<Array<1, 2, wide>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(wmemmove, always, reads<Array<1, 2, wide>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(__wmemmove_chk, always, reads<Array<1, 2, wide>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(wmemset, always, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(__wmemset_chk, always, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(wmemcmp, always, reads<Array<0, 2, wide>>, reads<Array<1, 2, wide>>)
HEDDLE_CHECKED_CALL(wmemchr, always, reads_by_result<SearchedArray<0, 2, wide>>)
HEDDLE_CHECKED_CALL(wcslen, always, reads<Wide<0>>)
HEDDLE_CHECKED_CALL(wcsnlen, always, reads<TextUpTo<0, 1, wchar_t>>)
HEDDLE_CHECKED_CALL(wcscpy, always, reads<Wide<1>>, writes<Wide<0>>)
HEDDLE_CHECKED_CALL(__wcscpy_chk, always, reads<Wide<1>>, writes<Wide<0>>)
HEDDLE_CHECKED_CALL(wcpcpy, always, reads<Wide<1>>, writes<Wide<0>>)
HEDDLE_CHECKED_CALL(__wcpcpy_chk, always, reads<Wide<1>>, writes<Wide<0>>)
HEDDLE_CHECKED_CALL(wcsncpy, always, reads<TextUpTo<1, 2, wchar_t>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(__wcsncpy_chk, always, reads<TextUpTo<1, 2, wchar_t>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(wcpncpy, always, reads<TextUpTo<1, 2, wchar_t>>, writes<Array<0, 2, wide>>)
HEDDLE_CHECKED_CALL(wcscat, always, reads<Wide<0>>, reads<Wide<1>>, keeps_length, writes<AppendedText<0>>)
HEDDLE_CHECKED_CALL(__wcscat_chk, always, reads<Wide<0>>, reads<Wide<1>>, keeps_length, writes<AppendedText<0>>)
HEDDLE_CHECKED_CALL(wcsncat, always, reads<Wide<0>>, reads<TextUpTo<1, 2, wchar_t>>, keeps_length,
                    writes<AppendedText<0>>)
HEDDLE_CHECKED_CALL(__wcsncat_chk, always, reads<Wide<0>>, reads<TextUpTo<1, 2, wchar_t>>, keeps_length,
                    writes<AppendedText<0>>)
HEDDLE_CHECKED_CALL(wcscmp, always, reads<Compared<0, wchar_t, equal>>, reads<Compared<1, wchar_t, equal>>)
HEDDLE_CHECKED_CALL(wcsncmp, always, reads<Compared<0, wchar_t, equal, 2>>, reads<Compared<1, wchar_t, equal, 2>>)
HEDDLE_CHECKED_CALL(wcscasecmp, always, reads<Compared<0, wchar_t, equal_letters>>,
                    reads<Compared<1, wchar_t, equal_letters>>)
HEDDLE_CHECKED_CALL(wcsncasecmp, always, reads<Compared<0, wchar_t, equal_letters, 2>>,
                    reads<Compared<1, wchar_t, equal_letters, 2>>)
HEDDLE_CHECKED_CALL(wcscoll, always, reads<Wide<0>>, reads<Wide<1>>)
HEDDLE_CHECKED_CALL(wcschr, always, reads_by_result<SearchedText<0, wchar_t>>)
HEDDLE_CHECKED_CALL(wcschrnul, always, reads_by_result<SearchedText<0, wchar_t>>)
HEDDLE_CHECKED_CALL(wcsrchr, always, reads<Wide<0>>)
HEDDLE_CHECKED_CALL(wcsstr, always, reads<Wide<1>>, reads_by_result<SearchedForText<0, 1, wchar_t>>)
HEDDLE_CHECKED_CALL(wcsspn, always, reads<Wide<1>>, reads_by_result<SpannedText<0, wchar_t>>)
HEDDLE_CHECKED_CALL(wcscspn, always, reads<Wide<1>>, reads_by_result<SpannedText<0, wchar_t>>)
HEDDLE_CHECKED_CALL(wcspbrk, always, reads<Wide<1>>, reads_by_result<SearchedText<0, wchar_t>>)
HEDDLE_CHECKED_CALL(wcsdup, always, reads<Wide<0>>)

// ---- numbers --------------------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(atoi, always, reads_decimal)
HEDDLE_CHECKED_CALL(atol, always, reads_decimal)
HEDDLE_CHECKED_CALL(atoll, always, reads_decimal)
HEDDLE_CHECKED_CALL(atof, always, reads_double)
HEDDLE_CHECKED_CALL(strtol, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoul, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoll, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoull, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoq, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtouq, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoimax, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoumax, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtol_l, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoul_l, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoll_l, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtoull_l, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(strtod, always, reads_number<double>, writes_end)
HEDDLE_CHECKED_CALL(strtof, always, reads_number<float>, writes_end)
HEDDLE_CHECKED_CALL(strtold, always, reads_number<long double>, writes_end)
HEDDLE_CHECKED_CALL(strtod_l, always, reads_number<double>, writes_end)
HEDDLE_CHECKED_CALL(strtof_l, always, reads_number<float>, writes_end)
HEDDLE_CHECKED_CALL(strtold_l, always, reads_number<long double>, writes_end)
#if __GLIBC_PREREQ(2, 38)
HEDDLE_CHECKED_CALL(__isoc23_strtol, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(__isoc23_strtoul, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(__isoc23_strtoll, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(__isoc23_strtoull, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(__isoc23_strtoimax, always, reads_number<long>, writes_end)
HEDDLE_CHECKED_CALL(__isoc23_strtoumax, always, reads_number<long>, writes_end)
#endif
HEDDLE_CHECKED_CALL(wcstol, always, reads_number<long, wchar_t>, writes_end)
HEDDLE_CHECKED_CALL(wcstoul, always, reads_number<long, wchar_t>, writes_end)
HEDDLE_CHECKED_CALL(wcstoll, always, reads_number<long, wchar_t>, writes_end)
HEDDLE_CHECKED_CALL(wcstoull, always, reads_number<long, wchar_t>, writes_end)
HEDDLE_CHECKED_CALL(wcstod, always, reads_number<double, wchar_t>, writes_end)
HEDDLE_CHECKED_CALL(wcstof, always, reads_number<float, wchar_t>, writes_end)
HEDDLE_CHECKED_CALL(wcstold, always, reads_number<long double, wchar_t>, writes_end)
HEDDLE_CHECKED_CALL(gcvt, always, writes<Text<1>>)
HEDDLE_CHECKED_CALL(ecvt_r, zero, writes<Object<1, int>>, writes<Object<2, int>>, writes<Text<3>>)
HEDDLE_CHECKED_CALL(fcvt_r, zero, writes<Object<1, int>>, writes<Object<2, int>>, writes<Text<3>>)
HEDDLE_CHECKED_CALL(strfromd, number, reads<Text<2>>, writes<Printed<0, 1>>)
HEDDLE_CHECKED_CALL(strfromf, number, reads<Text<2>>, writes<Printed<0, 1>>)

// ---- multibyte characters -------------------------------------------------------------------------------------------
HEDDLE_CHECKED_CALL(mbstowcs, count, reads<Text<1>>, writes<Converted<0, 2, wchar_t>>)
HEDDLE_CHECKED_CALL(__mbstowcs_chk, count, reads<Text<1>>, writes<Converted<0, 2, wchar_t>>)
HEDDLE_CHECKED_CALL(wcstombs, count, reads<Wide<1>>, writes<Converted<0, 2>>)
HEDDLE_CHECKED_CALL(__wcstombs_chk, count, reads<Wide<1>>, writes<Converted<0, 2>>)
HEDDLE_CHECKED_CALL(mbsrtowcs, count, before<keep_source<char>>, after<announce_source<char>>,
                    writes<Converted<0, 2, wchar_t>>)
HEDDLE_CHECKED_CALL(__mbsrtowcs_chk, count, before<keep_source<char>>, after<announce_source<char>>,
                    writes<Converted<0, 2, wchar_t>>)
HEDDLE_CHECKED_CALL(mbsnrtowcs, count, before<keep_source<char>>, after<announce_source<char>>,
                    writes<Converted<0, 3, wchar_t>>)
HEDDLE_CHECKED_CALL(__mbsnrtowcs_chk, count, before<keep_source<char>>, after<announce_source<char>>,
                    writes<Converted<0, 3, wchar_t>>)
HEDDLE_CHECKED_CALL(wcsrtombs, count, before<keep_source<wchar_t>>, after<announce_source<wchar_t>>,
                    writes<Converted<0, 2>>)
HEDDLE_CHECKED_CALL(__wcsrtombs_chk, count, before<keep_source<wchar_t>>, after<announce_source<wchar_t>>,
                    writes<Converted<0, 2>>)
HEDDLE_CHECKED_CALL(wcsnrtombs, count, before<keep_source<wchar_t>>, after<announce_source<wchar_t>>,
                    writes<Converted<0, 3>>)
HEDDLE_CHECKED_CALL(__wcsnrtombs_chk, count, before<keep_source<wchar_t>>, after<announce_source<wchar_t>>,
                    writes<Converted<0, 3>>)
HEDDLE_CHECKED_CALL(mbtowc, number, reads_by_result<CharacterOfInt>, writes<Object<0, wchar_t>>)
HEDDLE_CHECKED_CALL(mbrtowc, count, reads_by_result<Character>, writes<Object<0, wchar_t>>,
                    writes<Object<3, mbstate_t>>)
HEDDLE_CHECKED_CALL(wctomb, number, writes<ResultIntArray<0>>)
HEDDLE_CHECKED_CALL(__wctomb_chk, number, writes<ResultIntArray<0>>)
HEDDLE_CHECKED_CALL(wcrtomb, count, writes<ResultArray<0>>, writes<Object<2, mbstate_t>>)
HEDDLE_CHECKED_CALL(__wcrtomb_chk, count, writes<ResultArray<0>>, writes<Object<2, mbstate_t>>)
HEDDLE_CHECKED_CALL(iconv, always, before<keep_conversion>, after<announce_conversion>)
