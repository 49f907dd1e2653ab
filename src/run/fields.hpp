// The table of the fields of a RunSpecification. Each row is one field as some commands have it: a field whose default
// or meaning differs between commands has several rows. To add a field, add a member to RunSpecification and a row to
// the table in fields.cpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

#include "heddle/heddle.h"
#include "run/specification.hpp"

namespace heddle::run {

enum class Type : std::uint8_t {
  text,
  path,
  choice,  ///< one of the words in Field::values, which are separated by '|'
  number,
  size,      ///< bytes: 512M, 4G
  duration,  ///< 500ms, 10s, 2m, 1h
  flag,
  parameter,       ///< a number that becomes a parameter of the exhaustive strategy
  flag_parameter,  ///< a flag that becomes the value 1 of a parameter of the exhaustive strategy
};

/// Where a row applies; a set of bits.
enum Use : unsigned {
  test = 1,            ///< an option of heddle test, and a key of HEDDLE_OPTIONS
  verify = 2,          ///< an option of heddle verify
  litmus = 4,          ///< an option of heddle litmus
  replay = 8,          ///< an option of heddle replay
  check = 16,          ///< a member of heddle_options
  trace = 32,          ///< recorded in traces
  json = 64,           ///< shown in the JSON report
  search = 128,        ///< refused unless the strategy is exhaustive
  predict = 256,       ///< an option of heddle predict
  minimize = 512,      ///< an option of heddle minimize
  environment = 1024,  ///< a key of HEDDLE_OPTIONS only
  show = 2048,         ///< an option of heddle show
  merge = 4096,        ///< an option of heddle merge
  aside = 8192,        ///< does not change what is executed, nor what is found: where results go, how many processes
  results = 16384,     ///< an option of heddle results
  audit = 32768,       ///< an option of heddle orders
  fix = 65536,         ///< an option of heddle fix
  weaken = 131072,     ///< an option of heddle weaken
  change_orders = audit | fix | weaken,
};

/// How to reach the member of a RunSpecification. The member of a parameter is the strategy, to which it is added.
struct Member {
  Type type;
  Text* (*text)(RunSpecification&) = nullptr;               ///< text, path, parameters
  std::uint64_t (*get)(const RunSpecification&) = nullptr;  ///< other types
  void (*set)(RunSpecification&, std::uint64_t number) = nullptr;
  std::string_view parameter = {};  ///< parameter, flag_parameter: its name
};

/// The corresponding member of heddle_options, if there is one. Zero means the default there.
struct CheckMember {
  const char* heddle_options::*text = nullptr;
  std::uint64_t heddle_options::*number = nullptr;
  double heddle_options::*seconds = nullptr;  ///< negative: no limit
  int heddle_options::*flag = nullptr;

  constexpr CheckMember() = default;
  constexpr CheckMember(const char* heddle_options::*member) : text(member) {}      // NOLINT(*-explicit-constructor)
  constexpr CheckMember(std::uint64_t heddle_options::*member) : number(member) {}  // NOLINT(*-explicit-constructor)
  constexpr CheckMember(double heddle_options::*member) : seconds(member) {}        // NOLINT(*-explicit-constructor)
  constexpr CheckMember(int heddle_options::*member) : flag(member) {}              // NOLINT(*-explicit-constructor)
};

struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = ~std::uint64_t{0};
};

struct Default {
  std::uint64_t number = 0;  ///< of a choice: its position in Field::values
  std::string_view text = {};

  constexpr Default(std::integral auto value) : number(static_cast<std::uint64_t>(value)) {}  // NOLINT(*-explicit-*)
  constexpr Default(const char* value) : text(value) {}                                       // NOLINT(*-explicit-*)
};

struct Field {
  std::string_view name;  ///< of the option, without "--"; key_of() is its name everywhere else
  char letter;            ///< of the short option; '\0': there is none
  Member member;
  std::string_view values;  ///< what the user writes as the value
  Default fallback;         ///< the value if the user gives none
  Range range;
  unsigned uses;
  CheckMember check;
  std::string_view help;

  constexpr bool is_text() const { return member.type == Type::text || member.type == Type::path; }
  constexpr bool is_flag() const { return member.type == Type::flag || member.type == Type::flag_parameter; }
  constexpr bool is_parameter() const { return member.type == Type::parameter || member.type == Type::flag_parameter; }
};

std::span<const Field> fields();
/// The row of the option `name` that applies to one of `uses`; null if there is none. '_' and '-' are the same.
const Field* find_field(std::string_view name, unsigned uses);

/// The defaults of a command, or of heddle::check.
RunSpecification default_specification(unsigned use);

/// Fills `specification` from the options of a heddle_check. Returns the field whose value is too long, or null.
const Field* read_check_options(const heddle_options& options, RunSpecification& specification);

}  // namespace heddle::run
