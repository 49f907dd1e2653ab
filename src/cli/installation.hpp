// Where heddle's own files are: beside the running executable, in a build folder and installed alike.
#pragma once

#include <optional>
#include <string>

namespace heddle::cli {

struct Installation {
  std::string executable;
  std::optional<std::string> library;  ///< libheddle.so, absolute
  std::optional<std::string> include;  ///< the folder that holds heddle/heddle.h
};

Installation find_installation();

}  // namespace heddle::cli
