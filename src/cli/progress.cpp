#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "report/text.hpp"

namespace heddle::cli {

namespace {

constexpr const char* erase_line = "\r\033[K";
// Runs that are shorter than this need no progress.
constexpr double first_on_terminal = 0.5, interval_on_terminal = 1, interval_in_log = 60;

std::string text_of(const campaign::LiveProgress& live) {
  if (live.executions == 0 && !live.phase.empty())
    return fmt::format("heddle: {}, {:.0f} s", report::printable(live.phase, report::Controls::escape), live.seconds);
  std::string text =
      fmt::format("heddle: {} executions ({:.0f}/s), {} buggy, {}", live.executions,
                  static_cast<double>(live.executions) / live.seconds, live.buggy, report::bugs_text(live.bugs));
  if (live.graphs != 0) text += fmt::format(", {} graphs", live.graphs);
  text += fmt::format(", {:.0f} s", live.seconds);
  if (!live.place_rates.empty()) {
    const auto [least, most] = std::minmax_element(live.place_rates.begin(), live.place_rates.end());
    text += fmt::format(", {} ranks at {:.0f} to {:.0f}/s", live.place_rates.size(), *least, *most);
  }
  if (live.explored > 0)
    text += fmt::format(", {:.1f} % explored, about {:.0f} s left", 100 * live.explored,
                        live.seconds * (1 - live.explored) / live.explored);
  else if (live.seconds_left > 0)
    text += fmt::format(", about {:.0f} s left", live.seconds_left);
  return text;
}

}  // namespace

ProgressLines::Kind ProgressLines::kind_for_standard_error(bool quiet) {
  if (quiet) return Kind::none;
  return ::isatty(2) == 1 ? Kind::terminal : Kind::log;
}

ProgressLines::ProgressLines(Kind kind, std::FILE* out)
    : kind_(kind), out_(out), next_(kind == Kind::terminal ? first_on_terminal : interval_in_log) {}

ProgressLines::~ProgressLines() {
  if (has_line_) std::fputs(erase_line, out_);
}

void ProgressLines::show(const campaign::LiveProgress& live) {
  if (kind_ == Kind::none || live.seconds < next_) return;
  next_ = live.seconds + (kind_ == Kind::terminal ? interval_on_terminal : interval_in_log);
  const std::string line = kind_ == Kind::terminal ? erase_line + text_of(live) : text_of(live) + "\n";
  std::fputs(line.c_str(), out_);  // a standard error that cannot be written is no reason to stop
  std::fflush(out_);
  has_line_ = kind_ == Kind::terminal;
}

void ProgressLines::show_bug(const findings::Finding& finding) {
  if (kind_ != Kind::terminal) return;
  const std::string text = fmt::format("heddle: found in execution {}: {}; heddle replay {}", finding.execution,
                                       report::headline(finding), report::shell_word(finding.trace));
  std::fprintf(out_, "%s%s\n", erase_line, report::printable(text, report::Controls::escape).c_str());
  std::fflush(out_);
  has_line_ = false;
}

bool TerminalObserver::show_bug(const findings::Finding& finding) {
  lines_->show_bug(finding);
  return lines_->shows_bugs();
}

void TerminalObserver::show_note(const std::string& text) {
  if (!quiet_) fmt::print(stderr, "heddle: {}\n", report::printable(text, report::Controls::escape));
}

void TerminalObserver::show_warning(const std::string& text) {
  fmt::print(stderr, "heddle: warning: {}\n", report::printable(text, report::Controls::escape));
}

}  // namespace heddle::cli
