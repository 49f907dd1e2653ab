#include "campaign/corpus_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/hash.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::campaign {

namespace fs = std::filesystem;
using strategies::Recording;

namespace {

constexpr char magic[] = "heddlefz";
constexpr std::uint32_t version = 1;
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

/// The recording in a file's content, aligned; empty: the content is damaged.
std::vector<std::uint64_t> recording_of(std::string_view content) {
  std::uint32_t found_version = 0, id_size = 0;
  std::uint64_t checksum = 0;
  if (!content.starts_with(magic)) return {};
  content.remove_prefix(sizeof magic - 1);
  if (!take(content, found_version) || found_version != version || !take(content, id_size) || id_size > most_build_id ||
      content.size() < id_size)
    return {};
  content.remove_prefix(id_size);
  if (!take(content, checksum) || content.size() > Recording::capacity || content.empty() ||
      base::hash_bytes(content.data(), content.size()) != checksum)
    return {};
  std::vector<std::uint64_t> words((content.size() + 7) / 8);
  std::memcpy(words.data(), content.data(), content.size());
  if (!Recording(reinterpret_cast<std::byte*>(words.data())).is_valid(content.size())) return {};
  return words;
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
    auto words = content ? recording_of(*content) : std::vector<std::uint64_t>{};
    const std::uint64_t graph = std::strtoull(file.stem().c_str(), nullptr, 16);
    if (words.empty() || graph == 0) {
      if (damaged++ == 0) first = file.string();
      continue;
    }
    if (!keeper.add(Recording(reinterpret_cast<std::byte*>(words.data())), graph)) break;
    known_.insert(graph);
  }
  if (damaged == 0) return {};
  return fmt::format("{} of {} entries of the corpus were skipped, because they are damaged; the first is {}", damaged,
                     files.size(), first);
}

Outcome CorpusFolder::save(strategies::Corpus& corpus) {
  for (std::uint32_t i = 0; i < corpus.count; ++i) {
    const std::uint64_t graph = corpus.entries[i].graph;
    if (!known_.insert(graph).second) continue;
    const Recording recording = corpus.recording(i);
    std::string content = magic;
    put(content, version);
    const std::string id = build_id_.substr(0, most_build_id);
    put(content, static_cast<std::uint32_t>(id.size()));
    content += id;
    put(content, base::hash_bytes(recording.bytes(), recording.size()));
    content.append(reinterpret_cast<const char*>(recording.bytes()), recording.size());
    if (auto problem = write_file_atomically(fmt::format("{}/{:016x}{}", path_, graph, suffix), content))
      return problem;
  }
  return {};
}

}  // namespace heddle::campaign
