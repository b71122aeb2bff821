#include "serval/database/rocksdb/recover_rocksdb.h"

#include <utility>

#include <fmt/format.h>
#include <rocksdb/transaction_log.h>

#include "serval/database/database.h"
#include "serval/database/key_value/key_value_tables.h"

namespace serval {
namespace {

constexpr std::size_t kKeyBytes = 8;

// Splits the batches of the log into transactions, each of which begins with its id.
class LogReader final : public rocksdb::WriteBatch::Handler {
 public:
  LogReader(const std::vector<std::string>& prefixes,
            const std::function<void(const LoggedTransaction&)>& found)
      : prefixes_(prefixes), found_(found) {}

  void LogData(const rocksdb::Slice& id) override {
    finish();
    transaction_.id = id.ToString();
  }
  rocksdb::Status PutCF(std::uint32_t, const rocksdb::Slice& key, const rocksdb::Slice&) override {
    return add(key);
  }
  rocksdb::Status DeleteCF(std::uint32_t, const rocksdb::Slice& key) override { return add(key); }
  rocksdb::Status SingleDeleteCF(std::uint32_t, const rocksdb::Slice& key) override { return add(key); }
  rocksdb::Status MarkNoop(bool) override { return {}; }  // Pessimistic transactions leave some.

  // Also at the end of a batch: the next entry belongs to another transaction, perhaps not of the run.
  void finish() {
    if (!transaction_.rows.empty()) found_(transaction_);
    transaction_ = {};
  }

 private:
  // Tags are not needed, because the id is always in the log.
  rocksdb::Status add(const rocksdb::Slice& key) {
    for (std::uint32_t table = 0; table < prefixes_.size(); ++table) {
      if (!key.starts_with(prefixes_[table]) || key.size() != prefixes_[table].size() + kKeyBytes) continue;
      std::uint64_t number = 0;
      for (const char c : key.ToStringView().substr(prefixes_[table].size()))
        number = number << 8 | static_cast<unsigned char>(c);
      transaction_.rows.push_back({.table = table, .key = number, .tag = std::nullopt});
    }
    return {};
  }

  const std::vector<std::string>& prefixes_;
  const std::function<void(const LoggedTransaction&)>& found_;
  LoggedTransaction transaction_;
};

void require(const rocksdb::Status& status) {
  if (!status.ok()) throw DatabaseError(fmt::format("RocksDB could not read its log: {}", status.ToString()));
}

}  // namespace

RocksdbRecovery::RocksdbRecovery(std::shared_ptr<RocksdbStore> store, const Schema& schema)
    : store_(std::move(store)), first_(store_->database().GetLatestSequenceNumber() + 1) {
  for (const TableInfo& table : schema) prefixes_.push_back(table_prefix(table.name));
}

void RocksdbRecovery::read(const std::function<void(const LoggedTransaction&)>& found) {
  if (store_->database().GetLatestSequenceNumber() < first_) return;
  std::unique_ptr<rocksdb::TransactionLogIterator> at;
  require(store_->database().GetUpdatesSince(first_, &at));
  LogReader reader(prefixes_, found);
  for (; at->Valid(); at->Next()) {
    const rocksdb::BatchResult batch = at->GetBatch();
    if (batch.sequence < first_) continue;
    require(batch.writeBatchPtr->Iterate(&reader));
    reader.finish();
  }
  require(at->status());
}

}  // namespace serval
