// The folder of --out. It is created when the first file is written to it. Traces are written as soon as a finding is
// known, so that a driver that is killed leaves the findings up to then behind.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "trace/trace_file.hpp"

namespace heddle::campaign {

class OutputFolder {
 public:
  explicit OutputFolder(std::string path) : path_(std::move(path)) {}

  /// Returns nothing, or why files could not be written here. Creates nothing.
  Outcome check_writable() const;
  /// While the campaign runs: writes the trace of a finding that is new, or that an earlier execution has shown now,
  /// and stores its path in the finding.
  Outcome write_trace(const Subject& subject, run::Isolation isolation, findings::Finding& finding);
  /// The user has been told the path of this finding's trace, so that the trace stays.
  void keep_trace(const findings::Finding& finding) { kept_.insert(finding.trace); }
  /// After the campaign: writes the traces that write_trace() has not written in this form, removes those of variants
  /// and of findings that do not count, except those of keep_trace(), and stores the path of its trace in each finding.
  Outcome write_traces(const Subject& subject, findings::Results& results);

 private:
  struct Written {
    std::string path;
    std::uint64_t execution = 0;
    run::Isolation isolation = run::Isolation::automatic;
    std::string decisions = {};  ///< minimising changes them
    std::vector<std::uint64_t> racy_sites = {};
    bool operator==(const Written&) const = default;
  };
  enum class KeyLength { first_half, full };

  std::string trace_path(const Subject& subject, const findings::Finding& finding, KeyLength length) const;
  Outcome write(const Subject& subject, findings::Finding& finding, const Written& wanted);

  std::string path_;
  std::map<std::uint64_t, Written> written_;  ///< by the key of the finding
  std::set<std::string> kept_;                ///< paths
};

/// The trace of a finding of this campaign.
trace::TraceFile make_trace(const Subject& subject, run::Isolation isolation, const findings::Finding& finding);

/// Returns nothing, or why `path` could not be written as a file. Writes nothing.
Outcome check_file_writable(const std::string& path, const char* option);

}  // namespace heddle::campaign
