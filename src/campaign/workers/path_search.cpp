#include "campaign/workers/path_search.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace heddle::campaign {

namespace {

bool is_executable(const std::string& path) {
  std::error_code error;
  return ::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, error);
}

}  // namespace

std::optional<std::string> find_executable(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable(name) ? std::optional(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!folders.empty()) {
    const auto colon = folders.find(':');
    std::string candidate = fmt::format("{}/{}", folders.substr(0, colon), name);
    if (is_executable(candidate)) return candidate;
    folders = colon == std::string_view::npos ? std::string_view{} : folders.substr(colon + 1);
  }
  return std::nullopt;
}

}  // namespace heddle::campaign
