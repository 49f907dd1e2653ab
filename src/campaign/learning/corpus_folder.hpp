// --corpus DIR: the entries of a corpus as files, one each, so that a later campaign continues from them. A file is
// written completely or not at all, so a folder is usable whenever the driver was killed.
//
//   file   GRAPH.entry, GRAPH the hash of the graph, 16 hexadecimal digits
//          "heddlefz", version (4 bytes), size of the build id (4 bytes), the build id of the program, a hash of the
//          rest (8 bytes), the number of places in the code (4 bytes), the site and the name in the source of each (16
//          bytes), the recording (strategies/recording.hpp)
//
// Entries of another build of the program are used, too: their events are found by thread and place in the source
// (strategies/source_sites.hpp). What no longer matches is dropped.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/workers/program_file.hpp"
#include "findings/source_names.hpp"
#include "strategies/corpus.hpp"

namespace heddle::campaign {

class CorpusFolder {
 public:
  CorpusFolder(std::string path, const ProgramFile& program)
      : path_(std::move(path)), build_id_(program.build_id), source_names_(program.path) {}

  /// Makes the folder, if it does not exist. A problem: it cannot be made or written to.
  Outcome open() const;
  /// Adds the entries of the folder to a corpus. Returns what was skipped, a sentence; empty: nothing.
  std::string load(strategies::CorpusKeeper& keeper);
  /// Writes the entries that the folder does not have.
  Outcome save(strategies::Corpus& corpus);

 private:
  std::vector<strategies::SourceSite> sources_of(const strategies::Recording& recording);
  void name_sources(strategies::Corpus& corpus);

  std::string path_;
  std::string build_id_;
  findings::SourceNames source_names_;
  std::set<std::uint64_t> known_;  ///< graphs of the entries in the folder
};

}  // namespace heddle::campaign
