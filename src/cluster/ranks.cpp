#include "cluster/ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "cluster/cluster_pool.hpp"

namespace heddle::cluster {

namespace {

// Ranks below this one in the tree.
constexpr std::size_t children = 4;

void write_list(StateWriter& out, const std::vector<std::string>& words) {
  out.number(words.size());
  for (const std::string& word : words) out.text(word);
}

}  // namespace

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "an unknown host";
}

void pass_on(transport::Transport& transport, const std::shared_ptr<const std::string>& bytes) {
  const std::size_t first = transport.rank() * children + 1;
  for (std::size_t rank = first; rank < first + children && rank < transport.size(); ++rank)
    transport.send(rank, bytes);
}

Outcome Ranks::begin(const Mission& mission) {
  StateWriter out;
  out.value(MessageHead{MessageRoute::direct, 0, 0});
  out.value(RankRecord::hello);
  out.value(std::uint32_t{0});
  out.text(mission.version);
  write_list(out, mission.arguments);
  out.text(mission.program_name);
  out.text(mission.build_id);
  write_list(out, mission.program_arguments);
  const auto bytes = std::make_shared<const std::string>(out.take());
  for (std::size_t rank = 1; rank < count(); ++rank) transport_.send(rank, bytes);
  hosts_.assign(count(), host_name());
  for (std::size_t missing = count() - 1; missing != 0;) {
    const auto message = transport_.receive();
    if (!message) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      continue;
    }
    --missing;
    try {
      if (auto problem = read_answer(*message)) return problem;
    } catch (const BadValue&) {
      return test_problem(
          fmt::format("rank {} sent what this heddle cannot read; is it another version?", message->from));
    }
  }
  return {};
}

/// Returns why the rank cannot take part.
Outcome Ranks::read_answer(const transport::Message& message) {
  StateReader in(message.bytes);
  RankRecord kind{};
  std::uint32_t worker = 0;
  in.value(kind);
  in.value(worker);
  if (kind != RankRecord::ready) throw BadValue{};
  hosts_[message.from] = in.text();
  const std::uint64_t code = in.number();
  const std::string_view problem = in.text();
  if (problem.empty()) return {};
  return Problem{static_cast<ExitCode>(code),
                 fmt::format("rank {} on {}: {}", message.from, hosts_[message.from], problem)};
}

std::unique_ptr<campaign::WorkerPool> Ranks::make_pool(std::size_t workers, std::size_t jobs) {
  return std::make_unique<ClusterPool>(*this, workers, jobs);
}

Ranks::~Ranks() {
  StateWriter out;
  out.value(MessageHead{MessageRoute::broadcast, 0, 0});
  out.value(RankRecord::quit);
  pass_on(transport_, std::make_shared<const std::string>(out.take()));
}

}  // namespace heddle::cluster
