#include "serval/database/rocksdb/rocksdb_store.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "serval/base/folder.h"
#include "serval/database/database.h"
#include "serval/database/key_value/key_value_tables.h"

namespace serval {
namespace {

constexpr std::int64_t kLockTimeout_ms = 1000;
constexpr std::uint64_t kLogSeconds =
    30ull * 24 * 3600;                  // What was written to disk elsewhere stays readable.
constexpr std::size_t kBatch = 10'000;  // Rows per write while tables are created.
// Optimistic transactions are validated against memtables; without enough of them they fail.
constexpr std::int64_t kHistoryBytes = 256 << 20;

std::filesystem::path make_temporary_folder() {
  std::string name = (temporary_folder().value_or("/tmp") / "serval-rocksdb-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw DatabaseError(fmt::format("cannot create a temporary folder: {}", std::strerror(errno)));
  return name;
}

void require(const rocksdb::Status& status, const char* what) {
  if (!status.ok()) throw DatabaseError(fmt::format("RocksDB could not {}: {}", what, status.ToString()));
}

}  // namespace

RocksdbStore::RocksdbStore(Kind kind, const std::filesystem::path& folder, Log log)
    : kind_(kind),
      log_(log),
      temporary_(folder.empty()),
      folder_(temporary_ ? make_temporary_folder() : folder) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.max_write_buffer_size_to_maintain = kHistoryBytes;
  options.info_log_level = rocksdb::WARN_LEVEL;
  if (log == Log::Kept) options.WAL_ttl_seconds = kLogSeconds;
  if (kind == Kind::Pessimistic) {
    rocksdb::TransactionDBOptions locking;
    locking.transaction_lock_timeout = locking.default_lock_timeout = kLockTimeout_ms;
    require(rocksdb::TransactionDB::Open(options, locking, folder_.string(), &pessimistic_),
            "open its folder");
    database_.reset(pessimistic_);
  } else {
    require(rocksdb::OptimisticTransactionDB::Open(options, folder_.string(), &optimistic_),
            "open its folder");
    database_.reset(optimistic_);
  }
}

RocksdbStore::~RocksdbStore() {
  database_.reset();
  std::error_code ignored;
  if (temporary_) std::filesystem::remove_all(folder_, ignored);
}

std::unique_ptr<rocksdb::Transaction> RocksdbStore::begin(std::unique_ptr<rocksdb::Transaction> old) {
  const rocksdb::WriteOptions writing;
  rocksdb::TransactionOptions locking;
  locking.deadlock_detect = true;
  rocksdb::Transaction* const begun = pessimistic_ != nullptr
                                          ? pessimistic_->BeginTransaction(writing, locking, old.get())
                                          : optimistic_->BeginTransaction(writing, {}, old.get());
  if (begun != old.get()) old.reset(begun);
  return old;
}

void RocksdbStore::erase_tables() {
  const rocksdb::WriteOptions writing;
  rocksdb::WriteBatch batch;
  const std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator({}));
  for (at->Seek("serval_"); at->Valid() && at->key().starts_with("serval_"); at->Next()) {
    batch.Delete(at->key());
    if (batch.Count() < kBatch) continue;
    require(database_->Write(writing, &batch), "erase an old table");
    batch.Clear();
  }
  require(at->status(), "read its tables");
  require(database_->Write(writing, &batch), "erase an old table");
}

void RocksdbStore::fill(const Schema& schema) {
  const rocksdb::WriteOptions writing;
  rocksdb::WriteBatch batch;
  for_each_initial_row(schema, [&](const std::string& key, const std::string& row) {
    batch.Put(key, row);
    if (batch.Count() < kBatch) return;
    require(database_->Write(writing, &batch), "fill a table");
    batch.Clear();
  });
  require(database_->Write(writing, &batch), "fill a table");
}

}  // namespace serval
