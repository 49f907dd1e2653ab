// The result of one shard of a campaign on disk (heddle test --shard, heddle merge), or the state of a campaign that
// can continue (--resume). Reader and writer live in one file.
//
// A sealed file (trace/sealed_file.hpp) with the magic "heddlesh" and no header. The content is CBOR: what was run
// (CampaignIdentity), which shard, and its CampaignState (campaign/state/state_codec.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/state/campaign_state.hpp"
#include "campaign/state/shard.hpp"
#include "campaign/workers/program_file.hpp"
#include "run/fields.hpp"

namespace heddle::campaign {

inline constexpr std::string_view shard_magic = "heddlesh";
inline constexpr std::uint32_t shard_version = 3;

/// What all shards of a campaign have in common.
struct CampaignIdentity {
  std::string version;           ///< of heddle
  run::Use command = run::test;  ///< or run::verify
  std::string program_name;      ///< as the user wrote it
  ProgramFile program;
  std::vector<std::string> args;
  run::RunSpecification run{};
  std::string suppressions;  ///< the text of the file

  /// Says what differs, as a part of a sentence: "--seed is 2 there, and 1 here". Options that do not change what is
  /// executed or found may differ. Nothing: they are parts of the same campaign.
  std::optional<std::string> difference_from(const CampaignIdentity& other) const;
};

struct ShardFile {
  CampaignIdentity identity;
  Shard shard;
  CampaignState state;
};

/// "shard-2-of-8.heddle"
std::string shard_file_name(const Shard& shard);

std::string encode_shard(const ShardFile& shard);
/// `name` is the name of the file in error messages. Any sequence of bytes is safe to decode.
Result<ShardFile> decode_shard(std::string_view bytes, const std::string& name);

Outcome write_shard(const std::string& path, const ShardFile& shard);
Result<ShardFile> read_shard(const std::string& path);

}  // namespace heddle::campaign
