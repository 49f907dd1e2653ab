// What ELF files import, export and contain: which code is instrumented, and which libraries may synchronise threads.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace heddle::findings {

/// The names of the functions that a program or library imports. Empty if the file cannot be read.
std::set<std::string> imported_functions(const std::string& path);
/// Whether the library defines one of these names.
bool exports_any(const std::string& path, const std::set<std::string>& names);
/// Whether the code of the file has atomic read-modify-write operations.
bool has_atomic_operations(const std::string& path);
/// The addresses of the last bytes of call instructions, sorted: one byte before the address that the call returns to.
/// Bytes that only look like a call are among them.
std::vector<std::uint64_t> call_sites(const std::string& path);

/// The objects in the file that have code and no instrumentation: the file itself if it is an object, "FILE(MEMBER)"
/// for members of an archive. Files of other kinds have none.
std::vector<std::string> uninstrumented_objects(const std::string& path);

}  // namespace heddle::findings
