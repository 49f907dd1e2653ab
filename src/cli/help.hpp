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
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return text.substr(0, text.find(':')) + " needs a value";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::string words = text.substr(text.find(':') + 2);
    return words.starts_with("-") ? "there is no option " + words : "this is too much: " + words;
  }
  return text;
}

}  // namespace heddle::cli
