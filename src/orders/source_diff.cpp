#include "orders/source_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace heddle::orders {

namespace {

constexpr std::size_t context = 3;

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  if (first == line.npos) return "";
  return std::string(line.substr(first, line.find_last_not_of(" \t\r\n") - first + 1));
}

/// Lines of a file that are replaced by others; none of either kind are lines that are only added, or removed.
struct ChangedLines {
  std::size_t first = 0, count = 0;  ///< from 0
  std::string text;                  ///< that replaces them
};

class DiffWriter {
 public:
  DiffWriter(const EditedFile& file, std::string name)
      : file_(file), name_(std::move(name)), lines_(lines_of(file.text)) {}

  std::string write() {
    find_changed_lines();
    std::string text = fmt::format("--- a/{0}\n+++ b/{0}\n", name_);
    std::ptrdiff_t shift = 0;  // of the line numbers, by the hunks before
    for (std::size_t i = 0; i < changed_.size();) {
      std::size_t end = i + 1;
      while (end < changed_.size() && changed_[end].first <= behind(changed_[end - 1]) + 2 * context) ++end;
      text += hunk(i, end, shift);
      i = end;
    }
    return text;
  }

 private:
  static std::size_t behind(const ChangedLines& changed) { return changed.first + changed.count; }

  std::size_t line_at(std::size_t byte) const {
    return static_cast<std::size_t>(
        std::count(file_.text.begin(), file_.text.begin() + static_cast<std::ptrdiff_t>(byte), '\n'));
  }

  std::size_t begin_of(std::size_t line) const {
    return line < lines_.size() ? static_cast<std::size_t>(lines_[line].data() - file_.text.data()) : file_.text.size();
  }

  void find_changed_lines() {
    for (std::size_t i = 0; i < file_.edits.size();) {
      const TextEdit& edit = file_.edits[i];
      ChangedLines changed;
      changed.first = line_at(edit.range.begin);
      const bool adds_lines = edit.range.begin == edit.range.end && begin_of(changed.first) == edit.range.begin &&
                              edit.text.ends_with('\n');
      changed.count = adds_lines ? 0 : line_at(std::max(edit.range.begin + 1, edit.range.end) - 1) - changed.first + 1;
      std::size_t last = i + 1;
      // Edits of the same lines belong together.
      while (!adds_lines && last < file_.edits.size() && line_at(file_.edits[last].range.begin) < behind(changed)) {
        const TextEdit& next = file_.edits[last++];
        changed.count =
            std::max(changed.count, line_at(std::max(next.range.begin + 1, next.range.end) - 1) - changed.first + 1);
      }
      const std::size_t begin = begin_of(changed.first), end = begin_of(behind(changed));
      std::vector<TextEdit> inside;
      for (; i < last; ++i) {
        inside.push_back(file_.edits[i]);
        inside.back().range.begin -= begin;
        inside.back().range.end -= begin;
      }
      changed.text = apply_edits(file_.text.substr(begin, end - begin), inside);
      add(std::move(changed));
    }
  }

  /// Neighbouring lines are shown as one change.
  void add(ChangedLines changed) {
    if (changed_.empty() || behind(changed_.back()) != changed.first) {
      changed_.push_back(std::move(changed));
      return;
    }
    changed_.back().count += changed.count;
    changed_.back().text += changed.text;
  }

  std::string hunk(std::size_t begin, std::size_t end, std::ptrdiff_t& shift) const {
    const std::size_t first = changed_[begin].first - std::min(context, changed_[begin].first);
    const std::size_t last = std::min(lines_.size(), behind(changed_[end - 1]) + context);
    std::string body;
    std::size_t added = 0, removed = 0, at = first;
    for (std::size_t i = begin; i < end; ++i) {
      for (; at < changed_[i].first; ++at) body += marked(' ', lines_[at]);
      for (; at < behind(changed_[i]); ++at, ++removed) body += marked('-', lines_[at]);
      for (const std::string_view line : lines_of(changed_[i].text)) {
        body += marked('+', line);
        ++added;
      }
    }
    for (; at < last; ++at) body += marked(' ', lines_[at]);
    const std::size_t before = last - first, after = before + added - removed;
    const auto first_after = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first) + shift);
    shift += static_cast<std::ptrdiff_t>(added) - static_cast<std::ptrdiff_t>(removed);
    // An empty range is named by the line before it.
    return fmt::format("@@ -{},{} +{},{} @@\n", before == 0 ? first : first + 1, before,
                       after == 0 ? first_after : first_after + 1, after) +
           body;
  }

  static std::string marked(char mark, std::string_view line) {
    std::string text = mark + std::string(line);
    return line.ends_with('\n') ? text : text + "\n\\ No newline at end of file\n";
  }

  const EditedFile& file_;
  std::string name_;
  std::vector<std::string_view> lines_;
  std::vector<ChangedLines> changed_;
};

PlacedChange placed(const SiteChange& change, const OrderSite& site) {
  return {site.place, change.operation, change.from, change.to};
}

}  // namespace

SourceDiff source_diff(const OrderAnswer& answer, const SiteList& sites) {
  SourceDiff diff;
  std::map<std::string, std::vector<std::size_t>> by_file;
  for (std::size_t i = 0; i < answer.changes.size(); ++i) {
    const OrderSite& site = sites[answer.changes[i].site];
    if (site.place.line == 0)
      diff.by_hand.push_back({i, "there is no debug information: compile with -g", ""});
    else
      by_file[site.place.file].push_back(i);
  }
  for (const auto& [path, changes] : by_file) {
    const auto content = content_of(path);
    if (!content) {
      for (const std::size_t change : changes) diff.by_hand.push_back({change, "the source cannot be read", ""});
      continue;
    }
    const SourceText source(*content);
    std::vector<PlacedChange> here;
    for (const std::size_t change : changes)
      here.push_back(placed(answer.changes[change], sites[answer.changes[change].site]));
    FileEdits edited = edit_orders(source, here);
    const auto lines = lines_of(source.text());
    for (const UneditedChange& unedited : edited.unedited) {
      const unsigned line = here[unedited.change].place.line;
      diff.by_hand.push_back(
          {changes[unedited.change], unedited.why, line <= lines.size() ? trimmed(lines[line - 1]) : ""});
    }
    if (!edited.edits.empty()) diff.files.push_back({path, *content, std::move(edited.edits)});
  }
  std::sort(diff.by_hand.begin(), diff.by_hand.end(),
            [](const ChangeByHand& a, const ChangeByHand& b) { return a.change < b.change; });
  return diff;
}

std::string unified_diff(const EditedFile& file, const std::string& folder) {
  std::string name = file.path;
  if (!folder.empty() && name.starts_with(folder + "/")) name = name.substr(folder.size() + 1);
  if (name.starts_with("/")) name = name.substr(1);
  return DiffWriter(file, name).write();
}

}  // namespace heddle::orders
