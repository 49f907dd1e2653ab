#include "campaign/learning/corpus_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/hash.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::campaign {

namespace fs = std::filesystem;
using strategies::Corpus;
using strategies::Recording;

namespace {

constexpr char magic[] = "heddlefz";
constexpr std::uint32_t version = 4;
constexpr const char* suffix = ".entry";
constexpr std::size_t most_build_id = 256;

template <typename T>
void put(std::string& content, const T& value) {
  content.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
bool take(std::string_view& content, T& value) {
  if (content.size() < sizeof value) return false;
  std::memcpy(&value, content.data(), sizeof value);
  content.remove_prefix(sizeof value);
  return true;
}

/// What a file holds.
struct StoredEntry {
  std::string build_id;
  std::vector<strategies::SourceSite> sources;  ///< of the places in the recording, sorted by site
  std::vector<std::uint64_t> words;             ///< the recording

  Recording recording() { return Recording(reinterpret_cast<std::byte*>(words.data())); }
};

/// Nothing if the content is damaged, or of another version.
std::optional<StoredEntry> parse_entry(std::string_view content) {
  StoredEntry entry;
  std::uint32_t found_version = 0, id_size = 0, source_count = 0;
  std::uint64_t checksum = 0;
  if (!content.starts_with(magic)) return std::nullopt;
  content.remove_prefix(sizeof magic - 1);
  if (!take(content, found_version) || found_version != version || !take(content, id_size) || id_size > most_build_id ||
      content.size() < id_size)
    return std::nullopt;
  entry.build_id = content.substr(0, id_size);
  content.remove_prefix(id_size);
  if (!take(content, checksum) || base::hash_bytes(content.data(), content.size()) != checksum ||
      !take(content, source_count) || source_count > Recording::most_events)
    return std::nullopt;
  entry.sources.resize(source_count);
  for (strategies::SourceSite& source : entry.sources)
    if (!take(content, source)) return std::nullopt;
  if (content.empty() || content.size() > Recording::capacity) return std::nullopt;
  entry.words.resize((content.size() + 7) / 8);
  std::memcpy(entry.words.data(), content.data(), content.size());
  if (!entry.recording().is_valid(content.size())) return std::nullopt;
  return entry;
}

/// The events of another build get names by their places in the source.
void rename_by_source(StoredEntry& entry) {
  std::vector<std::byte> scratch(Recording::most_events * 64);
  base::Arena arena({scratch.data(), scratch.size()});
  Recording recording = entry.recording();
  strategies::rename_by_source(recording, entry.sources, arena);
}

}  // namespace

Outcome CorpusFolder::open() const {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || !fs::is_directory(path_) || ::access(path_.c_str(), W_OK | X_OK) != 0)
    return usage_problem(fmt::format("--corpus {}: the folder cannot be made or written to", path_));
  return {};
}

std::string CorpusFolder::load(strategies::CorpusKeeper& keeper) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error))
    if (entry.path().extension() == suffix) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::size_t damaged = 0;
  std::string first;
  for (const fs::path& file : files) {
    const auto content = read_whole_file(file.string());
    auto entry = content ? parse_entry(*content) : std::nullopt;
    const std::uint64_t graph = std::strtoull(file.stem().c_str(), nullptr, 16);
    if (!entry || graph == 0) {
      if (damaged++ == 0) first = file.string();
      continue;
    }
    if (entry->build_id == build_id_.substr(0, most_build_id)) {
      if (!keeper.add(entry->recording(), graph)) break;
      known_.insert(graph);
      continue;
    }
    if (!keeper.add(entry->recording(), graph, Corpus::Origin::other_build)) break;
    if (keeper.corpus().source_site_count == 0) name_sources(keeper.corpus());
    rename_by_source(*entry);
    if (!keeper.add(entry->recording(), graph, Corpus::Origin::other_build_by_source)) break;
  }
  if (damaged == 0) return {};
  return fmt::format("{} of {} entries of the corpus were skipped, because they are damaged; the first is {}", damaged,
                     files.size(), first);
}

/// The places of the program that can make events, so that workers find events by source. With too many calls, events
/// of further places are not found.
void CorpusFolder::name_sources(Corpus& corpus) {
  for (const std::uint64_t address : source_names_.call_sites()) {
    if (corpus.source_site_count == Corpus::most_source_sites) return;
    corpus.source_sites[corpus.source_site_count++] = {strategies::first_program_site + address,
                                                       source_names_.name_of(address)};
  }
}

/// The places in the program where the recording has events.
std::vector<strategies::SourceSite> CorpusFolder::sources_of(const Recording& recording) {
  std::set<std::uint64_t> sites;
  for (const strategies::RecordedEvent& event : recording.events())
    if (event.site / strategies::first_program_site == 1) sites.insert(event.site);
  std::vector<strategies::SourceSite> sources;
  sources.reserve(sites.size());
  for (const std::uint64_t site : sites)
    sources.push_back({site, source_names_.name_of(site - strategies::first_program_site)});
  return sources;
}

Outcome CorpusFolder::save(Corpus& corpus) {
  for (std::uint32_t i = 0; i < corpus.count; ++i) {
    const std::uint64_t graph = corpus.entries[i].graph;
    if (corpus.entries[i].origin != Corpus::Origin::this_build) continue;  // it has its file
    if (!known_.insert(graph).second) continue;
    const Recording recording = corpus.recording(i);
    std::string content = magic;
    put(content, version);
    const std::string id = build_id_.substr(0, most_build_id);
    put(content, static_cast<std::uint32_t>(id.size()));
    content += id;
    std::string rest;
    const auto sources = sources_of(recording);
    put(rest, static_cast<std::uint32_t>(sources.size()));
    for (const strategies::SourceSite& source : sources) put(rest, source);
    rest.append(reinterpret_cast<const char*>(recording.bytes()), recording.size());
    put(content, base::hash_bytes(rest.data(), rest.size()));
    content += rest;
    if (auto problem = write_file_atomically(fmt::format("{}/{:016x}{}", path_, graph, suffix), content))
      return problem;
  }
  return {};
}

}  // namespace heddle::campaign
