#include "trace/sealed_file.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"

namespace heddle {

namespace {

constexpr std::uint64_t checksum_size = 8;

template <typename Integer>
void put(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

template <typename Integer>
Integer get(std::string_view bytes, std::size_t offset) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value |= static_cast<Integer>(static_cast<Integer>(static_cast<std::uint8_t>(bytes[offset + i])) << (8 * i));
  return value;
}

struct Sizes {
  std::uint64_t header = 0;
  std::uint64_t content = 0;
};

Result<Sizes> read_sizes(const SealedFormat& format, std::string_view begin, std::uint64_t size,
                         const std::string& name) {
  const std::string_view magic = begin.substr(0, format.magic.size());
  if (magic.empty() || magic != format.magic.substr(0, magic.size()))
    return test_problem(fmt::format("{} is not {}", name, format.article));
  const auto truncated = [&] {
    return test_problem(fmt::format("{} is truncated: it ends after {} bytes; {}", name, size, format.remedy));
  };
  if (begin.size() < seal_begin_size) return truncated();
  if (const auto version = get<std::uint32_t>(begin, 8); version != format.version)
    return test_problem(fmt::format("{} has {} {}, and this heddle reads {} {}: {}", name, format.version_name, version,
                                    format.version_name, format.version, format.remedy));
  const Sizes sizes{get<std::uint32_t>(begin, 12), get<std::uint64_t>(begin, 16)};
  const std::uint64_t rest = size - seal_begin_size;
  // Sizes come from the file: subtract, since a sum may overflow.
  if (rest < checksum_size || sizes.header > rest - checksum_size ||
      sizes.content > rest - checksum_size - sizes.header)
    return truncated();
  if (sizes.content != rest - checksum_size - sizes.header)
    return corrupted_file(format, name, "it is longer than its beginning says");
  if (sizes.header > format.most_header || sizes.content > format.most_content)
    return corrupted_file(format, name, "it is longer than any that heddle writes");
  return sizes;
}

}  // namespace

Problem corrupted_file(const SealedFormat& format, const std::string& name, std::string_view what) {
  return test_problem(fmt::format("{} is corrupted: {}; {}", name, what, format.remedy));
}

std::string seal(const SealedFormat& format, const SealedParts& parts) {
  std::string bytes(format.magic);
  put(bytes, format.version);
  put(bytes, static_cast<std::uint32_t>(parts.header.size()));
  put(bytes, static_cast<std::uint64_t>(parts.content.size()));
  bytes += parts.header;
  bytes += parts.content;
  put(bytes, base::hash_bytes(bytes.data(), bytes.size()));
  return bytes;
}

Outcome check_seal_begin(const SealedFormat& format, std::string_view begin, std::uint64_t size,
                         const std::string& name) {
  const auto sizes = read_sizes(format, begin, size, name);
  return sizes ? Outcome{} : Outcome{sizes.problem()};
}

Result<SealedParts> unseal(const SealedFormat& format, std::string_view bytes, const std::string& name) {
  const auto sizes = read_sizes(format, bytes, bytes.size(), name);
  if (!sizes) return sizes.problem();
  const std::size_t checked = bytes.size() - checksum_size;
  if (get<std::uint64_t>(bytes, checked) != base::hash_bytes(bytes.data(), checked))
    return corrupted_file(format, name, "its checksum does not match its content");
  return SealedParts{bytes.substr(seal_begin_size, sizes->header),
                     bytes.substr(seal_begin_size + sizes->header, sizes->content)};
}

}  // namespace heddle
