// The options of a command as plain data, for the pages that are generated from them: Markdown, manual pages, and
// completions of shells.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heddle::cli {

struct OptionEntry {
  std::string letter;  ///< of the short option; empty: there is none
  std::string name;    ///< without "--"
  std::string values;  ///< what the user writes as the value; empty: a flag
  std::string fallback;
  std::string help;
};

/// The options of a command in the order of its help page, without --help and the hidden ones.
std::vector<OptionEntry> option_entries(const CLI::App& app);

/// What a shell can offer as the value of an option.
struct ValueChoices {
  enum class Kind { none, words, files, folders };
  Kind kind = Kind::none;
  std::vector<std::string> words;
};
ValueChoices choices_for(const OptionEntry& option);

}  // namespace heddle::cli
