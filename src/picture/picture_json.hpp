// Pictures as the data of pages. page/picture.js reads it.
#pragma once

#include <string>

#include "picture/picture.hpp"

namespace heddle::picture {

/// One JSON object.
std::string picture_json(const Picture& picture);

}  // namespace heddle::picture
