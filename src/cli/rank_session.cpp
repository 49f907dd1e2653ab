#include "cli/rank_session.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <thread>

#include "campaign/state/bad_value.hpp"
#include "cli/commands.hpp"
#include "cli/installation.hpp"
#include "cluster/launcher.hpp"
#include "cluster/plugin.hpp"
#include "cluster/worker_host.hpp"

namespace heddle::cli {

namespace {

double processor_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Messages of some 100 kB come and go with each round. malloc would return their memory to the system each time, and
/// fault it in again page by page, which takes longer than to copy the messages.
void keep_memory_of_messages() {
  constexpr int most = 64 << 20;
  ::mallopt(M_MMAP_THRESHOLD, most);
  ::mallopt(M_TRIM_THRESHOLD, most);
}

std::string plugin_folder() {
  return (std::filesystem::path(find_installation().library.value_or("")).parent_path() / "heddle").string();
}

/// This rank cannot take part. Mostly no rank can, so rank 0 tells the user.
int report_closed(const cluster::Launched& launched, const Problem& problem) {
  if (launched.rank == 0) return report_problem(problem);
  if (!launched.ends_job) return static_cast<int>(ExitCode::no_bug);
  // If rank 0 had the problem, too, the launcher would end this process in this time. Otherwise rank 0 waits for it.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  return report_problem(
      test_problem(fmt::format("rank {} on {}: {}", launched.rank, cluster::host_name(), problem.text)));
}

}  // namespace

bool is_left_to_rank_0() {
  const auto launched = cluster::find_launcher(true);
  return launched && *launched && (*launched)->rank != 0;
}

std::optional<int> RankSession::open() {
  const bool is_shard = std::any_of(arguments_.begin(), arguments_.end(),
                                    [](const std::string& word) { return word.starts_with("--shard"); });
  const auto launched = cluster::find_launcher(is_shard);
  if (!launched) return report_problem(launched.problem());
  if (!*launched || (*launched)->is_single()) return std::nullopt;
  auto opened = cluster::open_transport(**launched, plugin_folder());
  if (!opened) return report_closed(**launched, opened.problem());
  transport_ = std::move(*opened);
  keep_memory_of_messages();
  seconds_at_start_ = processor_seconds(RUSAGE_SELF);
  if (transport_->rank() == 0) {
    ranks_.emplace(*transport_);
    return std::nullopt;
  }
  std::string problem;
  try {
    cluster::host_workers(*transport_, HEDDLE_VERSION, arguments_);
  } catch (const campaign::BadValue&) {
    problem = "rank 0 sent what this heddle cannot read; is it another version?";
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (problem.empty()) return static_cast<int>(ExitCode::no_bug);
  const int code =
      report_problem(test_problem(fmt::format("rank {} on {}: {}", transport_->rank(), cluster::host_name(), problem)));
  transport_->abort(code);
  return code;
}

Outcome RankSession::begin(const campaign::Subject& subject) {
  if (!ranks_) return {};
  if (auto problem =
          ranks_->begin({HEDDLE_VERSION, arguments_, subject.program_name, subject.program.build_id, subject.args}))
    return problem;
  places_ = &*ranks_;
  return {};
}

void RankSession::print_statistics() const {
  const transport::Traffic& traffic = transport_->traffic();
  fmt::print(stderr,
             "heddle: rank {} of {} on {}: sent {} messages, {} bytes; received {} messages, {} bytes; {:.3f} s of "
             "processor time, its workers {:.3f} s\n",
             transport_->rank(), transport_->size(), cluster::host_name(), traffic.messages_sent, traffic.bytes_sent,
             traffic.messages_received, traffic.bytes_received, processor_seconds(RUSAGE_SELF) - seconds_at_start_,
             processor_seconds(RUSAGE_CHILDREN));
}

RankSession::~RankSession() {
  ranks_.reset();
  if (!transport_) return;
  if (std::getenv("HEDDLE_MPI_STATISTICS") != nullptr) print_statistics();
  transport_->finish();
}

}  // namespace heddle::cli
