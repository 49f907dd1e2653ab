// --corpus DIR: the entries of a corpus as files, one each, so that a later campaign goes on from them. A file is
// written completely or not at all, so a folder is usable whenever the driver was killed.
//
//   file   GRAPH.entry, GRAPH the hash of the graph, 16 hexadecimal digits
//          "heddlefz", version (4 bytes), size of the build id (4 bytes), the build id of the program, a hash of the
//          rest (8 bytes), the recording (strategies/recording.hpp)
//
// Entries of another build of the program are used, too: plans name events by thread and number (step_name()). A plan
// ends where the program does something else than planned.
#pragma once

#include <set>
#include <string>

#include "base/result.hpp"
#include "strategies/corpus.hpp"

namespace heddle::campaign {

class CorpusFolder {
 public:
  CorpusFolder(std::string path, std::string build_id) : path_(std::move(path)), build_id_(std::move(build_id)) {}

  /// Makes the folder, if it does not exist. A problem: it cannot be made or written to.
  Outcome open() const;
  /// Adds the entries of the folder to a corpus. Returns what was skipped, a sentence; empty: nothing.
  std::string load(strategies::CorpusKeeper& keeper);
  /// Writes the entries that the folder does not have.
  Outcome save(strategies::Corpus& corpus);

 private:
  std::string path_;
  std::string build_id_;
  std::set<std::uint64_t> known_;  ///< graphs of the entries in the folder
};

}  // namespace heddle::campaign
