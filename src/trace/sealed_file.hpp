// The outer form of files that heddle writes for itself, traces and results of shards: what the file is, and a
// checksum, so that no other, cut or damaged file is taken for one.
//
// Layout (integers little-endian):
//   8 bytes   magic
//   4 bytes   version
//   4 bytes   size of the header
//   8 bytes   size of the content
//   header
//   content
//   8 bytes   XXH3-64 of everything before it
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace heddle {

/// A kind of files.
struct SealedFormat {
  std::string_view magic;  ///< 8 bytes
  std::uint32_t version;
  std::string_view version_name;  ///< "trace version": what messages call the version
  std::string_view article;       ///< "a heddle trace": what a file with this magic is
  std::string_view remedy;        ///< "record it again": what to do if one cannot be used
  std::uint64_t most_header;
  std::uint64_t most_content;
};

struct SealedParts {
  std::string_view header;
  std::string_view content;
};

/// The size of what check_seal_begin() looks at.
inline constexpr std::uint64_t seal_begin_size = 8 + 4 + 4 + 8;

std::string seal(const SealedFormat& format, const SealedParts& parts);
/// The parts of a whole file, after all checks. `name` is that of the file in messages.
Result<SealedParts> unseal(const SealedFormat& format, std::string_view bytes, const std::string& name);
/// Checks the beginning of a file of `size` bytes, at least seal_begin_size bytes or all of them, so that another file
/// need not be read as a whole.
Outcome check_seal_begin(const SealedFormat& format, std::string_view begin, std::uint64_t size,
                         const std::string& name);
/// "NAME is corrupted: WHAT; record it again"
Problem corrupted_file(const SealedFormat& format, const std::string& name, std::string_view what);

}  // namespace heddle
