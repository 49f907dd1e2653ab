// Short texts for the boxes of a picture.
#pragma once

#include <cstddef>
#include <string>

#include "story/execution_log.hpp"

namespace heddle::picture {

/// "store ready = 1", "fetch_add count 0 -> 1", "mutex lock m", "create T0.1".
std::string label_of(const story::ExecutionLog& log, story::EventNumber number);

/// At most `most` characters of UTF-8: a longer text loses its middle.
std::string shortened(const std::string& text, std::size_t most);
/// The number of characters of a text in UTF-8.
std::size_t length_of(const std::string& text);

}  // namespace heddle::picture
