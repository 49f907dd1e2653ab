#include "cli/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/strategy_list.hpp"
#include "models/memory_model.hpp"
#include "run/values.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::cli {

namespace {

constexpr unsigned any_command = run::test | run::verify | run::litmus | run::replay | run::predict | run::minimize |
                                 run::show | run::merge | run::results | run::change_orders;
constexpr std::string_view hidden_help = "--help-";  // and the format: markdown, man, bash, zsh, fish

std::string option_names(const run::Field& field) {
  const std::string name = fmt::format("--{}", field.name);
  return field.letter == '\0' ? name : fmt::format("-{},{}", field.letter, name);
}

void replace(std::string& text, std::string_view part, std::string_view by) {
  if (const auto at = text.find(part); at != std::string::npos) text.replace(at, part.size(), by);
}

std::string parameters_text(const strategies::StrategyDescriptor& strategy) {
  std::string text;
  for (const strategies::Parameter& parameter : strategy.parameters) {
    const std::string by_default = default_text(parameter);
    text += help_entry(fmt::format("    {}={}", parameter.name, values_text(parameter)),
                       by_default.empty() ? parameter.help : fmt::format("{} [{}]", parameter.help, by_default));
  }
  return text;
}

/// Each strategy with its line of help and its parameters.
std::string strategies_text() {
  std::string text = "\nStrategies:\n";
  for_each_strategy([&](const strategies::StrategyDescriptor& strategy) {
    text += help_entry(fmt::format("  {}", strategy.name), strategy.help) + parameters_text(strategy);
  });
  return text + "docs/strategies.md describes them.";
}

std::string names_of_parameters(const strategies::StrategyDescriptor& strategy) {
  std::string names;
  for (const strategies::Parameter& parameter : strategy.parameters)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", parameter.name);
  return names;
}

/// The field that `word` ("--jobs", "-j2") would be an option for, in any command.
const run::Field* field_of_word(const std::string& word) {
  if (word.starts_with("--")) return run::find_field(word.substr(2, word.find('=') - 2), any_command);
  for (const run::Field& field : run::fields()) {
    if (word.size() >= 2 && field.letter == word[1]) return &field;
  }
  return nullptr;
}

std::string command_with(const run::Field& field) {
  for (const run::Use command : {run::test, run::verify, run::litmus, run::predict}) {
    if ((field.uses & command) != 0) return command_name(command);
  }
  return command_name(run::replay);
}

/// Why heddle verify lacks an option that heddle test has.
const char* reason_against(std::string_view option) {
  if (option == "isolation") return "the executions of an exhaustive search share one process";
  if (option == "time-model") return "the exhaustive search explores every order, so a wait may end at any time";
  if (option == "spurious") return "the exhaustive search explores them, up to the bound -s exhaustive:spurious=N";
  if (option == "stop-on-bug") return "it stops at the first bug anyway, unless --keep-going is given";
  return nullptr;
}

}  // namespace

std::string model_names(bool models::ModelDescriptor::*property) {
  std::string names;
  for (const models::ModelDescriptor* model : models::registered_models())
    if (property == nullptr || model->*property)
      names += names.empty() ? model->name : fmt::format(", {}", model->name);
  return names;
}

std::string help_of(const run::Field& field) {
  std::string text(field.help);
  replace(text, "{models}", model_names());
  replace(text, "{models with sequences}", model_names(&models::ModelDescriptor::has_release_sequences));
  replace(text, "{models with barriers}", model_names(&models::ModelDescriptor::has_rmw_barriers));
  replace(text, "{parameters}", names_of_parameters(strategies::exhaustive_search));
  replace(text, "{strategies}", strategies::strategy_names().text);
  return text;
}

std::string command_name(run::Use command) {
  switch (command) {
    case run::verify: return "heddle verify";
    case run::litmus: return "heddle litmus";
    case run::replay: return "heddle replay";
    case run::predict: return "heddle predict";
    case run::minimize: return "heddle minimize";
    case run::show: return "heddle show";
    case run::merge: return "heddle merge";
    case run::results: return "heddle results";
    case run::audit: return "heddle orders";
    case run::fix: return "heddle fix";
    case run::weaken: return "heddle weaken";
    default: return "heddle test";
  }
}

RunOptions::RunOptions(run::Use command, const std::string& usage, const std::string& description)
    : command_(command), usage_(usage), app_(description, command_name(command)) {
  app_.formatter(std::make_shared<Help>(usage));
  app_.set_help_flag("-h,--help", "print this page");
  if (command == run::test || command == run::litmus) app_.footer(strategies_text());
  if (command == run::verify) app_.footer("\nParameters:\n" + parameters_text(strategies::exhaustive_search));
  for (const run::Field& field : run::fields()) {
    if ((field.uses & command) == 0) continue;
    Slot& slot = slots_[&field];
    if (field.is_flag()) {
      slot.option = app_.add_flag(option_names(field), slot.flag, help_of(field));
      continue;
    }
    slot.option = app_.add_option(option_names(field), slot.text, help_of(field));
    slot.option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    slot.option->type_name(std::string(field.values))->default_str(run::default_text(field));
  }
}

std::string RunOptions::formatted_help(const std::string& format) const {
  const std::string name = command_name(command_).substr(std::string_view("heddle ").size());
  if (format == "man") return manual_page(app_, name, usage_);
  if (format == "bash" || format == "zsh" || format == "fish") return completion_part(app_, name, format);
  if (format != "markdown") return {};
  std::string table = markdown_options(app_);
  // The page of strategies lists them, so that a new one changes no other page.
  replace(table, strategies::strategy_names().text, "see [strategies.md](strategies.md)");
  return table;
}

Result<GivenValues> RunOptions::parse(std::vector<std::string> arguments) {
  if (arguments.size() == 1 && arguments[0].starts_with(hidden_help)) {
    const std::string help = formatted_help(arguments[0].substr(hidden_help.size()));
    if (!help.empty()) return help_page(help);
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes the arguments from the end of the vector
    app_.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return help_page(app_.help());
  } catch (const CLI::ExtrasError&) {
    const std::string word = app_.remaining().empty() ? "" : app_.remaining().front();
    if (word.starts_with("-")) return unknown_option(word);
    return usage_problem(fmt::format("{} does not expect another argument: {}", command_name(command_), word));
  } catch (const CLI::ParseError& error) {
    return usage_problem(
        fmt::format("{}; '{} --help' lists the options", parse_error_text(error), command_name(command_)));
  }
  GivenValues values;
  for (const auto& [field, slot] : slots_) {
    if (slot.option->count() == 0) continue;
    values[field] = {fmt::format("--{}", field->name), field->is_flag() ? (slot.flag ? "1" : "0") : slot.text};
  }
  return values;
}

std::vector<std::string> RunOptions::remaining() const {
  std::vector<std::string> words = app_.remaining();
  if (!words.empty() && words[0] == "--") words.erase(words.begin());
  return words;
}

Problem RunOptions::unknown_option(const std::string& word) const {
  const std::string name = command_name(command_);
  const run::Field* field = field_of_word(word);
  if (field == nullptr) {
    const std::string hint =
        app_.get_prefix_command() ? fmt::format("; a program whose name starts with a dash is written ./{}", word) : "";
    return usage_problem(fmt::format("there is no option {}; '{} --help' lists the options{}", word, name, hint));
  }
  const char* reason = command_ == run::verify ? reason_against(field->name) : nullptr;
  if (reason != nullptr) return usage_problem(fmt::format("{} does not take --{}: {}", name, field->name, reason));
  return usage_problem(fmt::format("{} does not take --{}, which is an option of {}; '{} --help' lists the options",
                                   name, field->name, command_with(*field), name));
}

}  // namespace heddle::cli
