// Keys of findings that share a root. Which of the findings with one root a campaign reports, and which are its
// variants, depends on the seed.
#pragma once

#include <map>
#include <string>

namespace heddle::results {

class KeyRoots {
 public:
  void join(const std::string& a, const std::string& b) {
    const std::string first = root_of(a), second = root_of(b);
    if (first != second) parents_[first] = second;
  }
  /// One key for all keys that share the root.
  std::string root_of(const std::string& key) const {
    const auto found = parents_.find(key);
    return found == parents_.end() ? key : root_of(found->second);
  }

 private:
  std::map<std::string, std::string> parents_;
};

}  // namespace heddle::results
