#include "cli/completion.hpp"

#include <fmt/format.h>

#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/option_entries.hpp"
#include "report/text.hpp"

namespace heddle::cli {

namespace {

using Kind = ValueChoices::Kind;

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

/// "-m|--model", "--json"
std::string names_of(const OptionEntry& option, const char* separator) {
  return option.letter.empty() ? "--" + option.name : fmt::format("-{}{}--{}", option.letter, separator, option.name);
}

/// A function that gets the word before and the word to complete.
std::string bash_part(const std::vector<OptionEntry>& options, const std::string& command) {
  std::string text = fmt::format("_heddle_options_{}() {{\n  case $1 in\n", command);
  std::string all, with_value;
  for (const OptionEntry& option : options) {
    all += (all.empty() ? "" : " ") + names_of(option, " ");
    if (option.values.empty()) continue;
    with_value += (with_value.empty() ? "" : "|") + names_of(option, "|");
    const ValueChoices choices = choices_for(option);
    std::string reply = ":";
    if (choices.kind == Kind::words)
      reply = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$2\"))", joined(choices.words, " "));
    if (choices.kind == Kind::files) reply = "COMPREPLY=($(compgen -f -- \"$2\"))";
    if (choices.kind == Kind::folders) reply = "COMPREPLY=($(compgen -d -- \"$2\"))";
    text += fmt::format("    {}) {}; return ;;\n", names_of(option, "|"), reply);
  }
  text +=
      fmt::format("  esac\n  if [[ $2 == -* ]]; then COMPREPLY=($(compgen -W '{} --help' -- \"$2\")); fi\n}}\n", all);
  return text + fmt::format("_heddle_takes_value_{}() {{ case $1 in {}) return 0 ;; esac; return 1; }}\n", command,
                            with_value.empty() ? "''" : with_value);
}

constexpr const char* bash_rest = R"(_heddle() {
  COMPREPLY=()
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} i
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$_heddle_commands help --help --version" -- "$word"))
    return
  fi
  if [[ $command == help ]]; then
    COMPREPLY=($(compgen -W "$_heddle_commands_with_options" -- "$word"))
    return
  fi
  if [[ " $_heddle_commands_with_options " != *" $command "* ]]; then return; fi
  # Options end at the first word that is neither an option nor the value of one: the program.
  for ((i = 2; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      =) ((++i)) ;;
      -*) if _heddle_takes_value_$command "${COMP_WORDS[i]}" && [[ ${COMP_WORDS[i+1]} != = ]]; then ((++i)); fi ;;
      *) return ;;
    esac
  done
  # Readline takes --model=rc11 for three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  _heddle_options_$command "$before" "$word"
}
complete -o default -F _heddle heddle
complete -o default heddle-c++ heddle-cc
)";

/// The text inside single quotes and inside the brackets of a specification of _arguments.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

std::string zsh_part(const std::vector<OptionEntry>& options, const std::string& command) {
  std::string text = fmt::format("_heddle_options_{}() {{\n  _arguments -S -A '-*' \\\n", command);
  for (const OptionEntry& option : options) {
    std::string value;
    if (!option.values.empty()) {
      const ValueChoices choices = choices_for(option);
      value = ":" + zsh_text(option.values) + ":";
      if (choices.kind == Kind::words) value += "(" + joined(choices.words, " ") + ")";
      if (choices.kind == Kind::files) value += "_files";
      if (choices.kind == Kind::folders) value += "_files -/";
    }
    const std::string names = option.letter.empty()
                                  ? fmt::format("'--{}", option.name)
                                  : fmt::format("'(-{0} --{1})'{{-{0},--{1}}}'", option.letter, option.name);
    text += fmt::format("    {}[{}]{}' \\\n", names, zsh_text(option.help), value);
  }
  return text + "    '--help[print a page of help]' \\\n    '1:file:_files' '*:argument:_files'\n}\n";
}

constexpr const char* zsh_rest = R"(_heddle() {
  if ((CURRENT == 2)); then
    _describe -t commands command _heddle_commands
    return
  fi
  local command=$words[2]
  shift words
  ((--CURRENT))
  if (($+functions[_heddle_options_$command])); then
    _heddle_options_$command
  else
    _files
  fi
}
_heddle "$@"
)";

std::string fish_text(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_part(const std::vector<OptionEntry>& options, const std::string& command) {
  std::string text;
  for (const OptionEntry& option : options) {
    std::string line = fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}'", command);
    if (!option.letter.empty()) line += fmt::format(" -s {}", option.letter);
    line += fmt::format(" -l {}", option.name);
    if (!option.values.empty()) {
      const ValueChoices choices = choices_for(option);
      if (choices.kind == Kind::words) line += fmt::format(" -x -a '{}'", joined(choices.words, " "));
      if (choices.kind == Kind::files) line += " -r";
      if (choices.kind == Kind::folders) line += " -x -a '(__fish_complete_directories)'";
      if (choices.kind == Kind::none) line += " -x";
    }
    text += fmt::format("{} -d {}\n", line, fish_text(option.help));
  }
  return text;
}

std::string file_head(const std::string& shell) {
  const std::string title =
      fmt::format("# Completes heddle's commands in {0}. Made by: heddle help --completion {0}\n", shell);
  std::string text = shell == "zsh" ? "#compdef heddle\n" + title : title;
  if (shell == "bash") {
    std::string all, with_options;
    for (const Command& command : commands()) {
      all += (all.empty() ? "" : " ") + std::string(command.name);
      if (!command.is_compiler) with_options += (with_options.empty() ? "" : " ") + std::string(command.name);
    }
    text += fmt::format("_heddle_commands='{}'\n_heddle_commands_with_options='{}'\n", all, with_options);
  }
  if (shell == "zsh") text += "local -a _heddle_commands=(\n";
  for (const Command& command : commands()) {
    if (shell == "zsh") text += fmt::format("  '{}:{}'\n", command.name, zsh_text(command.summary));
    if (shell == "fish")
      text += fmt::format("complete -c heddle -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          fish_text(command.summary));
  }
  if (shell == "zsh") text += "  'help:print a page of help'\n)\n";
  if (shell == "fish")
    text +=
        "complete -c heddle -n __fish_use_subcommand -a help -d 'print a page of help'\n"
        "complete -c heddle -l help -d 'print a page of help'\n";
  return text;
}

}  // namespace

std::string completion_part(const CLI::App& app, const std::string& command, const std::string& shell) {
  const std::vector<OptionEntry> options = option_entries(app);
  if (shell == "bash") return bash_part(options, command);
  if (shell == "zsh") return zsh_part(options, command);
  return fish_part(options, command);
}

int command_completion(const std::string& shell) {
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    return report_problem(usage_problem(
        fmt::format("there is no completion for '{}': write heddle help --completion bash, zsh or fish", shell)));
  fmt::print("{}", file_head(shell));
  for (const Command& command : commands())
    if (!command.is_compiler) command.run({"--help-" + shell});
  if (shell == "bash") fmt::print("{}", bash_rest);
  if (shell == "zsh") fmt::print("{}", zsh_rest);
  return 0;
}

}  // namespace heddle::cli
