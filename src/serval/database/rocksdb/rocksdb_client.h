#pragma once
// A session of RocksDB: one transaction at a time, in this process.

#include <memory>
#include <optional>
#include <string>

#include "serval/database/client.h"
#include "serval/database/key_value/key_value_tables.h"
#include "serval/database/rocksdb/rocksdb_store.h"

namespace serval {

enum class RocksdbIsolation : std::uint8_t {
  Serializable,       // Every read locks its key like a write.
  SnapshotIsolation,  // Reads see the snapshot of the begin; writes of keys changed since then fail.
  ReadCommitted,
};

class RocksdbClient final : public Client, private KeyValueTransaction {
 public:
  RocksdbClient(std::shared_ptr<RocksdbStore> store, RocksdbIsolation isolation, KeyValueTables tables);

  void begin() override;
  Answer perform(const Request& request) override;
  Outcome commit() override;
  void roll_back() override;
  TransactionHints hints() const override;

 private:
  std::optional<StoredValue> get(const std::string& key, Reading reading) override;
  void put(const std::string& key, const std::string& bytes) override;
  void erase(const std::string& key) override;
  void note_in_log();  // Writes the transaction's id to the log, before its first write.
  void require(const rocksdb::Status& status);  // Ends the transaction and throws TransactionFailure.

  std::shared_ptr<RocksdbStore> store_;
  RocksdbIsolation isolation_;
  KeyValueTables tables_;
  std::unique_ptr<rocksdb::Transaction> transaction_;
  std::optional<std::int64_t> snapshot_;  // Its sequence number.
  std::string log_id_;                    // Empty until it writes, or if the log is not kept.
};

}  // namespace serval
