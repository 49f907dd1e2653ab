// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

/// Text as XML 1.0 allows it in attributes and elements. It has no control characters but tab and line feed, and not
/// the two code points U+FFFE and U+FFFF.
std::string escaped_markup(std::string_view bytes);

}  // namespace heddle::report
