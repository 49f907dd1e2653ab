#include "findings/source_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/hash.hpp"
#include "findings/elf_symbols.hpp"
#include "findings/stack_ends.hpp"

namespace heddle::findings {

std::uint64_t SourceNames::name_of(std::uint64_t address) {
  const auto [found, is_new] = names_.try_emplace(address, 0);
  if (!is_new) return found->second;
  // An atomic operation is inlined from a library's header. Its place is where the program uses it.
  const std::vector<Frame> frames = debug_file_.frames(address);
  const auto own = std::find_if_not(frames.begin(), frames.end(), is_library_frame);
  const Frame& frame = own == frames.end() ? frames.front() : *own;
  const std::string place = fmt::format("{}: {}", frame.function, line_text(frame));
  return found->second = base::hash_bytes(place.data(), place.size());
}

/// The line without the space around it: formatting a block anew does not change a name.
std::string SourceNames::line_text(const Frame& frame) {
  const auto [file, is_new] = files_.try_emplace(frame.file);
  if (is_new && !frame.file.empty()) {
    std::ifstream in(frame.file);
    for (std::string line; std::getline(in, line);) file->second.push_back(line);
  }
  const std::vector<std::string>& lines = file->second;
  if (frame.line == 0 || frame.line > lines.size()) return fmt::format("{}", frame.line - frame.function_line);
  const std::string& line = lines[frame.line - 1];
  const auto first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return first == line.npos ? std::string() : line.substr(first, last - first + 1);
}

std::vector<std::uint64_t> SourceNames::call_sites() const { return findings::call_sites(program_); }

}  // namespace heddle::findings
