#include "cli/manual.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/option_entries.hpp"

namespace heddle::cli {

namespace {

/// Text as roff takes it: no character is a command of roff.
std::string roff(std::string_view text) {
  std::string result;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    at_start = c == '\n';
  }
  return result;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string head(const std::string& page, const std::string& summary, const std::string& usage) {
  return fmt::format(
      ".TH {} 1 \"\" \"heddle {}\" \"heddle\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n.SH DESCRIPTION\n",
      roff(upper(page)), HEDDLE_VERSION, roff(page), roff(summary), roff(usage));
}

/// Lines of the text that are indented are kept as they are; the others are filled.
std::string paragraphs(std::string_view text) {
  std::string result;
  bool is_kept = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const bool keep = line.starts_with(' ');
    if (keep != is_kept) result += keep ? ".PP\n.nf\n" : ".fi\n.PP\n";
    is_kept = keep;
    result += (line.empty() ? ".PP" : roff(line)) + "\n";
  }
  return result + (is_kept ? ".fi\n" : "");
}

std::string option_text(const OptionEntry& option) {
  std::string names = option.letter.empty() ? "" : fmt::format("\\fB{}\\fR, ", roff("-" + option.letter));
  names += fmt::format("\\fB{}\\fR", roff("--" + option.name));
  if (!option.values.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.values));
  const std::string fallback = option.fallback.empty() ? "" : fmt::format(" The default is {}.", roff(option.fallback));
  return fmt::format(".TP\n{}\n{}.{}\n", names, roff(option.help), fallback);
}

std::string exit_codes() {
  return ".SH EXIT STATUS\n"
         ".TP\n0\nno bug\n.TP\n1\na bug was found\n.TP\n2\nwrong usage; the sentence on standard error says what to "
         "change\n.TP\n3\nheddle could not test the program, or a limit was reached; the sentence says why\n";
}

std::string see_also(std::string_view page) {
  std::string text = ".SH SEE ALSO\n";
  std::vector<std::string> pages{"heddle"};
  for (const Command& command : commands()) pages.push_back(fmt::format("heddle-{}", command.name));
  std::erase(pages, page);
  for (const std::string& name : pages)
    text += fmt::format(".BR {} (1){}\n", roff(name), name == pages.back() ? "" : ",");
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& command, const std::string& usage) {
  const Command* row = find_command(command);
  const std::string page = "heddle-" + command;
  std::string text = head(page, row != nullptr ? row->summary : command, usage);
  text += paragraphs(app.get_description()) + ".SH OPTIONS\n";
  for (const OptionEntry& option : option_entries(app)) text += option_text(option);
  const std::string footer_text = app.get_footer();  // "\nStrategies:\n  name  help\n..."
  std::string_view footer = footer_text;
  while (footer.starts_with('\n')) footer.remove_prefix(1);
  if (const auto end = footer.find(":\n"); end != footer.npos) {
    text += fmt::format(".SH {}\n", upper(std::string(footer.substr(0, end))));
    text += paragraphs(footer.substr(end + 2));
  }
  if (command == "test")
    text +=
        ".SH ENVIRONMENT\n.TP\n.B HEDDLE_OPTIONS\nThe options of a program that is started by itself, such as "
        "runs=500:seed=3. Start it with HEDDLE_OPTIONS=help=1 for a list.\n"
        ".TP\n.B HEDDLE_OFF\nIf set to 1, a program that is started by itself runs as an ordinary program, without "
        "heddle.\n";
  return text + exit_codes() + see_also(page);
}

int print_overview_manual() {
  std::string text = head("heddle", "find the concurrency bugs of C and C++ programs", "heddle COMMAND [ARGUMENTS...]");
  text +=
      "heddle compiles a program with the instrumentation that gcc and clang already have, runs it many times under "
      "its own scheduler and its own model of C++20 memory, and reports each bug once, with a trace that replays it.\n"
      ".PP\n.nf\n" +
      roff("  heddle c++ -g -o prog prog.cpp\n  heddle test ./prog\n") + ".fi\n.SH COMMANDS\n";
  for (const Command& command : commands())
    text += fmt::format(".TP\n\\fB{}\\fR {}\n{}. See \\fB{}\\fR(1).\n", command.name, roff(command.arguments),
                        roff(command.summary), roff(fmt::format("heddle-{}", command.name)));
  fmt::print("{}{}{}", text, exit_codes(), see_also("heddle"));
  return 0;
}

int print_compiler_manual(const Command& command) {
  const bool is_cxx = std::string_view(command.name) == "c++";
  const std::string page = fmt::format("heddle-{}", command.name);
  std::string text = head(page, command.summary, fmt::format("heddle {} {}", command.name, command.arguments));
  text += fmt::format(
      "Takes the arguments of the compiler and calls it. Compilations get the options that instrument memory "
      "accesses, links get the library libheddle. \\fB{}\\fR is another name of this command, for build systems that "
      "take the name of a compiler, such as CMAKE_{}_COMPILER.\n"
      ".SH OPTIONS\n.TP\n\\fB{}\\fR\nTurn plain and volatile accesses into relaxed atomics. This needs clang.\n.PP\n"
      "All other options are those of the compiler.\n"
      ".SH ENVIRONMENT\n.TP\n.B HEDDLE_{}\nThe compiler to call, such as {}. The default is the first of {} in PATH.\n"
      ".SH EXIT STATUS\nThat of the compiler; 2 if the option of heddle is wrong; 3 if something is missing.\n",
      roff(page), is_cxx ? "CXX" : "C", roff("--plain=relaxed"), is_cxx ? "CXX" : "CC",
      roff(is_cxx ? "clang++ or \"ccache g++\"" : "clang or \"ccache gcc\""),
      roff(is_cxx ? "c++, g++ and clang++" : "cc, gcc and clang"));
  fmt::print("{}{}", text, see_also(page));
  return 0;
}

}  // namespace heddle::cli
