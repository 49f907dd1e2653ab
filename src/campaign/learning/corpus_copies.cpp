#include "campaign/learning/corpus_copies.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace heddle::campaign {

using strategies::Corpus;
using strategies::Recording;

ReservedMemory::ReservedMemory(std::size_t size) : size_(size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  begin_ = static_cast<std::byte*>(memory);
}

ReservedMemory::~ReservedMemory() { ::munmap(begin_, size_); }

void copy_corpus(const Corpus& from, ChannelMemory& channel) {
  Corpus& to = channel.corpus();
  CorpusCopied& copied = channel.corpus_copied();
  for (std::uint32_t i = 0; i < from.count; ++i) {
    if (from.entries[i].round <= copied.round) continue;
    std::byte* recording = const_cast<std::byte*>(from.recordings[i]);
    std::memcpy(to.recordings[i], recording, Recording(recording).size());
  }
  std::memcpy(to.entries, from.entries, sizeof(Corpus::Entry) * from.count);
  std::copy(from.graphs + copied.graphs, from.graphs + from.known_graphs, to.graphs + copied.graphs);
  std::copy(from.pairs + copied.pairs, from.pairs + from.known_pairs, to.pairs + copied.pairs);
  if (to.source_site_count != from.source_site_count)
    std::copy(from.source_sites, from.source_sites + from.source_site_count, to.source_sites);
  to.source_site_count = from.source_site_count;
  to.count = from.count;
  to.round = from.round;
  to.loaded = from.loaded;
  to.known_graphs = from.known_graphs;
  to.known_pairs = from.known_pairs;
  copied = {from.round, from.known_graphs, from.known_pairs};
}

// ---- updates ----------------------------------------------------------------------------------------------------

void write_corpus_update(StateWriter& out, const Corpus& corpus, CorpusCopied& sent) {
  const CorpusCopied now{corpus.round, corpus.known_graphs, corpus.known_pairs};
  out.value(now);
  for (const std::uint32_t number : {corpus.count, corpus.loaded}) out.value(number);
  for (std::uint32_t i = 0; i < corpus.count; ++i) {
    const Corpus::Entry& entry = corpus.entries[i];
    out.number(entry.end);
    const bool is_new = entry.round > sent.round;
    out.number(is_new ? 1 : 0);
    if (!is_new) continue;
    out.value(entry);
    auto* recording = const_cast<std::byte*>(corpus.recordings[i]);
    out.list(std::span<const std::byte>(recording, Recording(recording).size()));
  }
  out.list(std::span(corpus.graphs + sent.graphs, corpus.known_graphs - sent.graphs));
  out.list(std::span(corpus.pairs + sent.pairs, corpus.known_pairs - sent.pairs));
  // They are there before the first round, and do not change.
  out.list(sent.round == 0 ? corpus.sources() : std::span<const strategies::SourceSite>());
  sent = now;
}

namespace {

/// Copies a list of the message to a part of an array. Returns its length.
template <typename T>
std::uint64_t put(StateReader& in, std::span<T> array, std::uint64_t begin) {
  const std::string_view bytes = in.list_bytes(sizeof(T));
  const std::uint64_t length = bytes.size() / sizeof(T);
  if (begin > array.size() || length > array.size() - begin) throw BadValue{};
  if (length != 0) std::memcpy(array.data() + begin, bytes.data(), bytes.size());
  return length;
}

}  // namespace

void apply_corpus_update(StateReader& in, Corpus& copy, CorpusCopied& known) {
  CorpusCopied next;
  in.value(next);
  std::uint32_t count = 0, loaded = 0;
  in.value(count);
  in.value(loaded);
  if (count > Corpus::most_entries) throw BadValue{};
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t end = in.number();
    if (in.number() != 0) {
      in.value(copy.entries[i]);
      const std::uint64_t size = put(in, std::span<std::byte>(copy.recordings[i]), 0);
      if (size < sizeof(std::uint32_t) || Recording(copy.recordings[i]).size() != size) throw BadValue{};
    }
    copy.entries[i].end = static_cast<std::uint32_t>(end);
  }
  const std::uint64_t graphs = known.graphs + put(in, std::span<std::uint64_t>(copy.graphs), known.graphs);
  const std::uint64_t pairs = known.pairs + put(in, std::span<std::uint64_t>(copy.pairs), known.pairs);
  if (graphs != next.graphs || pairs != next.pairs) throw BadValue{};
  const std::uint64_t sites = put(in, std::span<strategies::SourceSite>(copy.source_sites), 0);
  if (known.round == 0) copy.source_site_count = static_cast<std::uint32_t>(sites);
  copy.count = count;
  copy.loaded = loaded;
  copy.round = static_cast<std::uint32_t>(next.round);
  copy.known_graphs = graphs;
  copy.known_pairs = pairs;
  known = next;
}

}  // namespace heddle::campaign
