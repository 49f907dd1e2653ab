#include "run/values.hpp"

#include <algorithm>
#include <vector>

#include "run/quantities.hpp"

namespace heddle::run {

namespace {

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (true) {
    const auto end = list.find('|');
    words.push_back(list.substr(0, end));
    if (end == std::string_view::npos) return words;
    list.remove_prefix(end + 1);
  }
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::optional<std::uint64_t> read_choice(const Field& field, std::string_view text) {
  const auto words = words_of(field.values);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return std::nullopt;
  return static_cast<std::uint64_t>(found - words.begin());
}

std::optional<std::uint64_t> read_duration(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) return std::nullopt;
  return static_cast<std::uint64_t>(duration->count());
}

std::optional<std::uint64_t> read_number(const Field& field, std::string_view text) {
  switch (field.member.type) {
    case Type::choice: return read_choice(field, text);
    case Type::flag:
    case Type::flag_parameter: return parse_flag(text);
    case Type::duration: return read_duration(text);
    case Type::size: return parse_size(text);
    default: return parse_number(text);
  }
}

std::string expectation(const Field& field) {
  const std::string above_zero = field.range.least > 0 ? " above 0" : "";
  switch (field.member.type) {
    case Type::choice: return "one of " + listed(words_of(field.values));
    case Type::flag:
    case Type::flag_parameter: return "1 or 0";
    case Type::duration: return "a time" + above_zero + ": write 500ms, 10s, 2m or 1h";
    case Type::size: return "a size" + above_zero + ": write 512M or 4G";
    default: break;
  }
  if (field.range.most != Range{}.most)
    return "a number from " + std::to_string(field.range.least) + " to " + std::to_string(field.range.most);
  return "a number" + above_zero + ": write digits only";
}

std::optional<std::string> add_parameter(const Field& field, std::uint64_t number, Text& strategy) {
  const char separator = strategy.view().find(':') == std::string_view::npos ? ':' : ',';
  const std::string text = separator + std::string(field.member.parameter) + "=" + std::to_string(number);
  if (!strategy.append(text)) return "this makes the text of the strategy too long";
  return std::nullopt;
}

}  // namespace

std::string key_of(const Field& field) {
  std::string key(field.name);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

std::optional<std::string> parse_value(const Field& field, std::string_view text, RunSpecification& specification) {
  if (field.is_text()) {
    if (field.member.text(specification)->assign(text)) return std::nullopt;
    return "this is longer than " + std::to_string(Text::capacity()) + " bytes";
  }
  const auto number = read_number(field, text);
  if (!number || *number < field.range.least || *number > field.range.most) return "this is not " + expectation(field);
  if (!field.is_parameter()) {
    field.member.set(specification, *number);
    return std::nullopt;
  }
  if (field.is_flag() && *number == 0) return std::nullopt;
  return add_parameter(field, *number, *field.member.text(specification));
}

std::string format_value(const Field& field, const RunSpecification& specification) {
  if (field.is_text()) return field.member.text(const_cast<RunSpecification&>(specification))->c_str();
  const std::uint64_t number = field.member.get(specification);
  switch (field.member.type) {
    case Type::choice: return std::string(words_of(field.values).at(number));
    case Type::duration: return format_duration(std::chrono::milliseconds(static_cast<std::int64_t>(number)));
    case Type::size: return format_size(number);
    default: return std::to_string(number);
  }
}

std::string default_text(const Field& field) {
  if (field.is_text()) return std::string(field.fallback.text);
  const bool is_absent = field.is_flag() || (field.fallback.number == 0 && field.member.type != Type::choice);
  if (is_absent) return {};
  RunSpecification specification{};
  field.member.set(specification, field.fallback.number);
  return format_value(field, specification);
}

std::string isolation_name(Isolation isolation) {
  RunSpecification specification{};
  specification.isolation = isolation;
  return format_value(*find_field("isolation", test), specification);
}

}  // namespace heddle::run
