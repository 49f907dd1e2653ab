// Names of events that survive a new build of the program. Within one build, an event is named by its thread and by its
// number in the thread (step_name()). In another build, code that was added or removed shifts the numbers. There, an
// event is named by its thread, by its place in the source, and by how many events the thread made at that place
// before. An event of new code has a name of its own then, and an event of removed code is missing, but all others keep
// their names.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/hash.hpp"
#include "strategies/recording.hpp"

namespace heddle::strategies {

/// A place in the code of this build.
struct SourceSite {
  std::uint64_t site;  ///< SiteNames
  std::uint64_t name;  ///< of the place in the source (findings/source_names.hpp)
};

/// The loader lists the program itself first, so its sites (engine::Modules::canonical) begin here.
inline constexpr std::uint64_t first_program_site = std::uint64_t{1} << 48;

/// The name of the place in the source. `sites` are sorted by site. Sites that are not among them, such as those of
/// system libraries, are names themselves.
inline std::uint64_t source_name(std::span<const SourceSite> sites, std::uint64_t site) {
  const auto found = std::lower_bound(sites.begin(), sites.end(), site,
                                      [](const SourceSite& each, std::uint64_t wanted) { return each.site < wanted; });
  return found != sites.end() && found->site == site ? found->name : site;
}

/// Names the events of one execution, in the order of execution.
class SourceNaming {
 public:
  void clear() { counts_.clear(); }
  /// `place` is a source_name().
  std::uint64_t name_next(base::Arena& arena, std::uint64_t thread, std::uint64_t place) {
    const std::uint64_t key = base::hash_words(thread, place);
    for (Count& each : counts_)
      if (each.key == key) return base::hash_words(key, ++each.events);
    counts_.push_back(arena, {key, 0});
    return base::hash_words(key, 0);
  }

 private:
  struct Count {
    std::uint64_t key;
    std::uint64_t events;
  };
  base::ArenaVector<Count> counts_;
};

/// Renames the events of a recording of another build. `sites` are those of that build. `arena` is used for scratch.
inline void rename_by_source(Recording& recording, std::span<const SourceSite> sites, base::Arena& arena) {
  SourceNaming naming;
  for (RecordedEvent& event : recording.events())
    event.name = naming.name_next(arena, recording.threads()[event.thread], source_name(sites, event.site));
}

}  // namespace heddle::strategies
