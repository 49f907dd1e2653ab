// The folder of --out. It is created when the first file is written to it.
#pragma once

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
  /// Writes one trace for each finding and stores its path in the finding.
  Outcome write_traces(const Settings& settings, findings::Results& results) const;

 private:
  std::string trace_path(const Settings& settings, const findings::Results& results,
                         const findings::Finding& finding) const;

  std::string path_;
};

/// Returns nothing, or why `path` could not be written as a file. Writes nothing.
Outcome check_file_writable(const std::string& path, const char* option);

}  // namespace heddle::campaign
