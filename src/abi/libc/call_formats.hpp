// The arguments that a format of printf or scanf describes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/libc/checked_call.hpp"

namespace heddle::abi {

/// Announces the reads of the format, of the texts that it prints (as far as their precision allows), and the writes of
/// %n. The arguments are in call.list.
void announce_printed(Call& call, const char* format);
void announce_printed(Call& call, const wchar_t* format);
/// Announces the writes of scanf, which has assigned call.result conversions.
void announce_scanned(Call& call, const char* format);
void announce_scanned(Call& call, const wchar_t* format);

/// The argument `format` is the format of a function that prints.
template <int format, typename Char = char>
inline constexpr Effect prints = before<[](Call& call) { announce_printed(call, call.pointer<const Char>(format)); }>;
/// The argument `format` is the format of a function that reads values.
template <int format, typename Char = char>
inline constexpr Effect scans = after<[](Call& call) { announce_scanned(call, call.pointer<const Char>(format)); }>;

}  // namespace heddle::abi
