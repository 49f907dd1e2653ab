#include "report/places.hpp"

#include <fmt/format.h>

#include "report/text.hpp"

namespace heddle::report {

namespace {

SourcePlace make_place(const findings::Frame& frame, std::string what) {
  return {frame.file, frame.line, frame.column, frame.function, std::move(what)};
}

void add(std::vector<SourcePlace>& places, const findings::Stack& stack, std::string what) {
  if (const findings::Frame* frame = first_known_frame(stack)) places.push_back(make_place(*frame, std::move(what)));
}

/// All places of a finding, the one that it is shown at first.
std::vector<SourcePlace> all_places(const findings::Finding& finding) {
  std::vector<SourcePlace> places;
  for (std::size_t i = 0; i < finding.accesses.size(); ++i) {
    const findings::Access& access = finding.accesses[i];
    add(places, access.stack,
        fmt::format("{}{} by thread {}", i == 0 || finding.kind == findings::FindingKind::lock_order ? "" : "previous ",
                    access_text(access), access.thread));
  }
  add(places, finding.stack, finding.thread.empty() ? "here" : fmt::format("thread {}", finding.thread));
  for (const findings::ThreadState& thread : finding.threads)
    add(places, thread.stack, fmt::format("thread {} {}", thread.thread, state_text(thread)));
  if (finding.object)
    add(places, finding.object->stack, fmt::format("allocated here by thread {}", finding.object->thread));
  return places;
}

bool is_same_line(const SourcePlace& a, const SourcePlace& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column && a.what == b.what;
}

}  // namespace

const findings::Frame* first_known_frame(const findings::Stack& stack) {
  const findings::Frame* first = nullptr;
  for (const findings::Frame& frame : stack.frames) {
    if (frame.file.empty() || frame.line == 0) continue;
    // Code of the C++ library that was inlined: its caller tells more.
    if (!frame.file.starts_with("/usr/include/") && !frame.file.starts_with("/usr/lib/")) return &frame;
    if (first == nullptr) first = &frame;
  }
  return first;
}

std::optional<SourcePlace> place_of(const findings::Finding& finding) {
  std::vector<SourcePlace> places = all_places(finding);
  if (places.empty()) return {};
  return std::move(places.front());
}

std::vector<SourcePlace> related_places(const findings::Finding& finding) {
  const std::vector<SourcePlace> places = all_places(finding);
  std::vector<SourcePlace> related;
  for (const SourcePlace& place : places) {
    bool is_known = is_same_line(place, places.front());
    for (const SourcePlace& other : related) is_known = is_known || is_same_line(place, other);
    if (!is_known) related.push_back(place);
  }
  return related;
}

std::string relative_to(const std::string& file, const std::string& folder) {
  const std::string prefix = folder.ends_with('/') ? folder : folder + "/";
  return file.size() > prefix.size() && file.starts_with(prefix) ? file.substr(prefix.size()) : "";
}

}  // namespace heddle::report
