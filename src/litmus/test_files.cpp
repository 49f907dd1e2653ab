#include "litmus/test_files.hpp"

#include <algorithm>
#include <filesystem>

namespace heddle::litmus {

Result<std::vector<std::string>> find_test_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      if (entry.path().extension() == ".litmus") inside.push_back(entry.path().string());
    if (error) return usage_problem(path + " cannot be read: " + error.message());
    if (inside.empty()) return usage_problem("there is no *.litmus in " + path);
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

}  // namespace heddle::litmus
