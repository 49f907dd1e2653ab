// Finds heddle's own files relative to the running executable. Build folders and installations have the same layout.
#pragma once

#include <optional>
#include <string>

namespace heddle::cli {

struct Installation {
  std::string executable;
  std::optional<std::string> library;     ///< libheddle.so, absolute
  std::optional<std::string> include;     ///< the folder that holds heddle/heddle.h
  std::optional<std::string> stress;      ///< the folder that holds the subjects of heddle stress
  std::optional<std::string> gdb_script;  ///< heddle.py
};

Installation find_installation();

}  // namespace heddle::cli
