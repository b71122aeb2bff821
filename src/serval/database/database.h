#pragma once
// A database under test: creates its tables, opens sessions, drops the tables.
//
//   const DatabaseOptions options{.isolation = "serializable"};
//   const std::unique_ptr<Database> database = open_database("sqlite:/tmp/x.db", options);
//   database->create(schema);
//   const std::unique_ptr<Client> client = database->connect(0);

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/database/client.h"
#include "serval/database/recovery.h"
#include "serval/workload/schema.h"

namespace serval {

// The database cannot be reached, or does not do what the driver needs. Exit code 4.
class DatabaseError : public std::runtime_error {
 public:
  explicit DatabaseError(const std::string& problem, std::string hint = {})
      : std::runtime_error(problem), hint_(std::move(hint)) {}
  const std::string& hint() const noexcept { return hint_; }

 private:
  std::string hint_;
};

struct DatabaseOptions {
  std::string isolation;           // A name from the driver's table; empty: the driver's default.
  std::vector<std::string> nodes;  // More addresses of the same database; sessions are spread over all.
  bool certificate = false;        // Sessions record what a certificate needs, and recover() is called.
};

class Database {
 public:
  virtual ~Database() = default;
  // Facts about the server: "database", "version", "isolation", ...; no passwords. "promises" if the
  // isolation keeps a different level than IsolationInfo says.
  virtual std::map<std::string, std::string> facts() = 0;
  // Creates the tables of the schema, replacing those of an earlier run. Their names begin with serval_.
  virtual void create(const Schema& schema) = 0;
  virtual void drop() = 0;  // Drops exactly what create() created.
  // A new connection. Callable from any thread. Throws DatabaseError.
  virtual std::unique_ptr<Client> connect(std::uint32_t session) = 0;
  // The same for a session that lost its connection. Attempts 0, 1, 2, ... go to the nodes in turn.
  virtual std::unique_ptr<Client> reconnect(std::uint32_t session, std::uint32_t /*attempt*/) {
    return connect(session);
  }
  // A read-only connection. Each of its transactions sees one committed state and neither waits for
  // others nor blocks them; its reads count once it has committed. Null if the database has no such
  // transactions. Attempts as in reconnect. Throws DatabaseError.
  virtual std::unique_ptr<Client> connect_observer(std::uint32_t /*attempt*/) { return nullptr; }
  // Starts to keep the log: call it after create() and before the first session, only if a certificate
  // was requested. Throws DatabaseError.
  virtual std::unique_ptr<Recovery> recover();
  // The first cell of the answer to a query, outside of all sessions; none if the server refuses the
  // query. Throws DatabaseError if the connection is lost, or if the database has no SQL.
  virtual std::optional<std::string> first_cell_of(const std::string& query);
  // What certificates at this isolation do not cover, in a few words; empty: nothing.
  virtual std::string certificate_gap() const { return {}; }
};

// An isolation that a driver can request from its database.
struct IsolationInfo {
  std::string_view name;  // "repeatable-read"
  // The documented level, by its name in docs/levels.md. Empty: unknown.
  std::string_view promises;
  std::string_view remark;  // How the two differ, or empty.
};

struct DriverInfo {
  std::string_view name;         // "sqlite", the scheme of its addresses.
  std::string_view address;      // "sqlite:FILE[?journal=wal]"
  std::string_view description;  // One line.
  std::vector<IsolationInfo> isolations;
  std::string_view default_isolation;
  bool has_ranges;  // Scan, UpdateRange, DeleteRange.
  // Null if this build lacks the library. Throws InputError for an invalid address.
  std::unique_ptr<Database> (*open)(std::string_view address, const DatabaseOptions& options);
  // The source of version certificates, in a few words; empty: none (docs/certificates.md).
  std::string_view certificate = {};
  // The Debian package with the library that a build without the driver lacks.
  std::string_view package = {};
};

std::span<const DriverInfo> all_drivers();
// Chooses the driver by the scheme ("postgres://...", "sqlite:..."); throws InputError with the nearest
// names.
const DriverInfo& driver_of(std::string_view address);
[[nodiscard]] std::unique_ptr<Database> open_database(std::string_view address,
                                                      const DatabaseOptions& options);
// "repeatable-read" for "RR", "repeatable read", ...; throws InputError with the nearest names.
const IsolationInfo& choose_isolation(const DriverInfo& driver, std::string_view name);
// The level that the isolation keeps on a server with these facts: the fact "promises" if the server's
// settings decide, else the documented level.
std::string promise_of(const IsolationInfo& isolation, const std::map<std::string, std::string>& facts);

}  // namespace serval
