#include "results/database.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <utility>

#include "results/sqlite.hpp"

namespace heddle::results {

namespace {

// "hedl": recognises a file of heddle. The version grows if a table changes.
constexpr std::int64_t application = 0x6865646c;
constexpr std::int64_t version = 1;

constexpr const char* schema = R"(
CREATE TABLE campaigns (
  number INTEGER PRIMARY KEY, time INTEGER, program TEXT, build TEXT, arguments TEXT, command TEXT, strategy TEXT,
  model TEXT, seed TEXT, version TEXT, executions INTEGER, buggy INTEGER, graphs INTEGER, seconds REAL, verdict TEXT);
CREATE TABLE findings (
  campaign INTEGER REFERENCES campaigns, key TEXT, kind TEXT, headline TEXT, place TEXT, count INTEGER,
  first_execution INTEGER, trace TEXT, PRIMARY KEY (campaign, key)) WITHOUT ROWID;
CREATE TABLE curves (
  campaign INTEGER REFERENCES campaigns, executions INTEGER, graphs INTEGER, PRIMARY KEY (campaign, executions))
  WITHOUT ROWID;
CREATE INDEX campaigns_by_build ON campaigns (program, build);
CREATE INDEX findings_by_key ON findings (key);
PRAGMA application_id = 1751475308;
PRAGMA user_version = 1;
)";

// Files of older versions do not have it: it is created when the next campaign is added.
constexpr const char* schema_of_variants = R"(
CREATE TABLE IF NOT EXISTS variants (
  campaign INTEGER REFERENCES campaigns, key TEXT, root TEXT, PRIMARY KEY (campaign, key)) WITHOUT ROWID;
)";

std::int64_t pragma(Connection& connection, const char* sql) {
  Statement statement(connection, sql);
  return statement.step() ? statement.number(0) : 0;
}

std::int64_t signed_number(std::uint64_t number) { return static_cast<std::int64_t>(number); }
std::uint64_t unsigned_number(std::int64_t number) { return static_cast<std::uint64_t>(number); }

/// The text in quotes, as a part of a statement.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

std::string of_program(const std::string& program) {
  return program.empty() ? "1" : fmt::format("program = {}", quoted(program));
}

std::string condition_of(const StoredBuild& build) {
  return fmt::format("c.program = {} AND c.build = {}", quoted(build.program), quoted(build.build));
}

constexpr const char* campaign_columns =
    "number, time, program, build, arguments, command, strategy, model, seed, version, executions, buggy, graphs, "
    "seconds, verdict";

StoredCampaign read_campaign(const Statement& row) {
  StoredCampaign campaign;
  campaign.number = row.number(0);
  campaign.time = row.number(1);
  campaign.program = row.text(2);
  campaign.build = row.text(3);
  campaign.arguments = row.text(4);
  campaign.command = row.text(5);
  campaign.strategy = row.text(6);
  campaign.model = row.text(7);
  campaign.seed = row.text(8);
  campaign.version = row.text(9);
  campaign.executions = unsigned_number(row.number(10));
  campaign.buggy = unsigned_number(row.number(11));
  campaign.graphs = unsigned_number(row.number(12));
  campaign.seconds = row.real(13);
  campaign.verdict = row.text(14);
  return campaign;
}

/// From this column on: key, kind, headline, place, count, first_execution, trace.
StoredFinding read_finding(const Statement& row, int first) {
  return {row.text(first),
          row.text(first + 1),
          row.text(first + 2),
          row.text(first + 3),
          unsigned_number(row.number(first + 4)),
          unsigned_number(row.number(first + 5)),
          row.text(first + 6)};
}

Problem problem_of(const std::string& path, const SqliteError& error) {
  switch (error.code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return test_problem(fmt::format("{} is no database of results, or is damaged: {}", path, error.text));
    case SQLITE_BUSY:
      return test_problem(fmt::format("{} is locked by another process for a minute: {}", path, error.text));
    default: return test_problem(fmt::format("cannot use the database of results {}: {}", path, error.text));
  }
}

}  // namespace

Database::Database(std::string path, std::unique_ptr<Connection> connection)
    : path_(std::move(path)), connection_(std::move(connection)) {}
Database::~Database() = default;
Database::Database(Database&&) noexcept = default;

template <typename Function>
auto Database::guarded(Function function) -> decltype(function()) {
  try {
    return function();
  } catch (const SqliteError& error) {
    return problem_of(path_, error);
  }
}

Result<Database> Database::open(const std::string& path, Access access) {
  if (access == Access::read && ::access(path.c_str(), R_OK) != 0)
    return usage_problem(fmt::format("cannot read {}: name a file that heddle test --results has written", path));
  try {
    auto connection = std::make_unique<Connection>(
        path, access == Access::read ? Connection::Access::read : Connection::Access::write);
    const auto is_empty = [&] { return pragma(*connection, "SELECT count(*) FROM sqlite_master") == 0; };
    if (access == Access::write && is_empty()) {
      Transaction transaction(*connection);
      if (is_empty()) connection->execute(schema);  // another process may have been faster
      transaction.commit();
    }
    if (pragma(*connection, "PRAGMA application_id") != application)
      return usage_problem(fmt::format("{} is a database, but none of heddle; name another file", path));
    if (const std::int64_t found = pragma(*connection, "PRAGMA user_version"); found != version)
      return usage_problem(fmt::format("{} has the format {}, and this heddle uses the format {}; name another file",
                                       path, found, version));
    return Database(path, std::move(connection));
  } catch (const SqliteError& error) {
    return problem_of(path, error);
  }
}

Outcome Database::add(const StoredCampaign& campaign) {
  return guarded([&]() -> Outcome {
    Transaction transaction(*connection_);
    Statement(*connection_,
              "INSERT INTO campaigns (time, program, build, arguments, command, strategy, model, seed, version, "
              "executions, buggy, graphs, seconds, verdict) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        .bind(campaign.time)
        .bind(campaign.program)
        .bind(campaign.build)
        .bind(campaign.arguments)
        .bind(campaign.command)
        .bind(campaign.strategy)
        .bind(campaign.model)
        .bind(campaign.seed)
        .bind(campaign.version)
        .bind(signed_number(campaign.executions))
        .bind(signed_number(campaign.buggy))
        .bind(signed_number(campaign.graphs))
        .bind(campaign.seconds)
        .bind(campaign.verdict)
        .run();
    const std::int64_t number = connection_->last_row();
    // Findings of one campaign with the same lasting key are the same bug at two places of the program's code.
    Statement finding(*connection_,
                      "INSERT INTO findings (campaign, key, kind, headline, place, count, first_execution, trace) "
                      "VALUES (?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET count = count + excluded.count");
    for (const StoredFinding& entry : campaign.findings)
      finding.bind(number)
          .bind(entry.key)
          .bind(entry.kind)
          .bind(entry.headline)
          .bind(entry.place)
          .bind(signed_number(entry.count))
          .bind(signed_number(entry.first_execution))
          .bind(entry.trace)
          .run();
    connection_->execute(schema_of_variants);
    Statement variant(*connection_, "INSERT OR IGNORE INTO variants (campaign, key, root) VALUES (?,?,?)");
    for (const StoredFinding& entry : campaign.findings)
      for (const std::string& key : entry.variants) variant.bind(number).bind(key).bind(entry.key).run();
    Statement point(*connection_, "INSERT OR IGNORE INTO curves (campaign, executions, graphs) VALUES (?,?,?)");
    for (const findings::Coverage::Point& entry : campaign.curve)
      point.bind(number).bind(signed_number(entry.executions)).bind(signed_number(entry.graphs)).run();
    transaction.commit();
    return {};
  });
}

Result<std::vector<StoredCampaign>> Database::campaigns(const std::string& program, std::uint64_t most) {
  return guarded([&]() -> Result<std::vector<StoredCampaign>> {
    Statement rows(*connection_, fmt::format("SELECT {} FROM (SELECT * FROM campaigns WHERE {} ORDER BY number DESC "
                                             "LIMIT ?) ORDER BY number",
                                             campaign_columns, of_program(program))
                                     .c_str());
    rows.bind(signed_number(most));
    std::vector<StoredCampaign> campaigns;
    while (rows.step()) campaigns.push_back(read_campaign(rows));
    Statement findings(*connection_,
                       "SELECT key, kind, headline, place, count, first_execution, trace FROM findings "
                       "WHERE campaign = ? ORDER BY first_execution, key");
    for (StoredCampaign& campaign : campaigns) {
      findings.bind(campaign.number);
      while (findings.step()) campaign.findings.push_back(read_finding(findings, 0));
      findings.run();
    }
    return campaigns;
  });
}

Result<std::vector<StoredCampaign>> Database::everything(const std::string& program) {
  auto all = campaigns(program, static_cast<std::uint64_t>(INT64_MAX));
  if (!all) return all;
  return guarded([&]() -> Result<std::vector<StoredCampaign>> {
    std::map<std::int64_t, StoredCampaign*> by_number;
    for (StoredCampaign& campaign : *all) by_number[campaign.number] = &campaign;
    Statement rows(*connection_, "SELECT campaign, executions, graphs FROM curves ORDER BY campaign, executions");
    while (rows.step())
      if (const auto found = by_number.find(rows.number(0)); found != by_number.end())
        found->second->curve.push_back({unsigned_number(rows.number(1)), unsigned_number(rows.number(2))});
    return std::move(*all);
  });
}

Result<std::vector<StoredBuild>> Database::builds(const std::string& program) {
  return guarded([&]() -> Result<std::vector<StoredBuild>> {
    Statement rows(*connection_,
                   fmt::format("SELECT c.program, c.build, max(c.time), max(c.number) AS last, count(*), "
                               "sum(c.executions) FROM campaigns c WHERE {} GROUP BY c.program, c.build ORDER BY last",
                               of_program(program))
                       .c_str());
    std::vector<StoredBuild> builds;
    while (rows.step())
      builds.push_back({rows.text(0), rows.text(1), rows.number(2), unsigned_number(rows.number(4)),
                        unsigned_number(rows.number(5)), 0});
    for (StoredBuild& build : builds) {
      build.findings = findings_where(results::condition_of(build), roots_where(results::condition_of(build))).size();
    }
    return builds;
  });
}

/// The condition that selects the campaigns of one side of a comparison.
Result<std::string> Database::condition_of(const std::string& program, const std::string& side) {
  const auto number_after_hash = [&] { return side.substr(1); };
  if (side.starts_with("#") && side.size() > 1 && number_after_hash().find_first_not_of("0123456789") == side.npos &&
      side.size() < 18) {
    Statement row(*connection_, "SELECT count(*) FROM campaigns WHERE number = ?");
    row.bind(static_cast<std::int64_t>(std::stoll(number_after_hash())));
    if (!row.step() || row.number(0) == 0) return usage_problem(fmt::format("{} has no campaign {}", path_, side));
    return fmt::format("c.number = {}", number_after_hash());
  }
  auto all = builds(program);
  if (!all) return all.problem();
  std::vector<StoredBuild> found;
  const bool is_latest = side == "latest", is_previous = side == "previous";
  const std::size_t needed = is_previous ? 2 : 1;
  if ((is_latest || is_previous) && !all->empty()) {
    // Of the program that was tested last.
    std::erase_if(*all, [name = all->back().program](const StoredBuild& build) { return build.program != name; });
    if (all->size() >= needed) found.push_back((*all)[all->size() - needed]);
  } else {
    for (const StoredBuild& build : *all)
      if (!side.empty() && build.build.starts_with(side)) found.push_back(build);
  }
  if (found.empty())
    return usage_problem(fmt::format(
        "{} has no build {}: write the beginning of a build id, #N for a campaign, latest or previous", path_, side));
  if (found.size() > 1)
    return usage_problem(
        fmt::format("{} has several builds that begin with {}: write more of the build id, or "
                    "--program",
                    path_, side));
  return results::condition_of(found[0]);
}

KeyRoots Database::roots_where(const std::string& condition) {
  KeyRoots roots;
  if (pragma(*connection_, "SELECT count(*) FROM sqlite_master WHERE name = 'variants'") == 0) return roots;
  Statement rows(*connection_,
                 fmt::format("SELECT v.key, v.root FROM campaigns c JOIN variants v ON v.campaign = c.number "
                             "WHERE {} ORDER BY v.campaign, v.key",
                             condition)
                     .c_str());
  while (rows.step()) roots.join(rows.text(0), rows.text(1));
  return roots;
}

std::vector<StoredFinding> Database::findings_where(const std::string& condition, const KeyRoots& roots) {
  Statement rows(*connection_,
                 fmt::format("SELECT f.key, f.kind, f.headline, f.place, sum(f.count), min(f.first_execution), "
                             "f.trace, max(c.number) FROM campaigns c JOIN findings f ON f.campaign = c.number "
                             "WHERE {} GROUP BY f.key ORDER BY min(c.number), f.key",
                             condition)
                     .c_str());
  std::vector<StoredFinding> findings;
  std::map<std::string, std::size_t> known;  // by root
  while (rows.step()) {
    StoredFinding finding = read_finding(rows, 0);
    const auto [place, is_new] = known.try_emplace(roots.root_of(finding.key), findings.size());
    if (is_new)
      findings.push_back(std::move(finding));
    else
      findings[place->second].count += finding.count;
  }
  return findings;
}

Result<Comparison> Database::compare(const std::string& program, const std::string& older, const std::string& newer) {
  return guarded([&]() -> Result<Comparison> {
    const auto before = condition_of(program, older), after = condition_of(program, newer);
    if (!before) return before.problem();
    if (!after) return after.problem();
    const KeyRoots roots = roots_where(fmt::format("({}) OR ({})", *before, *after));
    std::map<std::string, StoredFinding> left;  // by root
    for (StoredFinding& finding : findings_where(*before, roots)) {
      const std::string root = roots.root_of(finding.key);
      left.emplace(root, std::move(finding));
    }
    Comparison comparison;
    for (StoredFinding& finding : findings_where(*after, roots)) {
      const bool was_there = left.erase(roots.root_of(finding.key)) != 0;
      (was_there ? comparison.still : comparison.fresh).push_back(std::move(finding));
    }
    for (auto& [key, finding] : left) comparison.gone.push_back(std::move(finding));
    return comparison;
  });
}

}  // namespace heddle::results
