#include "serval/database/rocksdb/rocksdb_client.h"

#include <utility>

namespace serval {
namespace {

FailureCause cause_of(const rocksdb::Status& status) {
  if (status.IsDeadlock()) return FailureCause::Deadlock;
  if (status.IsTimedOut()) return FailureCause::LockTimeout;
  if (status.IsBusy() || status.IsTryAgain()) return FailureCause::Serialization;
  return FailureCause::Other;
}

// Whether a commit that fails like this had no effect.
bool surely_aborted(const rocksdb::Status& status) {
  return status.IsBusy() || status.IsTryAgain() || status.IsExpired() || status.IsInvalidArgument();
}

}  // namespace

RocksdbClient::RocksdbClient(std::shared_ptr<RocksdbStore> store, RocksdbIsolation isolation,
                             KeyValueTables tables)
    : store_(std::move(store)), isolation_(isolation), tables_(std::move(tables)) {}

void RocksdbClient::begin() {
  transaction_ = store_->begin(std::move(transaction_));
  snapshot_.reset();
  log_id_.clear();
  if (isolation_ != RocksdbIsolation::SnapshotIsolation) return;
  transaction_->SetSnapshot();
  snapshot_ = static_cast<std::int64_t>(transaction_->GetSnapshot()->GetSequenceNumber());
}

Answer RocksdbClient::perform(const Request& request) { return tables_.perform(request, *this); }

Outcome RocksdbClient::commit() {
  const rocksdb::Status status = transaction_->Commit();
  if (status.ok()) return Outcome::Committed;
  transaction_->Rollback().PermitUncheckedError();
  throw TransactionFailure(cause_of(status),
                           surely_aborted(status) ? Outcome::Aborted : Outcome::Indeterminate,
                           status.ToString());
}

void RocksdbClient::roll_back() {
  if (transaction_) transaction_->Rollback().PermitUncheckedError();
}

TransactionHints RocksdbClient::hints() const {
  TransactionHints hints;
  hints.start_timestamp = snapshot_;
  if (store_->keeps_log())
    hints.server_transaction = log_id_;
  else if (transaction_ &&
           store_->kind() == RocksdbStore::Kind::Pessimistic)  // Optimistic transactions have no id.
    hints.server_transaction = std::to_string(transaction_->GetID());
  return hints;
}

std::optional<StoredValue> RocksdbClient::get(const std::string& key, Reading reading) {
  rocksdb::ReadOptions options;
  options.snapshot = transaction_->GetSnapshot();  // Null unless begin() took one.
  StoredValue out;
  const bool locks = reading == Reading::ForUpdate || isolation_ == RocksdbIsolation::Serializable;
  const rocksdb::Status status = locks ? transaction_->GetForUpdate(options, key, &out.bytes)
                                       : transaction_->Get(options, key, &out.bytes);
  if (status.IsNotFound()) return std::nullopt;
  require(status);
  return out;
}

// Only the log contains it, beside the writes.
void RocksdbClient::note_in_log() {
  if (!store_->keeps_log() || !log_id_.empty()) return;
  log_id_ = std::to_string(store_->next_transaction());
  transaction_->PutLogData(log_id_);
}

void RocksdbClient::put(const std::string& key, const std::string& bytes) {
  note_in_log();
  require(transaction_->Put(key, bytes));
}

void RocksdbClient::erase(const std::string& key) {
  note_in_log();
  require(transaction_->Delete(key));
}

void RocksdbClient::require(const rocksdb::Status& status) {
  if (status.ok()) return;
  transaction_->Rollback().PermitUncheckedError();
  throw TransactionFailure(cause_of(status), Outcome::Aborted, status.ToString());
}

}  // namespace serval
