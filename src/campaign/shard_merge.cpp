#include "campaign/shard_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "campaign/learning/learning_rounds.hpp"
#include "campaign/result_merger.hpp"
#include "findings/suppressions.hpp"

namespace heddle::campaign {

namespace {

namespace fs = std::filesystem;

struct Loaded {
  std::string path;
  ShardFile file;
};

/// The files of shards in a folder, in the order of their names.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("shard-") && name.ends_with(".heddle")) files.push_back(entry->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Merge {
 public:
  Result<MergedShards> run(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) load(path);
    if (loaded_.empty()) return nothing_to_merge();
    keep_one_campaign();
    keep_one_of_each();
    if (loaded_.front().file.state.is_exhaustive) keep_one_cut();
    merged_.identity = loaded_.front().file.identity;
    merged_.count = loaded_.front().file.shard.count;
    merge();
    return std::move(merged_);
  }

 private:
  void refuse(std::string why) { merged_.refused.push_back(std::move(why)); }

  void load(const std::string& path) {
    std::error_code error;
    std::vector<std::string> files{path};
    if (fs::is_directory(path, error)) {
      files = files_in(path);
      if (files.empty())
        refuse(fmt::format("{} has no result of a shard: the shard has not ended, or was run without --shard", path));
    }
    for (const std::string& file : files) {
      auto shard = read_shard(file);
      if (shard)
        loaded_.push_back({file, std::move(*shard)});
      else
        refuse(shard.problem().text);
    }
  }

  Problem nothing_to_merge() const {
    std::string text = "there is no shard to merge";
    for (const std::string& why : merged_.refused) text += "; " + why;
    return test_problem(text);
  }

  static std::optional<std::string> difference(const ShardFile& shard, const ShardFile& other) {
    if (auto difference = shard.identity.difference_from(other.identity)) return difference;
    if (shard.shard.count != other.shard.count)
      return fmt::format("it is one of {} shards, and not of {}", shard.shard.count, other.shard.count);
    return std::nullopt;
  }

  /// Keeps the campaign that most files belong to; of several, the one of the first file.
  void keep_one_campaign() {
    struct Group {
      std::size_t first;  ///< file
      std::size_t size = 0;
    };
    std::vector<Group> groups;
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
        return !difference(loaded_[i].file, loaded_[other.first].file);
      });
      if (group == groups.end()) group = groups.insert(groups.end(), {i});
      ++group->size;
    }
    if (groups.size() == 1) return;
    const auto best =
        std::max_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.size < b.size; });
    std::vector<Loaded> kept;
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      const auto why = difference(loaded_[i].file, loaded_[best->first].file);
      if (why) refuse(fmt::format("{} belongs to another campaign: {}", loaded_[i].path, *why));
      if (!why && i != best->first) kept.push_back(std::move(loaded_[i]));
    }
    kept.push_back(std::move(loaded_[best->first]));
    loaded_ = std::move(kept);  // keep_one_of_each() sorts them
  }

  /// Of files of the same shard, keeps the first one that ran to its end, or the first one.
  void keep_one_of_each() {
    std::stable_sort(loaded_.begin(), loaded_.end(), [](const Loaded& a, const Loaded& b) {
      const auto place = [](const Loaded& shard) {
        return std::pair(shard.file.shard.index, shard.file.state.interrupted);
      };
      return place(a) < place(b);
    });
    for (std::size_t i = 1; i < loaded_.size();) {
      if (loaded_[i].file.shard != loaded_[i - 1].file.shard) {
        ++i;
        continue;
      }
      refuse(fmt::format("{} is shard {} of {} once more: {} was merged", loaded_[i].path,
                         loaded_[i].file.shard.index + 1, loaded_[i].file.shard.count, loaded_[i - 1].path));
      loaded_.erase(loaded_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  /// Shards cut the search in the same way, unless a worker was killed while it did so.
  void keep_one_cut() {
    std::map<std::uint64_t, std::size_t> cuts;
    for (const Loaded& shard : loaded_) ++cuts[shard.file.state.unit_count];
    const auto usual =
        std::max_element(cuts.begin(), cuts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    unit_count_ = usual->first;
    std::erase_if(loaded_, [&](const Loaded& shard) {
      const bool differs = shard.file.state.unit_count != unit_count_;
      if (differs)
        refuse(fmt::format("{} has not cut the search as the other shards have; run this shard again", shard.path));
      return differs;
    });
  }

  /// Which executions have no result.
  std::string missing() const {
    const std::uint64_t count = merged_.count;
    std::vector<std::uint64_t> absent;
    auto next = loaded_.begin();
    for (std::uint64_t index = 0; index < count; ++index) {
      if (next != loaded_.end() && next->file.shard.index == index)
        ++next;
      else
        absent.push_back(index + 1);
    }
    if (absent.empty()) return {};
    constexpr std::size_t most_names = 20;
    std::string names;
    for (std::size_t i = 0; i < std::min(absent.size(), most_names); ++i)
      names += fmt::format("{}{}", i == 0 ? "" : ", ", absent[i]);
    if (absent.size() > most_names) names += ", ...";
    if (loaded_.front().file.state.is_exhaustive)
      return fmt::format("{} of {} shards are missing, and with them parts of the search: {}", absent.size(), count,
                         names);
    return fmt::format("{} of {} shards are missing: {}; shard I has the executions I-1, I-1+{}, I-1+2*{}, ...",
                       absent.size(), count, names, count, count);
  }

  void merge_units(ResultMerger& merger, findings::Results& head) {
    std::map<std::uint64_t, SearchUnit*> units;
    for (Loaded& shard : loaded_)
      for (SearchUnit& unit : shard.file.state.units) units.emplace(unit.number, &unit);
    SearchPart all;
    bool is_finished = unit_count_ != 0;
    for (std::uint64_t number = 0; number < unit_count_; ++number) {
      const auto unit = units.find(number);
      is_finished = is_finished && unit != units.end() && unit->second->is_explored && !unit->second->is_cut;
      if (unit == units.end()) continue;
      all.append(std::move(unit->second->part));
      if (!unit->second->is_cut) continue;
      head.failure = unit->second->failure;
      break;
    }
    merger.add_search_summary({is_finished, loaded_.front().file.state.estimate, all.explored.rounded()});
    merger.add_search_part(std::move(all));
  }

  void merge() {
    const CampaignIdentity& identity = merged_.identity;
    // The text was read before the shard ran, so it is well-formed.
    auto parsed = findings::Suppressions::parse(identity.suppressions);
    findings::Suppressions suppressions;
    if (auto* known = std::get_if<findings::Suppressions>(&parsed)) suppressions = std::move(*known);
    LearningRounds rounds;
    ResultMerger merger(rounds, &suppressions);
    const bool is_exhaustive = loaded_.front().file.state.is_exhaustive;
    findings::Results head;
    head.incomplete = missing();
    for (Loaded& shard : loaded_) {
      CampaignState& state = shard.file.state;
      merger.add_state(std::move(state.sampled));
      head.interrupted = head.interrupted || state.interrupted;
      if (head.stopped_by_limit.empty()) head.stopped_by_limit = state.stopped_by_limit;
      if (head.failure.empty() && !is_exhaustive) head.failure = state.failure;
      head.statistics.seconds = std::max(head.statistics.seconds, state.seconds);
    }
    if (is_exhaustive) merge_units(merger, head);
    findings::Results& results = merged_.results;
    results = merger.finish(identity.run.stop_on_bug && !is_exhaustive, {});
    results.is_exhaustive = is_exhaustive;
    results.statistics.seconds = head.statistics.seconds;
    results.interrupted = head.interrupted;
    results.stopped_by_limit = head.stopped_by_limit;
    results.failure = head.failure;
    results.incomplete = head.incomplete;
    if (results.isolation == run::Isolation::automatic) results.isolation = identity.run.isolation;
  }

  MergedShards merged_;
  std::vector<Loaded> loaded_;
  std::uint64_t unit_count_ = 0;
};

}  // namespace

Result<MergedShards> merge_shards(const std::vector<std::string>& paths) { return Merge().run(paths); }

}  // namespace heddle::campaign
