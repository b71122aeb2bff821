#pragma once
// A database to be driven: makes its tables, opens sessions, cleans up behind itself.
//
//   const std::unique_ptr<Database> database = open_database("sqlite:/tmp/x.db", {.isolation =
// "serializable"});
//   database->create(schema);
//   const std::unique_ptr<Client> client = database->connect(0);

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/database/client.h"
#include "serval/database/recovery.h"
#include "serval/workload/schema.h"

namespace serval {

// A database that cannot be reached, or does not do what the driver asks of it. Exit code 4.
class DatabaseError : public std::runtime_error {
 public:
  explicit DatabaseError(const std::string& problem, std::string hint = {})
      : std::runtime_error(problem), hint_(std::move(hint)) {}
  const std::string& hint() const noexcept { return hint_; }

 private:
  std::string hint_;
};

struct DatabaseOptions {
  std::string isolation;           // By a name of the driver's table; empty: the driver's default.
  std::vector<std::string> nodes;  // Further addresses of the same database; sessions are spread over all.
  bool certificate = false;        // Sessions note what a certificate takes, and recover() is called.
};

class Database {
 public:
  virtual ~Database() = default;
  // What is worth knowing of the server: "database", "version", "isolation", ...; no passwords. "promises"
  // where the isolation keeps another level than IsolationInfo says.
  virtual std::map<std::string, std::string> facts() = 0;
  // Makes the tables of the schema, empty of what an earlier run left, under names that begin with serval_.
  virtual void create(const Schema& schema) = 0;
  virtual void drop() = 0;  // Exactly what create made.
  // A new connection; called from any thread. Throws DatabaseError.
  virtual std::unique_ptr<Client> connect(std::uint32_t session) = 0;
  // The same for a session that lost its connection. Attempts 0, 1, 2, ... go to one node after another.
  virtual std::unique_ptr<Client> reconnect(std::uint32_t session, std::uint32_t /*attempt*/) {
    return connect(session);
  }
  // A connection for reads only, each of whose transactions sees one state that others have committed, waits
  // for nobody and keeps nobody waiting; what it read counts once it has committed. Null: the database has no
  // such thing. Attempts as of reconnect. Throws DatabaseError.
  virtual std::unique_ptr<Client> connect_observer(std::uint32_t /*attempt*/) { return nullptr; }
  // Begins to keep the log of what follows: after create, before the first session, and only where a
  // certificate was asked for. Throws DatabaseError.
  virtual std::unique_ptr<Recovery> recover();
  // What certificates at this isolation leave open, a few words; empty: nothing.
  virtual std::string certificate_gap() const { return {}; }
};

// An isolation that a driver can ask its database for.
struct IsolationInfo {
  std::string_view name;  // "repeatable-read"
  // The level it is documented to keep, by its name in docs/levels.md. Empty: nobody knows.
  std::string_view promises;
  std::string_view remark;  // Where the two differ, or nothing.
};

struct DriverInfo {
  std::string_view name;         // "sqlite", the scheme of its addresses.
  std::string_view address;      // "sqlite:FILE[?journal=wal]"
  std::string_view description;  // One line.
  std::vector<IsolationInfo> isolations;
  std::string_view default_isolation;
  bool has_ranges;  // Scan, UpdateRange, DeleteRange.
  // Null when this build lacks the library. Throws InputError for an address it cannot read.
  std::unique_ptr<Database> (*open)(std::string_view address, const DatabaseOptions& options);
  // What a version certificate is recovered from, a few words; empty: it cannot be (docs/certificates.md).
  std::string_view certificate = {};
  // The Debian package whose library a build without the driver lacks.
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
// The level that the isolation keeps on the server with these facts: the fact "promises", where settings of
// the server decide, or what the isolation is documented to keep.
std::string promise_of(const IsolationInfo& isolation, const std::map<std::string, std::string>& facts);

}  // namespace serval
