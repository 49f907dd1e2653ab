// What ranks tell each other: reports on channels, and updates of the corpus.
#include "cluster/ranks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "campaign/learning/campaign_corpus.hpp"
#include "campaign/learning/corpus_copies.hpp"
#include "campaign/state/state_bytes.hpp"
#include "channel/finding_log.hpp"
#include "cluster/channel_report.hpp"
#include "cluster/launcher.hpp"
#include "cluster/mpi/mpi_settings.hpp"
#include "cluster/worker_host.hpp"

namespace heddle::cluster {
namespace {

using namespace campaign;  // whose channels and states the ranks exchange

TEST(RanksTest, NumbersAndDifferencesAreReadAsTheyWereWritten) {
  const std::uint64_t numbers[] = {0, 1, 127, 128, 1ULL << 40, ~0ULL};
  StateWriter out;
  for (const std::uint64_t a : numbers) {
    out.number(a);
    for (const std::uint64_t b : numbers) out.difference(a, b);
  }
  out.text("text");
  const std::string bytes = out.take();
  StateReader in(bytes);
  for (const std::uint64_t a : numbers) {
    EXPECT_EQ(in.number(), a);
    for (const std::uint64_t b : numbers) EXPECT_EQ(in.difference(a), b);
  }
  EXPECT_EQ(in.text(), "text");
  EXPECT_TRUE(in.is_at_end());
  EXPECT_THROW(in.number(), BadValue);
}

TEST(RanksTest, ChangesOfWordsAreReadAsTheyWereWritten) {
  const std::vector<std::uint64_t> before{1, 2, 3, 4}, after{1, 9, 3, 0};
  StateWriter out;
  out.changes(before, after);
  const std::string bytes = out.take();
  EXPECT_LT(bytes.size(), 8U);
  std::vector<std::uint64_t> words = before;
  StateReader(bytes).changes(words.size(), [&](std::size_t i) -> std::uint64_t& { return words[i]; });
  EXPECT_EQ(words, after);
  EXPECT_THROW(StateReader(bytes).changes(3, [&](std::size_t i) -> std::uint64_t& { return words[i]; }), BadValue);
}

/// A channel, and its mirror on another rank.
class MirrorTest : public testing::Test {
 protected:
  static std::unique_ptr<ChannelMemory> make() {
    auto request = std::make_unique<channel::Request>();
    request->first_execution = 5;
    request->stride = 2;
    auto made = ChannelMemory::create(*request, {});
    return made ? std::make_unique<ChannelMemory>(std::move(*made)) : nullptr;
  }
  void SetUp() override {
    ASSERT_NE(worker_, nullptr);
    ASSERT_NE(mirror_, nullptr);
    mirror_->become_mirror();
  }

  /// Sends a report.
  std::size_t report(bool is_last = false) {
    StateWriter out;
    reporter_.write(out, is_last);
    const std::string bytes = out.take();
    StateReader in(bytes);
    reader_.apply(in);
    EXPECT_TRUE(in.is_at_end());
    return bytes.size();
  }
  void find(std::uint64_t key) {
    const std::uint64_t content[] = {1, 2};
    channel::FindingLogWriter::Entry entry;
    entry.key = key;
    entry.content = content;
    channel::FindingLogWriter(worker_->whole()).append(entry, [](channel::FindingRecord&, std::uint8_t*) {});
  }
  /// Records an execution. The recording is empty, but has a size.
  static void record(const ChannelMemory& channel, std::uint64_t number, std::uint64_t graph) {
    strategies::CorpusOutbox& outbox = channel.outbox();
    strategies::CorpusOutbox::Slot& slot = outbox.recordings[outbox.recording_count++];
    slot.number = number;
    slot.graph = graph;
    const std::uint32_t size = 48;
    std::memcpy(slot.recording, &size, sizeof size);
    std::memcpy(slot.recording + 40, &number, sizeof number);
  }
  /// The executions whose recordings the mirror has.
  std::vector<std::uint64_t> recorded() const {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < mirror_->outbox().recording_count; ++i) {
      std::uint64_t content = 0;
      std::memcpy(&content, mirror_->outbox().recordings[i].recording + 40, sizeof content);
      EXPECT_EQ(content, mirror_->outbox().recordings[i].number);
      numbers.push_back(content);
    }
    return numbers;
  }
  void show_graph(std::uint64_t hash, std::uint64_t execution) {
    auto* graphs = reinterpret_cast<channel::GraphRecord*>(worker_->whole().at(channel::graphs_offset));
    graphs[worker_->progress().graphs.load()] = {hash, execution, 1, 0};
    worker_->progress().graphs.fetch_add(1);
  }

  std::unique_ptr<ChannelMemory> worker_ = make(), mirror_ = make();
  ChannelReporter reporter_{*worker_, {.recordings = 2, .counts_graphs = true}};
  ChannelMirror reader_{mirror_->whole()};
};

TEST_F(MirrorTest, CountersGraphsAndFindingsArrive) {
  worker_->progress().executions.store(3);
  worker_->progress().current_execution.store(9);
  show_graph(77, 7);
  find(11);
  EXPECT_TRUE(reporter_.is_urgent());
  report();
  EXPECT_FALSE(reporter_.is_urgent());
  EXPECT_TRUE(mirror_->is_plausible());
  EXPECT_EQ(mirror_->counters().executions, 3U);
  EXPECT_EQ(mirror_->progress().current_execution.load(), 9U);
  std::vector<channel::GraphRecord> graphs;
  mirror_->take_graphs(graphs);
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_EQ(graphs[0].hash, 77U);
  EXPECT_EQ(graphs[0].execution, 7U);
  EXPECT_EQ(mirror_->progress().findings_size.load(), worker_->progress().findings_size.load());
}

TEST_F(MirrorTest, AReportHasOnlyWhatHasChanged) {
  for (std::uint64_t i = 0; i < 100; ++i) show_graph(i + 1, i);
  find(11);
  const std::size_t first = report();
  worker_->progress().executions.fetch_add(1);
  EXPECT_LT(report(), 20U);
  EXPECT_GT(first, 800U);
}

TEST_F(MirrorTest, CountsOfFindingsAndTotalsArriveWhenTheWorkerWaits) {
  find(11);
  report();
  auto& record = *reinterpret_cast<channel::FindingRecord*>(worker_->whole().at(channel::findings_offset));
  const auto& copy = *reinterpret_cast<channel::FindingRecord*>(mirror_->whole().at(channel::findings_offset));
  record.count.store(40);
  worker_->progress().totals[8] = std::byte{6};
  report();
  EXPECT_EQ(copy.count.load(), 1U);
  EXPECT_EQ(mirror_->progress().totals[8], std::byte{0});
  worker_->progress().awaits_round.store(2);
  EXPECT_TRUE(reporter_.is_urgent());
  report();
  EXPECT_EQ(copy.count.load(), 40U);
  EXPECT_EQ(mirror_->progress().totals[8], std::byte{6});
  EXPECT_EQ(mirror_->progress().awaits_round.load(), 2U);
}

TEST_F(MirrorTest, TheDriversStopSurvivesReports) {
  mirror_->progress().stop.store(1);
  worker_->progress().state.store(channel::State::running);
  report();
  worker_->progress().state.store(channel::State::done);
  report();
  EXPECT_EQ(mirror_->progress().stop.load(), 1U);
  EXPECT_EQ(mirror_->progress().state.load(), channel::State::done);
}

TEST_F(MirrorTest, ATaskBeginsWithNoFindings) {
  find(11);
  worker_->task().runs.store(6);
  report();
  for (ChannelMemory* channel : {worker_.get(), mirror_.get()}) channel->begin_task("part", {}, 100);
  reporter_.task_begun();
  find(12);
  worker_->task().runs.store(6);  // as many as before
  report();
  EXPECT_EQ(mirror_->task().runs.load(), 6U);
  const auto& copy = *reinterpret_cast<channel::FindingRecord*>(mirror_->whole().at(channel::findings_offset));
  EXPECT_EQ(copy.key, 12U);
}

TEST_F(MirrorTest, TheLastReportHasTheCountsOfGraphs) {
  show_graph(77, 7);
  worker_->progress().executions.store(4);
  report();
  reinterpret_cast<channel::GraphRecord*>(worker_->whole().at(channel::graphs_offset))->count = 4;
  report(true);
  EXPECT_EQ(reinterpret_cast<channel::GraphRecord*>(mirror_->whole().at(channel::graphs_offset))->count, 4U);
}

TEST_F(MirrorTest, RecordingsThatAreSeldomNeededAreSentWhenTheyAre) {
  using Numbers = std::vector<std::uint64_t>;
  for (std::uint64_t number = 5; number <= 15; number += 2) record(*worker_, number, 100 + number);
  worker_->outbox().pairs[worker_->outbox().pair_count++] = {77, 11};
  worker_->progress().awaits_round.store(2);
  report();
  EXPECT_EQ(recorded(), (Numbers{5, 7, 11}));
  EXPECT_EQ(reader_.first_kept_recording(), 9U);
  const auto ask = [&](std::uint64_t end) {
    StateWriter out;
    reporter_.write_kept_recordings(out, end);
    const std::string bytes = out.take();
    StateReader in(bytes);
    reader_.apply_kept_recordings(in);
    EXPECT_TRUE(in.is_at_end());
  };
  ask(14);
  EXPECT_EQ(recorded(), (Numbers{5, 7, 11, 9, 13}));
  EXPECT_EQ(reader_.first_kept_recording(), 15U);
  ask(14);
  EXPECT_EQ(recorded().size(), 5U);
  report(true);
  EXPECT_EQ(recorded(), (Numbers{5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(reader_.first_kept_recording(), no_execution);
}

TEST_F(MirrorTest, MoreRecordingsThanThereIsRoomForAreRefused) {
  record(*worker_, 5, 100);
  worker_->progress().awaits_round.store(2);
  report();
  mirror_->outbox().recording_count = 2 * strategies::most_recordings;
  StateWriter more;
  reporter_.write_kept_recordings(more, no_execution);
  std::string kept = more.take();
  StateReader none(kept);
  reader_.apply_kept_recordings(none);  // it has none
  kept[0] = 1;
  StateReader one(kept);
  EXPECT_THROW(reader_.apply_kept_recordings(one), BadValue);
}

TEST_F(MirrorTest, TheFirstExecutionsWithNewGraphsAreNeeded) {
  const CampaignCorpus corpus({}, 1);
  for (std::uint64_t i = 0; i < 40; ++i) {
    record(*worker_, 2 * i, 100 + i);
    record(*mirror_, 2 * i + 1, i < 10 ? 100 + i : 200 + i);  // ten graphs are those of the other worker
  }
  EXPECT_EQ(corpus.end_of_needed_recordings({worker_.get()}), no_execution);  // fewer than are kept
  // The first 20 executions show 10 graphs, those behind them one each.
  EXPECT_EQ(corpus.end_of_needed_recordings({worker_.get(), mirror_.get()}), 20 + strategies::most_recordings - 10);
}

TEST(RanksTest, ARankSendsSomewhatMoreThanItsShareOfTheRecordings) {
  EXPECT_GE(usual_recordings(1), strategies::most_recordings);
  EXPECT_EQ(usual_recordings(4), 25U);
  EXPECT_EQ(usual_recordings(10'000), 2U);
}

/// The corpus of rank 0, and the copy of another rank.
class CorpusUpdateTest : public testing::Test {
 protected:
  static strategies::Corpus& corpus_in(const ReservedMemory& memory) {
    return *reinterpret_cast<strategies::Corpus*>(memory.bytes().data());
  }
  /// Shows a graph, and records it in the next entry. The recording is empty, but has a size.
  void add_entry(std::uint64_t graph) {
    const std::uint32_t size = 48;
    ++corpus_.round;
    corpus_.entries[corpus_.count] = {graph, graph, 0, corpus_.round, strategies::Corpus::Origin::this_build};
    std::memcpy(corpus_.recordings[corpus_.count], &size, sizeof size);
    std::memcpy(corpus_.recordings[corpus_.count] + 40, &graph, sizeof graph);
    ++corpus_.count;
    corpus_.graphs[corpus_.known_graphs++] = graph;
  }
  std::string update() {
    StateWriter out;
    write_corpus_update(out, corpus_, sent_);
    return out.take();
  }
  void apply(const std::string& bytes) {
    StateReader in(bytes);
    apply_corpus_update(in, copy_, known_);
    EXPECT_TRUE(in.is_at_end());
  }

  ReservedMemory memory_{sizeof(strategies::Corpus)}, copy_memory_{sizeof(strategies::Corpus)};
  strategies::Corpus &corpus_ = corpus_in(memory_), &copy_ = corpus_in(copy_memory_);
  CorpusCopied sent_, known_;
};

TEST_F(CorpusUpdateTest, AnUpdateHasOnlyWhatIsNew) {
  add_entry(5);
  add_entry(6);
  apply(update());
  add_entry(7);
  corpus_.entries[0].end = 9;
  const std::string second = update();
  EXPECT_LT(second.size(), 250U);
  apply(second);
  ASSERT_EQ(copy_.count, 3U);
  EXPECT_EQ(copy_.entries[0].end, 9U);
  EXPECT_EQ(copy_.entries[2].graph, 7U);
  EXPECT_EQ(std::vector<std::uint64_t>(copy_.graphs, copy_.graphs + copy_.known_graphs),
            (std::vector<std::uint64_t>{5, 6, 7}));
  EXPECT_EQ(std::memcmp(copy_.recordings[2], corpus_.recordings[2], 48), 0);
  EXPECT_EQ(known_, sent_);
}

TEST_F(CorpusUpdateTest, ARecordingOfAnotherSizeThanItSaysIsRefused) {
  add_entry(5);
  std::string bytes = update();
  const std::uint64_t size = 48;
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&size), sizeof size));
  ASSERT_NE(at, std::string::npos);
  bytes[at + sizeof size] = 47;
  EXPECT_THROW(apply(bytes), BadValue);
}

TEST_F(CorpusUpdateTest, AnUpdateThatIsCutOrMissesAnotherIsRefused) {
  add_entry(5);
  const std::string first = update();
  add_entry(6);
  EXPECT_THROW(apply(update()), BadValue);
  for (std::size_t size = 0; size < first.size(); size += 7) EXPECT_THROW(apply(first.substr(0, size)), BadValue);
}

/// A rank whose messages are there from the beginning.
class RecordedTransport final : public transport::Transport {
 public:
  std::vector<std::string> incoming, sent;
  std::size_t rank() const override { return 7; }
  std::size_t size() const override { return 8; }
  bool is_busy() const override { return false; }
  bool all_send_signals() const override { return false; }
  void finish() override {}
  [[noreturn]] void abort(int exit_code) override { std::_Exit(exit_code); }

 protected:
  void post(std::size_t, std::shared_ptr<const std::string> bytes) override { sent.push_back(*bytes); }
  std::optional<transport::Message> poll() override {
    if (next_ == incoming.size()) return std::nullopt;
    return transport::Message{0, incoming[next_++]};
  }

 private:
  std::size_t next_ = 0;
};

TEST(WorkerHostTest, AMessageOfAnEarlierCampaignDoesNotHoldBackOthers) {
  const auto message = [](MessageHead head, RankRecord kind, const std::function<void(StateWriter&)>& content) {
    StateWriter out;
    out.value(head);
    out.value(kind);
    content(out);
    return out.take();
  };
  const auto round = [](StateWriter& out) {
    for (int i = 0; i < 4; ++i) out.number(0);  // its executions, no plan, no corpus
  };
  const auto release = [](StateWriter& out) { out.value(std::uint32_t{1}); };
  const auto hello = [](StateWriter& out) {
    out.value(std::uint32_t{0});
    out.text("a version");
    out.number(0);
    out.text("no program");
    out.text("");
    out.number(0);
  };
  RecordedTransport transport;
  // The broadcast of the second campaign came by another rank, and has overtaken the last message of the first one.
  transport.incoming = {message({MessageRoute::broadcast, 2, 1}, RankRecord::round, round),
                        message({MessageRoute::direct, 1, 3}, RankRecord::release, release),
                        message({MessageRoute::direct, 0, 0}, RankRecord::hello, hello),
                        message({MessageRoute::broadcast, 0, 0}, RankRecord::quit, [](StateWriter&) {})};
  host_workers(transport, "another version", {});
  ASSERT_EQ(transport.sent.size(), 1U);
  EXPECT_NE(transport.sent[0].find("its heddle is another version"), std::string::npos);
}

TEST(MpiSettingsTest, TheUsersSettingsStay) {
  for (const mpi::Setting& setting : mpi::settings) {
    ::setenv(setting.name, "the user's", 1);
    mpi::set_defaults();
    EXPECT_STREQ(std::getenv(setting.name), "the user's");
    ::unsetenv(setting.name);
    mpi::set_defaults();
    EXPECT_STREQ(std::getenv(setting.name), setting.value);
    for (const mpi::Setting& set : mpi::settings) ::unsetenv(set.name);
  }
}

/// Sets variables for one test, and removes those of launchers.
class LauncherTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : names) ::unsetenv(name);
  }
  void TearDown() override { SetUp(); }
  static constexpr const char* names[] = {
      "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",  "PMI_SIZE", "PMIX_RANK",
      "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID",        "HEDDLE_MPI"};
};

TEST_F(LauncherTest, TheLaunchersOfMpiAreRecognised) {
  EXPECT_FALSE(cluster::find_launcher(false)->has_value());
  ::setenv("PMI_RANK", "3", 1);
  ::setenv("PMI_SIZE", "8", 1);
  auto found = cluster::find_launcher(false);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_EQ((*found)->rank, 3U);
  EXPECT_EQ((*found)->size, 8U);
  EXPECT_EQ((*found)->flavour, "mpich");
  ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  found = cluster::find_launcher(false);
  EXPECT_EQ((*found)->flavour, "openmpi");
  ::setenv("HEDDLE_MPI", "none", 1);
  EXPECT_FALSE(cluster::find_launcher(false)->has_value());
}

TEST_F(LauncherTest, SeveralTasksWithoutMpiAreRefusedUnlessTheyAreShards) {
  ::setenv("SLURM_STEP_ID", "0", 1);
  ::setenv("SLURM_STEP_NUM_TASKS", "4", 1);
  EXPECT_FALSE(cluster::find_launcher(false));
  EXPECT_TRUE(cluster::find_launcher(true));
  ::setenv("PMIX_RANK", "0", 1);
  const auto found = cluster::find_launcher(false);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_EQ((*found)->size, 4U);
}

TEST_F(LauncherTest, ASingleTaskOfSrunNeedsNoMpi) {
  ::setenv("SLURM_STEP_ID", "0", 1);
  ::setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  ::setenv("PMI_RANK", "0", 1);
  const auto found = cluster::find_launcher(false);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_TRUE((*found)->is_single());
}

}  // namespace
}  // namespace heddle::cluster
