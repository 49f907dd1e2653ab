#include "engine/memory/racy_sites.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace heddle::engine {

/// The filter is about addresses of this process, which contain() gets.
void RacySites::set(std::span<const std::uint64_t> sites) {
  sites_ = sites;
  filter_ = 0;
  for (const std::uint64_t site : sites) filter_ |= bit(modules_.address_of(site));
}

bool RacySites::find(std::uint64_t site) const {
  return std::binary_search(sites_.begin(), sites_.end(), modules_.canonical(site));
}

std::span<const std::uint64_t> parse_racy_sites(std::string_view text, base::Arena& arena) {
  base::ArenaVector<std::uint64_t> sites;
  for (const char* at = text.data(); at != text.data() + text.size();) {  // Text ends with a null character
    char* end = nullptr;
    sites.push_back(arena, std::strtoull(at, &end, 16));
    if (end == at) break;
    at = *end == ',' ? end + 1 : end;
  }
  std::sort(sites.begin(), sites.end());
  return sites.span();
}

std::span<const std::uint64_t> join_racy_sites(std::span<const std::uint64_t> sorted,
                                               std::span<const std::uint64_t> more, base::Arena& arena) {
  base::ArenaVector<std::uint64_t> sites;
  for (const std::uint64_t site : sorted) sites.push_back(arena, site);
  for (const std::uint64_t site : more)
    if (std::find(sites.begin(), sites.end(), site) == sites.end()) sites.push_back(arena, site);
  std::sort(sites.begin(), sites.end());
  return sites.span();
}

bool format_racy_sites(std::span<const std::uint64_t> sites, run::Text& text) {
  text.assign("");
  for (const std::uint64_t site : sites) {
    char number[24];
    std::snprintf(number, sizeof number, "%s%llx", text.empty() ? "" : ",", static_cast<unsigned long long>(site));
    if (!text.append(number)) return false;
  }
  return true;
}

}  // namespace heddle::engine
