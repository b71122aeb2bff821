#pragma once
// RocksDB's certificate: the write-ahead log has the writes of every commit in the order of their
// sequence numbers, in which they take effect. Each transaction puts its id before its writes
// (PutLogData), so that several commits in one batch of the log can be distinguished.
//
//   RocksdbRecovery recovery(store, schema);           // From here on.
//
// Needs a store that keeps its log (RocksdbStore::Log::Kept).

#include <memory>

#include "serval/database/recovery.h"
#include "serval/database/rocksdb/rocksdb_store.h"

namespace serval {

class RocksdbRecovery final : public Recovery {
 public:
  RocksdbRecovery(std::shared_ptr<RocksdbStore> store, const Schema& schema);
  void read(const std::function<void(const LoggedTransaction&)>& found) override;

 private:
  std::shared_ptr<RocksdbStore> store_;
  std::vector<std::string> prefixes_;  // Of the keys of each table.
  rocksdb::SequenceNumber first_;
};

}  // namespace serval
