#include "findings/source_lines.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace heddle::findings {

std::vector<std::string> source_lines(const std::string& path) {
  constexpr std::uintmax_t largest = 16 << 20;
  std::error_code error;
  std::vector<std::string> lines;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > largest) return lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

}  // namespace heddle::findings
