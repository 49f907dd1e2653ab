#include "report/markup.hpp"

#include "report/text.hpp"

namespace heddle::report {

std::string escaped_markup(std::string_view bytes) {
  std::string result;
  const std::string text = printable(bytes, Controls::escape);
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\xef':
        if (text.compare(i, 2, "\xef\xbf") == 0 && (text[i + 2] == '\xbe' || text[i + 2] == '\xbf')) {
          result += "\xef\xbf\xbd";  // U+FFFD, the replacement character
          i += 2;
        } else {
          result += text[i];
        }
        break;
      default: result += text[i];
    }
  }
  return result;
}

}  // namespace heddle::report
