// What heddle test and heddle verify say while they run, on standard error: on a terminal a line that is updated once a
// second, and a line for each bug; otherwise a line a minute.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "campaign/settings.hpp"
#include "findings/finding.hpp"
#include "session/observer.hpp"

namespace heddle::cli {

class ProgressLines {
 public:
  enum class Kind { none, terminal, log };
  /// For standard error: none if `quiet`.
  static Kind kind_for_standard_error(bool quiet);

  ProgressLines(Kind kind, std::FILE* out);
  /// Erases the line on the terminal.
  ~ProgressLines();
  ProgressLines(const ProgressLines&) = delete;
  ProgressLines& operator=(const ProgressLines&) = delete;

  /// To be called often.
  void show(const campaign::LiveProgress& live);
  /// On a terminal, says that a bug was found. Its trace is on disk. `finding` has symbols.
  void show_bug(const findings::Finding& finding);
  bool shows_bugs() const { return kind_ == Kind::terminal; }

 private:
  Kind kind_;
  std::FILE* out_;
  double next_;  ///< when to show the next line, in seconds since the beginning
  bool has_line_ = false;
};

/// Shows a task on standard error.
class TerminalObserver final : public session::Observer {
 public:
  explicit TerminalObserver(bool quiet) : quiet_(quiet) {}

  void begin_campaign() override { lines_.emplace(ProgressLines::kind_for_standard_error(quiet_), stderr); }
  void end_campaign() override { lines_.reset(); }
  void show_progress(const campaign::LiveProgress& live) override { lines_->show(live); }
  bool show_bug(const findings::Finding& finding) override;
  void show_note(const std::string& text) override;
  void show_warning(const std::string& text) override;

 private:
  bool quiet_;
  std::optional<ProgressLines> lines_;
};

}  // namespace heddle::cli
