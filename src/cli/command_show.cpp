// heddle show: draws the execution of a trace.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "picture/drawing.hpp"
#include "picture/page.hpp"
#include "report/json.hpp"
#include "report/text.hpp"
#include "session/explain.hpp"
#include "session/replay.hpp"
#include "trace/atomic_file.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

namespace {

enum class Format { html, svg, dot };

struct ShowOptions {
  std::string trace;
  std::string program;  ///< empty: the program that the trace names
  Format format = Format::html;
  std::string output;  ///< "-": standard output
  std::vector<picture::Relation> relations{picture::Relation::rf, picture::Relation::sw};
  bool all_events = false;
};

/// The relations in "rf,sw"; "none" is no relation.
Result<std::vector<picture::Relation>> parse_relations(const std::string& text) {
  std::vector<picture::Relation> relations;
  if (text == "none") return relations;
  for (const std::string& name : split_names(text)) {
    const auto& all = picture::chosen_relations;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](picture::Relation relation) { return name == name_of(relation); });
    if (found == all.end())
      return usage_problem(
          fmt::format("--edges: there is no relation '{}'; the relations are rf, mo, fr, sw and hb", name));
    relations.push_back(*found);
  }
  return relations;
}

/// One of --html, --svg and --dot.
struct FormatOption {
  Format format;
  CLI::Option* option;
  std::string file;
};

/// Which format was asked for, and its file. A word after the option is its file, unless no other word is left for the
/// trace.
Outcome choose_format(const std::vector<FormatOption*>& formats, ShowOptions& options) {
  const FormatOption* chosen = nullptr;
  for (const FormatOption* format : formats) {
    if (format->option->count() == 0) continue;
    if (chosen != nullptr) return usage_problem("write one of --html, --svg and --dot");
    chosen = format;
  }
  if (chosen != nullptr) {
    options.format = chosen->format;
    options.output = chosen->file;
    if (options.trace.empty()) std::swap(options.trace, options.output);
  }
  if (options.trace.empty()) return usage_problem("there is no trace to show: write heddle show TRACE");
  if (!options.output.empty()) return {};
  options.output =
      options.format == Format::html ? std::filesystem::path(options.trace).replace_extension(".html").string() : "-";
  return {};
}

Result<ShowOptions> parse_options(std::vector<std::string> arguments) {
  ShowOptions options;
  RunOptions parser(run::show, "heddle show [OPTIONS] TRACE",
                    "Draws the recorded execution of TRACE: a lane for each thread, time downwards, with the story of\n"
                    "its finding. Without an option, it writes a page in HTML beside the trace.");
  CLI::App& app = parser.app();
  FormatOption html{Format::html, nullptr, {}}, svg{Format::svg, nullptr, {}}, dot{Format::dot, nullptr, {}};
  std::string edges;
  app.add_option("TRACE", options.trace, "a file that heddle test or heddle verify wrote");
  html.option = app.add_option("--html", html.file, "a page to step through (default: TRACE with the ending .html)");
  svg.option = app.add_option("--svg", svg.file, "a picture in SVG (default: standard output)");
  dot.option = app.add_option("--dot", dot.file, "a graph for Graphviz (default: standard output)");
  for (FormatOption* format : {&html, &svg, &dot}) format->option->type_name("[FILE]")->expected(0, 1);
  auto* edges_option = app.add_option(
      "--edges", edges, "the relations to draw: rf, mo, fr, sw, hb, or none (default: rf,sw); a page can change them");
  edges_option->type_name("NAME,...");
  app.add_flag("--all-events", options.all_events, "svg, dot: draw all events, not only those that matter");
  app.add_option("--program", options.program, "where the program is now, if it has been moved")->type_name("PATH");
  const auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  if (edges_option->count() != 0) {
    auto relations = parse_relations(edges);
    if (!relations) return relations.problem();
    options.relations = std::move(*relations);
  }
  if (auto problem = choose_format({&html, &svg, &dot}, options)) return *problem;
  if (options.output != "-")
    if (auto problem = campaign::check_file_writable(options.output, "the picture")) return *problem;
  if (options.format == Format::html)
    if (auto problem = picture::check_pages()) return *problem;
  return options;
}

Result<std::string> draw(const ShowOptions& options, const campaign::Subject& subject, const findings::Results& results,
                         const findings::Finding& finding, const story::ExecutionLog& log) {
  const std::string title = report::headline(finding);
  picture::Picture picture = picture::make_picture(finding, log);
  const picture::DrawingOptions drawing{title, options.relations, options.all_events};
  if (options.format == Format::svg) return picture::svg(picture, drawing);
  if (options.format == Format::dot) return picture::dot(picture, drawing);
  const findings::RunDescription run{subject.program_name, subject.args, subject.run};
  picture::PageContent content{title, report::json_report(run, results, HEDDLE_VERSION), {}, options.relations};
  content.pictures.push_back({finding.key, std::move(picture)});
  return picture::execution_page(content);
}

int show(const ShowOptions& options) {
  const auto trace = trace::read_trace(options.trace);
  if (!trace) return report_problem(trace.problem());
  const auto replay = session::Replay::of_trace(*trace, options.trace, options.program);
  if (!replay) return report_problem(replay.problem());
  auto replayed = session::run(*replay);
  if (!replayed) return report_problem(replayed.problem());
  findings::Finding* finding = session::find_key(replayed->results, trace->finding_key);
  if (finding == nullptr)
    return report_problem(
        test_problem(fmt::format("the finding of {} ({}) was not reproduced, so there is nothing to show",
                                 options.trace, trace->finding_message)));
  if (!replayed->log.log)
    return report_problem(
        test_problem(fmt::format("there is no picture of {}: {}", options.trace, replayed->log.why_not)));
  finding->trace = options.trace;
  session::explain_replay(*replay, *finding, replayed->log);
  const auto text = draw(options, replay->subject, replayed->results, *finding, *replayed->log.log);
  if (!text) return report_problem(text.problem());
  if (options.output == "-") {
    fmt::print("{}", *text);
    return std::fflush(stdout) == 0 ? static_cast<int>(ExitCode::no_bug)
                                    : report_problem(test_problem("cannot write the picture to standard output"));
  }
  if (auto problem = write_file_atomically(options.output, *text)) return report_problem(*problem);
  fmt::print("heddle: wrote {}\n", report::printable(options.output, report::Controls::escape));
  return static_cast<int>(ExitCode::no_bug);
}

}  // namespace

int command_show(std::vector<std::string> arguments) {
  const auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  return show(*options);
}

}  // namespace heddle::cli
