#include "session/saved_state.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "campaign/search_restart.hpp"

namespace heddle::session {

namespace {

constexpr const char* resume_file = "campaign.heddle";

/// Makes the folder if there is none.
Outcome write(const std::string& folder, const std::string& name, const campaign::ShardFile& file) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return test_problem(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  return campaign::write_shard((std::filesystem::path(folder) / name).string(), file);
}

}  // namespace

campaign::ShardFile SavedState::file_of(const campaign::Subject& subject, campaign::CampaignState state) const {
  campaign::ShardFile file;
  file.identity = {HEDDLE_VERSION, command_,    subject.program_name,     subject.program,
                   subject.args,   subject.run, subject.suppressions_text};
  file.shard = shard_;
  file.state = std::move(state);
  return file;
}

Result<std::optional<campaign::CampaignState>> SavedState::read(WatchedCampaign& campaign) const {
  run::RunSpecification& run = campaign.subject.run;
  const std::filesystem::path path = std::filesystem::path(run.resume.c_str()) / resume_file;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::optional<campaign::CampaignState>{};
  auto file = campaign::read_shard(path.string());
  if (!file) return file.problem();
  if (file->state.resume && file->state.resume->has_begun_again)
    campaign.continuation.has_begun_again =
        campaign::drop_assumptions_like(file->identity.run.strategy.view(), run.strategy) &&
        run.racy_sites.assign(file->state.resume->racy_sites);
  campaign::CampaignIdentity mine = file_of(campaign.subject, {}).identity;
  mine.run.time = file->identity.run.time;  // each process has its own time
  auto difference = file->identity.difference_from(mine);
  if (!difference && file->shard != shard_) difference = "it is of another shard";
  if (!difference && !file->state.resume) difference = "it is the result of a shard";
  if (difference)
    return usage_problem(fmt::format("--resume: {} is the state of another campaign: {}; name another folder",
                                     path.string(), *difference));
  campaign.observer.show_note(fmt::format("continuing from {}", path.string()));
  return std::optional(std::move(file->state));
}

std::function<void(const campaign::Subject&, campaign::CampaignState)> SavedState::keeper(Observer& observer) const {
  return [this, &observer, warned = false](const campaign::Subject& subject, campaign::CampaignState state) mutable {
    const auto problem = write(subject.run.resume.c_str(), resume_file, file_of(subject, std::move(state)));
    if (problem && !std::exchange(warned, true))
      observer.show_warning(fmt::format("the state is not kept: {}", problem->text));
  };
}

Outcome SavedState::write_shard(const campaign::Subject& subject, campaign::CampaignState state) const {
  return write(subject.run.out.c_str(), campaign::shard_file_name(shard_), file_of(subject, std::move(state)));
}

}  // namespace heddle::session
