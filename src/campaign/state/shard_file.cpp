#include "campaign/state/shard_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "campaign/state/bad_value.hpp"
#include "campaign/state/state_codec.hpp"
#include "run/values.hpp"
#include "trace/atomic_file.hpp"
#include "trace/sealed_file.hpp"

namespace heddle::campaign {

namespace {

using Json = nlohmann::json;

constexpr SealedFormat format{.magic = shard_magic,
                              .version = shard_version,
                              .version_name = "the format",
                              .article = "the result of a shard",
                              .remedy = "run this shard again",
                              .most_header = 0,
                              .most_content = std::numeric_limits<std::uint64_t>::max()};

/// The options of a command that are no parameters of its strategy: those are part of the strategy.
template <typename Function>
void for_each_option(run::Use command, Function function) {
  for (const run::Field& field : run::fields())
    if ((field.uses & command) != 0 && !field.is_parameter()) function(field);
}

Json identity_json(const CampaignIdentity& identity) {
  Json run = Json::object();
  for_each_option(identity.command,
                  [&](const run::Field& field) { run[key_of(field)] = format_value(field, identity.run); });
  return {{"version", identity.version},
          {"command", identity.command == run::verify ? "verify" : "test"},
          {"program_name", identity.program_name},
          {"path", identity.program.path},
          {"build_id", identity.program.build_id},
          {"args", identity.args},
          {"run", std::move(run)},
          {"suppressions", identity.suppressions}};
}

CampaignIdentity read_identity(const Json& json) {
  CampaignIdentity identity;
  json.at("version").get_to(identity.version);
  const auto command = json.at("command").get<std::string>();
  if (command != "verify" && command != "test") throw BadValue{};
  identity.command = command == "verify" ? run::verify : run::test;
  json.at("program_name").get_to(identity.program_name);
  json.at("path").get_to(identity.program.path);
  json.at("build_id").get_to(identity.program.build_id);
  json.at("args").get_to(identity.args);
  identity.run = run::default_specification(identity.command);
  const Json& run = json.at("run");
  for_each_option(identity.command, [&](const run::Field& field) {
    const auto text = run.at(key_of(field)).get<std::string>();
    // A field without a limit has the value 0, which the user cannot write for every field.
    if (text == format_value(field, identity.run)) return;
    if (parse_value(field, text, identity.run)) throw BadValue{};
  });
  json.at("suppressions").get_to(identity.suppressions);
  return identity;
}

}  // namespace

std::optional<std::string> CampaignIdentity::difference_from(const CampaignIdentity& other) const {
  if (version != other.version) return fmt::format("it is of heddle {}, and not of {}", version, other.version);
  if (command != other.command) return fmt::format("it is of heddle {}", command == run::verify ? "verify" : "test");
  if (program.build_id != other.program.build_id)
    return fmt::format("it is of another program or build: {} has the build id {}, and not {}", program_name,
                       program.build_id, other.program.build_id);
  if (args != other.args) return "the program had other arguments";
  std::optional<std::string> difference;
  for_each_option(command, [&](const run::Field& field) {
    if ((field.uses & run::aside) != 0 || difference) return;
    const std::string mine = format_value(field, run), theirs = format_value(field, other.run);
    if (mine != theirs) difference = fmt::format("its --{} is {}, and not {}", field.name, mine, theirs);
  });
  if (!difference && suppressions != other.suppressions) return "it had other suppressions";
  return difference;
}

std::string shard_file_name(const Shard& shard) {
  return fmt::format("shard-{}-of-{}.heddle", shard.index + 1, shard.count);
}

std::string encode_shard(const ShardFile& shard) {
  const Json json = {{"identity", identity_json(shard.identity)},
                     {"index", shard.shard.index},
                     {"count", shard.shard.count},
                     {"state", encode_state(shard.state)}};
  const std::vector<std::uint8_t> content = Json::to_cbor(json);
  return seal(format, {{}, {reinterpret_cast<const char*>(content.data()), content.size()}});
}

Result<ShardFile> decode_shard(std::string_view bytes, const std::string& name) {
  const auto parts = unseal(format, bytes, name);
  if (!parts) return parts.problem();
  try {
    const Json json = Json::from_cbor(parts->content.begin(), parts->content.end());
    ShardFile shard;
    shard.identity = read_identity(json.at("identity"));
    shard.shard = {read_number(json.at("index")), read_number(json.at("count"))};
    if (shard.shard.index >= shard.shard.count) throw BadValue{};
    shard.state = decode_state(json.at("state"));
    return shard;
  } catch (const Json::exception&) {
    return corrupted_file(format, name, "its content is not what heddle writes");
  } catch (const BadValue&) {
    return corrupted_file(format, name, "its content has a value that heddle does not write");
  }
}

Outcome write_shard(const std::string& path, const ShardFile& shard) {
  return write_file_atomically(path, encode_shard(shard));
}

Result<ShardFile> read_shard(const std::string& path) {
  const auto bytes = read_whole_file(path);
  if (!bytes) return bytes.problem();
  return decode_shard(*bytes, path);
}

}  // namespace heddle::campaign
