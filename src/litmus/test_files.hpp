#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace heddle::litmus {

/// The files of litmus tests that a user names: files, and folders whose *.litmus files are meant, in the order of
/// their names.
Result<std::vector<std::string>> find_test_files(const std::vector<std::string>& paths);

}  // namespace heddle::litmus
