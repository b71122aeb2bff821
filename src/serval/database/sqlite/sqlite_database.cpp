// SQLite: a given or temporary file, and one connection per client. With a shared cache all connections
// of this process share one database, the only way to read uncommitted data.
#include <array>
#include <atomic>
#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/base/folder.h"
#include "serval/database/address.h"
#include "serval/database/drivers.h"
#include "serval/database/sql/sql_client.h"
#include "serval/database/sqlite/sqlite_connection.h"

namespace serval {
namespace sqlite {
namespace {

namespace files = std::filesystem;

constexpr std::array<std::string_view, 2> kOptions = {"journal", "cache"};
constexpr std::array<std::string_view, 2> kJournals = {"wal", "delete"};
constexpr std::array<std::string_view, 2> kCaches = {"private", "shared"};

// A temporary folder; the destructor removes it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (temporary_folder().value_or("/tmp") / "serval-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      throw DatabaseError(fmt::format("cannot create a temporary folder {}", path),
                          "set TMPDIR to one that is writable");
    path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    files::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const files::path& path() const { return path_; }

 private:
  files::path path_;
};

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const Address& address, const DatabaseOptions& options)
      : isolation_(options.isolation),
        journal_(address.choose("journal", kJournals)),
        shared_(isolation_ == "read-uncommitted" || address.choose("cache", kCaches) == "shared") {
    if (address.place.empty()) folder_ = std::make_unique<TemporaryFolder>();
    place_ = folder_ ? (folder_->path() / "serval.db").string() : address.place;
    options_ = {.place = fmt::format("file:{}?cache={}", uri_path(place_), shared_ ? "shared" : "private"),
                .settings = settings(),
                .begin = isolation_ == "serializable" ? "begin immediate" : "begin",
                .gives_way = isolation_ == "read-uncommitted"};
    control_ = open();
    // The setting is stored in the file, so that connections need not set it and wait for each other.
    control_->execute("pragma journal_mode = " + journal_);
  }

  std::map<std::string, std::string> facts() override {
    return {{"database", "SQLite"},
            {"version", sqlite3_libversion()},
            {"isolation", isolation_},
            {"journal", journal_},
            {"cache", shared_ ? "shared" : "private"},
            {"file", folder_ ? "temporary" : place_}};
  }

  void create(const Schema& schema) override {
    schema_ = schema;
    sql::create_tables(schema, sql::kSqlite, [&](const std::string& text) { control_->execute(text); });
    statements_ = std::make_shared<sql::Statements>(schema, sql::kSqlite);
  }

  void drop() override {
    sql::drop_tables(schema_, sql::kSqlite, [&](const std::string& text) { control_->execute(text); });
    if (options_.commits != CommitCount::None) control_->execute(kDropCommitCount);
    schema_.clear();
  }

  std::unique_ptr<Client> connect(std::uint32_t /*session*/) override {
    expects(statements_ != nullptr, "create() was called");
    return std::make_unique<sql::SqlClient>(open(), statements_);
  }

  // Only a write-ahead log lets others write while one reads. In a shared cache readers lock tables.
  std::unique_ptr<Client> connect_observer(std::uint32_t /*attempt*/) override {
    if (shared_ || journal_ != "wal") return nullptr;
    expects(statements_ != nullptr, "create() was called");
    ConnectionOptions options = options_;
    options.begin = "begin";
    options.commits = CommitCount::None;
    return std::make_unique<sql::SqlClient>(std::make_unique<SqliteConnection>(options, turns_), statements_);
  }

  // Sessions opened from now on count their commits.
  std::unique_ptr<Recovery> recover() override {
    control_->execute(kDropCommitCount);
    control_->execute(kMakeCommitCount);
    control_->execute(kBeginCommitCount);
    options_.commits = isolation_ == "read-uncommitted" ? CommitCount::OfCommits : CommitCount::OfStates;
    return std::make_unique<RecordedBySessions>();
  }

 private:
  static std::string uri_path(const std::string& path) {
    std::string out;
    for (const char c : path) {
      if (c == '%' || c == '?' || c == '#')
        out += fmt::format("%{:02x}", static_cast<unsigned>(c));
      else
        out += c;
    }
    return out;
  }

  // Durability is not tested here.
  std::vector<std::string> settings() const {
    std::vector<std::string> out = {"pragma synchronous = off"};
    if (isolation_ == "read-uncommitted") out.emplace_back("pragma read_uncommitted = 1");
    return out;
  }

  std::unique_ptr<SqliteConnection> open() const {
    return std::make_unique<SqliteConnection>(options_, turns_);
  }

  std::string isolation_;
  std::string journal_;
  bool shared_;
  std::unique_ptr<TemporaryFolder> folder_;  // Removed after all connections are closed.
  std::string place_;
  ConnectionOptions options_;
  std::shared_ptr<Turns> turns_ = std::make_shared<Turns>();
  std::unique_ptr<SqliteConnection> control_;
  Schema schema_;
  std::shared_ptr<const sql::Statements> statements_;
};

}  // namespace
}  // namespace sqlite

std::unique_ptr<Database> open_sqlite(std::string_view address, const DatabaseOptions& options) {
  if (!options.nodes.empty()) throw InputError({}, "SQLite is a single file and has no other nodes");
  address.remove_prefix(std::min(address.find(':') + 1, address.size()));
  if (address.starts_with("//")) address.remove_prefix(2);
  return std::make_unique<sqlite::SqliteDatabase>(sql::parse_address(address, sqlite::kOptions), options);
}

}  // namespace serval
