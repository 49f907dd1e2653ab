// The page that page/bundle.py makes when heddle is built.
#pragma once

#include <string_view>

namespace heddle::picture {

/// With the markers {{title}} and {{data}}. Empty: d3 was not there.
std::string_view page_text();

}  // namespace heddle::picture
