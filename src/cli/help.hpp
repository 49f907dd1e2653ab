// What CLI11 says to the user, in our words.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace heddle::cli {

class Help final : public CLI::Formatter {
 public:
  explicit Help(std::string usage) : usage_(std::move(usage)) { column_width(28); }
  std::string make_usage(const CLI::App*, std::string) const override { return "usage: " + usage_ + "\n"; }
  /// The descriptions say what the values are.
  std::string make_option_opts(const CLI::Option*) const override { return {}; }

 private:
  std::string usage_;
};

inline std::string parse_error_text(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (error.get_name() == "ArgumentMismatch") return text.substr(0, text.find(':')) + " needs a value";
  if (error.get_name() == "ExtrasError") return "there is one word too many: " + text.substr(text.rfind(':') + 2);
  return text;
}

}  // namespace heddle::cli
