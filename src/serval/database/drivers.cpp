#include "serval/database/drivers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/base/nearest_names.h"
#include "serval/database/simulated/simulated_level.h"

namespace serval {
namespace {

using Open = std::unique_ptr<Database> (*)(std::string_view, const DatabaseOptions&);

#if SERVAL_WITH_SQLITE
constexpr Open kSqlite = open_sqlite;
#else
constexpr Open kSqlite = nullptr;
#endif
#if SERVAL_WITH_ROCKSDB
constexpr Open kRocksdb = open_rocksdb;
#else
constexpr Open kRocksdb = nullptr;
#endif
#if SERVAL_WITH_POSTGRES
constexpr Open kPostgres = open_postgres;
#else
constexpr Open kPostgres = nullptr;
#endif
#if SERVAL_WITH_MARIADB
constexpr Open kMariadb = open_mariadb;
#else
constexpr Open kMariadb = nullptr;
#endif
#if SERVAL_WITH_ETCD
constexpr Open kEtcd = open_etcd;
#else
constexpr Open kEtcd = nullptr;
#endif

std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != '-' && c != ' ' && c != '_')
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kAbbreviations{
    {{"ser", "serializable"},
     {"rr", "repeatable-read"},
     {"si", "snapshot-isolation"},
     {"rc", "read-committed"},
     {"ru", "read-uncommitted"}}};

std::vector<IsolationInfo> simulated_isolations() {
  std::vector<IsolationInfo> out;
  for (const SimulatedLevelInfo& level : all_simulated_levels())
    out.insert(out.begin(), {level.name, level.name, level.description});
  return out;
}

DriverInfo postgres_driver() {
  return {"postgres",
          "postgres://[USER@]HOST[:PORT]/DATABASE[?libpq "
          "options][&dialect=postgres|cockroach|yugabyte|h2][&xid=on][&timeout=60s]",
          "PostgreSQL, and databases that speak its protocol",
          {{"serializable", "strict-serializable", ""},
           {"repeatable-read", "strong-snapshot-isolation", "snapshot isolation by another name"},
           {"read-committed", "read-committed", ""},
           {"read-uncommitted", "read-committed", "the same as read committed"}},
          "read-committed",
          true,
          kPostgres,
          "logical decoding",
          "libpq-dev"};
}

std::array<DriverInfo, 7> make_drivers() {
  return {{
      {"sqlite",
       "sqlite:FILE[?journal=wal|delete][&cache=shared]",
       "SQLite in this process; a temporary file if none is given",
       {{"serializable", "strict-serializable", "BEGIN IMMEDIATE: one transaction at a time"},
        {"deferred", "strict-serializable", "BEGIN; the second of two concurrent writers fails"},
        {"read-uncommitted", "read-uncommitted", "a shared cache with PRAGMA read_uncommitted"}},
       "serializable",
       true,
       kSqlite,
       "commit order of the single writer",
       "libsqlite3-dev"},
      {"rocksdb",
       "rocksdb:FOLDER[?kind=pessimistic|optimistic]",
       "RocksDB transactions in this process; a temporary folder if none is given",
       {{"serializable", "strict-serializable", "every read is a GetForUpdate"},
        {"snapshot-isolation", "strong-snapshot-isolation",
         "a snapshot at the begin, checked by every write"},
        {"read-committed", "read-committed", "no snapshot"}},
       "serializable",
       false,
       kRocksdb,
       "sequence numbers of the write-ahead log",
       "librocksdb-dev"},
      postgres_driver(),
      {"mariadb",
       "mariadb://[USER@]HOST[:PORT]/"
       "DATABASE[?snapshot=on|off][&sync_wait=N][&dialect=mariadb|mysql|tidb][&mode=pessimistic|optimistic]["
       "&timeout=60s]",
       "MariaDB, MySQL, TiDB, Galera clusters",
       {{"serializable", "strict-serializable", "on one server"},
        {"repeatable-read", "strong-snapshot-isolation",
         "with innodb_snapshot_isolation=ON, or TiDB with mode=optimistic; otherwise read-committed"},
        {"read-committed", "read-committed", ""},
        {"read-uncommitted", "read-uncommitted", ""}},
       "repeatable-read",
       true,
       kMariadb,
       "the row binlog; TiDB: timestamps of its transactions",
       "libmariadb-dev"},
      {"etcd",
       "etcd://"
       "[USER@]HOST:PORT[,HOST:PORT...][?tls=on][&cacert=FILE][&cert=FILE&key=FILE][&passfile=FILE][&timeout="
       "8s]",
       "etcd transactions over its JSON gateway",
       {{"serializable", "strict-serializable", "reads are checked in the transaction that writes"},
        {"stale", "serializable", "reads from the local member, possibly stale"}},
       "serializable",
       false,
       kEtcd,
       {},
       "libcurl4-openssl-dev"},
      {"simulated", "simulated:[?bug=NAME[:probability=P,limit=N][+NAME...]][&seed=N][&latency=MICROSECONDS]",
       "a store in this process that keeps the requested level, except for the bugs enabled",
       simulated_isolations(), "strict-serializable", true, open_simulated, "the numbers of its commits"},
      {"exec",
       "exec:COMMAND",
       "a program that speaks JSON lines on its standard input and output",
       {{"default", "", "whatever the program does; choose a level with --level"}},
       "default",
       true,
       open_exec},
  }};
}

}  // namespace

std::span<const DriverInfo> all_drivers() {
  static const std::array<DriverInfo, 7> table = make_drivers();
  return table;
}

const DriverInfo& driver_of(std::string_view address) {
  std::string scheme(address.substr(0, address.find(':')));
  if (scheme == "postgresql" || scheme == "pg") scheme = "postgres";
  if (scheme == "mysql") scheme = "mariadb";
  std::vector<std::string_view> names;
  for (const DriverInfo& driver : all_drivers()) {
    if (driver.name == scheme) return driver;
    names.push_back(driver.name);
  }
  throw InputError({}, fmt::format("there is no driver for \"{}\"", scheme), {}, did_you_mean(scheme, names));
}

const IsolationInfo& choose_isolation(const DriverInfo& driver, std::string_view name) {
  if (name.empty()) name = driver.default_isolation;
  for (const auto& [abbreviation, whole] : kAbbreviations)
    if (plain(name) == abbreviation) name = whole;
  std::vector<std::string_view> names;
  for (const IsolationInfo& isolation : driver.isolations) {
    if (plain(isolation.name) == plain(name)) return isolation;
    names.push_back(isolation.name);
  }
  throw InputError({}, fmt::format("{} has no isolation \"{}\"", driver.name, name), {},
                   did_you_mean(name, names));
}

std::string promise_of(const IsolationInfo& isolation, const std::map<std::string, std::string>& facts) {
  const auto found = facts.find("promises");
  return found == facts.end() ? std::string(isolation.promises) : found->second;
}

std::unique_ptr<Database> open_database(std::string_view address, const DatabaseOptions& options) {
  const DriverInfo& driver = driver_of(address);
  if (driver.open == nullptr)
    throw DatabaseError(fmt::format("this build of serval does not support {}", driver.name),
                        fmt::format("install the Debian package {} and build again", driver.package));
  DatabaseOptions chosen = options;
  chosen.isolation = choose_isolation(driver, options.isolation).name;
  std::string whole(address);  // "postgres" is "postgres:", an address without a place.
  if (whole.find(':') == std::string::npos) whole += ':';
  return driver.open(whole, chosen);
}

std::optional<std::string> Database::first_cell_of(const std::string& /*query*/) {
  throw DatabaseError("this database cannot be asked in SQL");
}

std::unique_ptr<Recovery> Database::recover() {
  broken_contract("a database whose driver recovers certificates", __FILE__, __LINE__);
}

std::string_view name_of(FailureCause cause) {
  static constexpr std::array<std::string_view, 7> kNames{
      "serialization", "deadlock", "lock-timeout", "constraint", "unavailable", "connection-lost", "other"};
  return kNames[static_cast<std::size_t>(cause)];
}

}  // namespace serval
