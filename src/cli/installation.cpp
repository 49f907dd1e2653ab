#include "cli/installation.hpp"

#include <filesystem>

namespace heddle::cli {

namespace fs = std::filesystem;

Installation find_installation() {
  std::error_code error;
  Installation installation;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  installation.executable = executable.string();
  const fs::path prefix = executable.parent_path().parent_path();
  for (const char* folder : {"lib", HEDDLE_INSTALL_LIBDIR, "lib64"}) {
    const fs::path library = prefix / folder / "libheddle.so";
    if (!fs::exists(library, error)) continue;
    installation.library = library.string();
    break;
  }
  for (const fs::path& include : {prefix / "include", fs::path(HEDDLE_SOURCE_INCLUDE)}) {
    if (!fs::exists(include / "heddle", error)) continue;
    installation.include = include.string();
    break;
  }
  for (const fs::path& folder : {prefix / HEDDLE_INSTALL_DATADIR / "heddle/stress", fs::path(HEDDLE_SOURCE_SUBJECTS)}) {
    if (!fs::exists(folder / "harness.c", error)) continue;
    installation.stress = folder.string();
    break;
  }
  for (const fs::path& script :
       {prefix / HEDDLE_INSTALL_DATADIR / "heddle/gdb/heddle.py", fs::path(HEDDLE_SOURCE_GDB)}) {
    if (!fs::exists(script, error)) continue;
    installation.gdb_script = script.string();
    break;
  }
  return installation;
}

}  // namespace heddle::cli
