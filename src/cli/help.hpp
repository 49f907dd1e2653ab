// How --help looks: CLI11's way, with a first line of our own.
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

}  // namespace heddle::cli
