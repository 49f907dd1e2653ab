// The folder of --out. It comes into being with the first file that goes there.
#pragma once

#include <string>

#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "trace/result.hpp"
#include "trace/trace_file.hpp"

namespace heddle::campaign {

class OutputFolder {
 public:
  explicit OutputFolder(std::string path) : path_(std::move(path)) {}

  /// Nothing, or why files could not be written here. Makes nothing.
  Outcome check_writable() const;
  /// Writes one trace a finding and notes its path there.
  Outcome write_traces(const Settings& settings, findings::Results& results) const;

 private:
  std::string trace_path(const Settings& settings, const findings::Results& results,
                         const findings::Finding& finding) const;

  std::string path_;
};

trace::TraceFile make_trace(const Settings& settings, const std::string& isolation, const findings::Finding& finding);

/// Nothing, or why `path` could not be written as a file. Writes nothing.
Outcome check_file_writable(const std::string& path, const char* option);

}  // namespace heddle::campaign
