// Results over time: an SQLite file (heddle test --results FILE) with campaigns, their findings and the growth of their
// graphs. Several processes may write at the same time. Findings are identified by their lasting keys
// (findings/lasting_key.hpp), so that builds can be compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "findings/results.hpp"
#include "results/key_roots.hpp"

namespace heddle::results {

class Connection;

struct StoredFinding {
  std::string key;
  std::string kind;
  std::string headline;
  std::string place;  ///< "queue.cpp:42"; empty: not known
  std::uint64_t count = 0;
  std::uint64_t first_execution = 0;
  std::string trace;
  std::vector<std::string> variants = {};  ///< keys of findings with the same root: in another campaign, one of them
                                           ///< may be the finding
};

struct StoredCampaign {
  std::int64_t number = 0;  ///< 0: not stored yet
  std::int64_t time = 0;    ///< when it ended, in seconds since 1970
  std::string program;      ///< the name of the file
  std::string build;        ///< its build id
  std::string arguments;    ///< as a shell takes them
  std::string command;      ///< "test" or "verify"
  std::string strategy;
  std::string model;
  std::string seed;
  std::string version;  ///< of heddle
  std::uint64_t executions = 0;
  std::uint64_t buggy = 0;
  std::uint64_t graphs = 0;
  double seconds = 0;
  std::string verdict;  ///< "bug", "no bug" or why it is neither
  std::vector<StoredFinding> findings;
  std::vector<findings::Coverage::Point> curve;
};

/// What is known of one build of a program.
struct StoredBuild {
  std::string program;
  std::string build;
  std::int64_t last_time = 0;
  std::uint64_t campaigns = 0;
  std::uint64_t executions = 0;
  std::uint64_t findings = 0;  ///< distinct ones, by their roots
};

struct Comparison {
  std::vector<StoredFinding> fresh;  ///< of the newer side only
  std::vector<StoredFinding> gone;   ///< of the older side only
  std::vector<StoredFinding> still;  ///< of both, as the newer side shows them
};

class Database {
 public:
  enum class Access { read, write };
  /// Access::write creates the file. A problem says that there is no such file, or that it is none of heddle.
  static Result<Database> open(const std::string& path, Access access);
  ~Database();
  Database(Database&&) noexcept;
  Database& operator=(Database&&) = delete;

  /// Adds a campaign as a whole, or not at all.
  Outcome add(const StoredCampaign& campaign);
  /// The last ones, oldest first. `program` is empty, or the name of the program that they are of.
  Result<std::vector<StoredCampaign>> campaigns(const std::string& program, std::uint64_t most);
  /// All campaigns, with findings and curves.
  Result<std::vector<StoredCampaign>> everything(const std::string& program);
  /// Oldest first.
  Result<std::vector<StoredBuild>> builds(const std::string& program);
  /// A side is "#12", a campaign; the beginning of a build id; "latest", the newest build, or "previous", the one
  /// before.
  Result<Comparison> compare(const std::string& program, const std::string& older, const std::string& newer);

 private:
  Database(std::string path, std::unique_ptr<Connection> connection);
  template <typename Function>
  auto guarded(Function function) -> decltype(function());
  Result<std::string> condition_of(const std::string& program, const std::string& side);
  /// Which keys the campaigns have as findings with one root.
  KeyRoots roots_where(const std::string& condition);
  /// One finding for each root.
  std::vector<StoredFinding> findings_where(const std::string& condition, const KeyRoots& roots);

  std::string path_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace heddle::results
