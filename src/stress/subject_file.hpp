// Files with subjects: those that come with heddle, and the user's.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "stress/compiler.hpp"

namespace heddle::stress {

struct SubjectFile {
  std::string path;
  std::vector<std::string> prefixes;                       ///< of the names of its subjects; empty: unknown
  std::vector<std::pair<std::string, std::string>> flags;  ///< machine, and what the compiler needs there

  bool is_cxx() const;
  std::string name() const { return path.substr(path.rfind('/') + 1); }
  /// False only if no subject of the file matches any of the patterns.
  bool may_match(const std::vector<std::string>& patterns) const;
};

/// A comment in the first lines of a file may say what is in it: "subjects: mutex once" names the first characters of
/// its subjects, so that the file is not compiled for other subjects; "flags(x86_64): -mcx16" names options.
Result<SubjectFile> read_subject_file(const std::string& path);

/// The files that come with heddle.
Result<std::vector<SubjectFile>> own_subject_files(const std::string& folder);

/// Compiles the file, with the harness if it is in C++. Returns nothing, or why it does not compile.
std::optional<std::string> compile_subjects(const SubjectFile& file, const Compiler& compiler, const Compilation& how,
                                            const std::string& harness, const std::string& program);

/// Compiles the file to assembly. Returns nothing, or why it does not compile.
std::optional<std::string> subjects_to_assembly(const SubjectFile& file, const Compiler& compiler,
                                                const Compilation& how, const std::string& assembly);

}  // namespace heddle::stress
