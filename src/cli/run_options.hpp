// From options to a RunSpecification: the command line of the commands that run something, and HEDDLE_OPTIONS. The
// options are those of the table in run/fields.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "cli/help.hpp"
#include "models/descriptor.hpp"
#include "run/fields.hpp"

namespace heddle::cli {

/// A value as the user wrote it.
struct GivenValue {
  std::string option;  ///< for error messages: "--runs", "HEDDLE_OPTIONS: runs"
  std::string text;
};
/// In the order of the table, because the fields are elements of it.
using GivenValues = std::map<const run::Field*, GivenValue>;

/// The command line of one command. If an option is given more than once, its last value counts.
class RunOptions {
 public:
  /// `command` is one of run::test, run::verify, run::litmus, run::replay and run::predict.
  RunOptions(run::Use command, const std::string& usage, const std::string& description);

  /// For options that only this command has.
  CLI::App& app() { return app_; }
  /// Everything from the first word that is no option is left to remaining().
  void end_at_first_argument() { app_.prefix_command(); }

  /// If the user asks for help: help_page().
  Result<GivenValues> parse(std::vector<std::string> arguments);
  std::vector<std::string> remaining() const;
  /// Says why there is no such option.
  Problem unknown_option(const std::string& word) const;

 private:
  struct Slot {
    CLI::Option* option;
    std::string text;
    bool flag = false;
  };

  /// heddle help --markdown COMMAND and the like; empty: there is no such format.
  std::string formatted_help(const std::string& format) const;

  run::Use command_;
  std::string usage_;
  CLI::App app_;
  std::map<const run::Field*, Slot> slots_;
};

/// "heddle test" for run::test.
std::string command_name(run::Use command);

/// The values of HEDDLE_OPTIONS, "runs=500:strategy=random:stop_on_bug=1". The keys are the options of heddle test.
///
/// Items are separated by colons, commas or spaces. The parameters of a strategy follow it after a colon
/// (strategy=pct:d=3,k=10): an item that follows it without a space, and that is no option, belongs to the strategy.
/// Quotes keep a value together. If help=1 is among them: help_page().
Result<GivenValues> values_from_environment(const std::string& text);

/// The help text of a field, with the names of models and strategies.
std::string help_of(const run::Field& field);
/// The names of the memory models that have the property, or of all.
std::string model_names(bool models::ModelDescriptor::*property = nullptr);

/// The names in "tso,pso".
std::vector<std::string> split_names(std::string_view text);

/// The value of --shard; empty: the whole campaign.
Result<campaign::Shard> parse_shard(std::string_view text);

/// Adds the defaults of the command to the given values, and checks that they fit together.
Result<run::RunSpecification> make_specification(run::Use command, const GivenValues& values);

}  // namespace heddle::cli
