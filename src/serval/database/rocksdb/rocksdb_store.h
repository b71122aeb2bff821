#pragma once
// An open RocksDB with transactions, and the folder below it. Shared by the database and its clients: it
// closes, and a temporary folder goes, when the last of them does.

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

  // An empty folder: a temporary one. Throws DatabaseError.
  RocksdbStore(Kind kind, const std::filesystem::path& folder);
  ~RocksdbStore();
  RocksdbStore(const RocksdbStore&) = delete;
  RocksdbStore& operator=(const RocksdbStore&) = delete;

  Kind kind() const noexcept { return kind_; }
  const std::filesystem::path& folder() const noexcept { return folder_; }
  bool is_temporary() const noexcept { return temporary_; }

  // Reuses `old` where there is one.
  std::unique_ptr<rocksdb::Transaction> begin(std::unique_ptr<rocksdb::Transaction> old);

  // All keys that begin with serval_.
  void erase_tables();
  void fill(const Schema& schema);

 private:
  Kind kind_;
  bool temporary_;
  std::filesystem::path folder_;
  std::unique_ptr<rocksdb::DB> database_;
  rocksdb::TransactionDB* pessimistic_ = nullptr;  // One of the two is database_.
  rocksdb::OptimisticTransactionDB* optimistic_ = nullptr;
};

}  // namespace serval
