// resign_trace FILE...: gives each trace the checksum of its content, so that a reader looks at what is behind it.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "base/hash.hpp"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    constexpr std::size_t checksum_size = 8;
    if (bytes.size() < checksum_size) continue;
    bytes.resize(bytes.size() - checksum_size);
    const std::uint64_t hash = heddle::base::hash_bytes(bytes.data(), bytes.size());
    for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>((hash >> shift) & 0xff));
    std::ofstream(argv[i], std::ios::binary) << bytes;
  }
}
