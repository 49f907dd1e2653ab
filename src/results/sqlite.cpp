#include "results/sqlite.hpp"

namespace heddle::results {

namespace {

// A writer holds the file for milliseconds. On a shared file system, and with hundreds of jobs that end at the same
// time, one may have to wait for all the others.
constexpr int longest_wait_in_milliseconds = 60'000;

[[noreturn]] void fail(sqlite3* connection, int code) {
  throw SqliteError{code, connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection)};
}

}  // namespace

Connection::Connection(const std::string& path, Access access) {
  const int flags = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    SqliteError error{code, handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_)};
    sqlite3_close(handle_);
    throw error;
  }
  sqlite3_busy_timeout(handle_, longest_wait_in_milliseconds);
}

Connection::~Connection() { sqlite3_close(handle_); }

void Connection::execute(const char* sql) {
  if (const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) fail(handle_, code);
}

Statement::Statement(Connection& connection, const char* sql) : connection_(connection.handle()) {
  check(sqlite3_prepare_v2(connection_, sql, -1, &handle_, nullptr));
}

Statement::~Statement() { sqlite3_finalize(handle_); }

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(connection_, code);
}

Statement& Statement::bind(const std::string& text) {
  check(sqlite3_bind_text(handle_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  check(sqlite3_bind_int64(handle_, ++bound_, number));
  return *this;
}

Statement& Statement::bind(double number) {
  check(sqlite3_bind_double(handle_, ++bound_, number));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(connection_, code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (step()) {
  }
  check(sqlite3_reset(handle_));
  bound_ = 0;
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return bytes == nullptr ? "" : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

Transaction::Transaction(Connection& connection) : connection_(connection) { connection_.execute("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  if (is_open_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  is_open_ = false;
}

}  // namespace heddle::results
