#pragma once
// An open RocksDB with transactions, and its folder. Shared by the database and its clients: the last one
// closes it and removes a temporary folder.

#include <atomic>
#include <filesystem>
#include <memory>

#include <rocksdb/db.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/transaction_db.h>

#include "serval/workload/schema.h"

namespace serval {

class RocksdbStore {
 public:
  enum class Kind { Pessimistic, Optimistic };

  enum class Log : std::uint8_t { Forgotten, Kept };  // Whether recover_rocksdb.h can read it.

  // Empty `folder`: a temporary one. Throws DatabaseError.
  RocksdbStore(Kind kind, const std::filesystem::path& folder, Log log = Log::Forgotten);
  ~RocksdbStore();
  RocksdbStore(const RocksdbStore&) = delete;
  RocksdbStore& operator=(const RocksdbStore&) = delete;

  Kind kind() const noexcept { return kind_; }
  const std::filesystem::path& folder() const noexcept { return folder_; }
  bool is_temporary() const noexcept { return temporary_; }
  bool keeps_log() const noexcept { return log_ == Log::Kept; }
  rocksdb::DB& database() noexcept { return *database_; }
  // Ids for the log, since it does not contain those of transactions.
  std::uint64_t next_transaction() noexcept { return ++last_transaction_; }

  // Reuses `old` if not null.
  std::unique_ptr<rocksdb::Transaction> begin(std::unique_ptr<rocksdb::Transaction> old);

  // All keys that begin with serval_.
  void erase_tables();
  void fill(const Schema& schema);

 private:
  Kind kind_;
  Log log_;
  std::atomic<std::uint64_t> last_transaction_ = 0;
  bool temporary_;
  std::filesystem::path folder_;
  std::unique_ptr<rocksdb::DB> database_;
  rocksdb::TransactionDB* pessimistic_ = nullptr;  // One of the two is database_.
  rocksdb::OptimisticTransactionDB* optimistic_ = nullptr;
};

}  // namespace serval
