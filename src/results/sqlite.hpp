// A connection to an SQLite file, and its statements. Errors are thrown as SqliteError, and end in
// results/database.cpp.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

namespace heddle::results {

struct SqliteError {
  int code;
  std::string text;
};

class Connection {
 public:
  enum class Access { read, write };
  /// Access::write creates the file if it does not exist.
  Connection(const std::string& path, Access access);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(const char* sql);
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_); }
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

/// A statement with ? for its parameters, which are bound in order.
class Statement {
 public:
  Statement(Connection& connection, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text);
  Statement& bind(std::int64_t number);
  Statement& bind(double number);
  /// True if there is a row.
  bool step();
  /// Runs the statement, which returns no row, and prepares it for other parameters.
  void run();

  std::string text(int column) const;
  std::int64_t number(int column) const { return sqlite3_column_int64(handle_, column); }
  double real(int column) const { return sqlite3_column_double(handle_, column); }

 private:
  void check(int code) const;

  sqlite3* connection_;
  sqlite3_stmt* handle_ = nullptr;
  int bound_ = 0;
};

/// Begins to write, so that no other process writes until the end. Without commit(), everything is undone.
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool is_open_ = true;
};

}  // namespace heddle::results
