// The driver of RocksDB, whose transactions lock (pessimistic) or are checked at commit (optimistic).

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/version.h>

#include "serval/base/error.h"
#include "serval/base/nearest_names.h"
#include "serval/database/address.h"
#include "serval/database/drivers.h"
#include "serval/database/key_value/key_value_tables.h"
#include "serval/database/rocksdb/recover_rocksdb.h"

namespace serval {
namespace {

enum class RocksdbIsolation : std::uint8_t {
  Serializable,       // Every read locks its key like a write.
  SnapshotIsolation,  // Reads see the snapshot of the begin; writes of keys changed since then fail.
  ReadCommitted,
};

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

// One transaction at a time, in this process.
class RocksdbClient final : public Client, private KeyValueTransaction {
 public:
  RocksdbClient(std::shared_ptr<RocksdbStore> store, RocksdbIsolation isolation, KeyValueTables tables)
      : store_(std::move(store)), isolation_(isolation), tables_(std::move(tables)) {}

  void begin() override {
    transaction_ = store_->begin(std::move(transaction_));
    snapshot_.reset();
    log_id_.clear();
    if (isolation_ != RocksdbIsolation::SnapshotIsolation) return;
    transaction_->SetSnapshot();
    snapshot_ = static_cast<std::int64_t>(transaction_->GetSnapshot()->GetSequenceNumber());
  }

  Answer perform(const Request& request) override { return tables_.perform(request, *this); }

  Outcome commit() override {
    const rocksdb::Status status = transaction_->Commit();
    if (status.ok()) return Outcome::Committed;
    transaction_->Rollback().PermitUncheckedError();
    throw TransactionFailure(cause_of(status),
                             surely_aborted(status) ? Outcome::Aborted : Outcome::Indeterminate,
                             status.ToString());
  }

  void roll_back() override {
    if (transaction_) transaction_->Rollback().PermitUncheckedError();
  }

  TransactionHints hints() const override {
    TransactionHints hints;
    hints.start_timestamp = snapshot_;
    if (store_->keeps_log())
      hints.server_transaction = log_id_;
    else if (transaction_ &&
             store_->kind() == RocksdbStore::Kind::Pessimistic)  // Optimistic transactions have no id.
      hints.server_transaction = std::to_string(transaction_->GetID());
    return hints;
  }

 private:
  std::optional<StoredValue> get(const std::string& key, Reading reading) override {
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

  void put(const std::string& key, const std::string& bytes) override {
    note_in_log();
    require(transaction_->Put(key, bytes));
  }

  void erase(const std::string& key) override {
    note_in_log();
    require(transaction_->Delete(key));
  }

  // Writes the transaction's id to the log, before its first write. Only the log contains it.
  void note_in_log() {
    if (!store_->keeps_log() || !log_id_.empty()) return;
    log_id_ = std::to_string(store_->next_transaction());
    transaction_->PutLogData(log_id_);
  }

  // Ends the transaction and throws TransactionFailure.
  void require(const rocksdb::Status& status) {
    if (status.ok()) return;
    transaction_->Rollback().PermitUncheckedError();
    throw TransactionFailure(cause_of(status), Outcome::Aborted, status.ToString());
  }

  std::shared_ptr<RocksdbStore> store_;
  RocksdbIsolation isolation_;
  KeyValueTables tables_;
  std::unique_ptr<rocksdb::Transaction> transaction_;
  std::optional<std::int64_t> snapshot_;  // Its sequence number.
  std::string log_id_;                    // Empty until it writes, or if the log is not kept.
};

class RocksdbDatabase final : public Database {
 public:
  RocksdbDatabase(RocksdbStore::Kind kind, std::string folder, const DatabaseOptions& options)
      : kind_(kind),
        log_(options.certificate ? RocksdbStore::Log::Kept : RocksdbStore::Log::Forgotten),
        folder_(std::move(folder)),
        isolation_(options.isolation) {
    store();
  }

  std::map<std::string, std::string> facts() override {
    return {{"database", "rocksdb"},
            {"version", rocksdb::GetRocksVersionAsString()},
            {"kind", kind_ == RocksdbStore::Kind::Pessimistic ? "pessimistic" : "optimistic"},
            {"isolation", isolation_}};
  }

  void create(const Schema& schema) override {
    const std::shared_ptr<RocksdbStore> made = store();
    made->erase_tables();
    made->fill(schema);
    const std::lock_guard lock(mutex_);
    schema_ = schema;
    tables_ = KeyValueTables(schema);
  }

  void drop() override {
    store()->erase_tables();
    const std::lock_guard lock(mutex_);
    if (store_->is_temporary()) store_.reset();
  }

  std::unique_ptr<Client> connect(std::uint32_t) override { return client(level()); }

  std::unique_ptr<Client> connect_observer(std::uint32_t) override {
    return client(RocksdbIsolation::SnapshotIsolation);
  }

  std::unique_ptr<Recovery> recover() override { return std::make_unique<RocksdbRecovery>(store(), schema_); }

 private:
  std::unique_ptr<Client> client(RocksdbIsolation isolation) {
    std::shared_ptr<RocksdbStore> opened = store();
    const std::lock_guard lock(mutex_);
    return std::make_unique<RocksdbClient>(std::move(opened), isolation, tables_);
  }

  std::shared_ptr<RocksdbStore> store() {
    const std::lock_guard lock(mutex_);
    if (!store_) store_ = std::make_shared<RocksdbStore>(kind_, folder_, log_);
    return store_;
  }

  RocksdbIsolation level() const {
    if (isolation_ == "serializable") return RocksdbIsolation::Serializable;
    if (isolation_ == "snapshot-isolation") return RocksdbIsolation::SnapshotIsolation;
    return RocksdbIsolation::ReadCommitted;
  }

  RocksdbStore::Kind kind_;
  RocksdbStore::Log log_;
  std::string folder_, isolation_;
  std::mutex mutex_;  // Guards what follows.
  std::shared_ptr<RocksdbStore> store_;
  KeyValueTables tables_;
  Schema schema_;
};

}  // namespace

std::unique_ptr<Database> open_rocksdb(std::string_view address, const DatabaseOptions& options) {
  static constexpr std::array<std::string_view, 2> kKinds{"pessimistic", "optimistic"};
  const Address parts = read_address(address, {"kind"});
  const std::string kind = parts.option("kind", kKinds[0]);
  if (kind != kKinds[0] && kind != kKinds[1])
    throw InputError({}, fmt::format("RocksDB has no kind \"{}\"", kind), {}, did_you_mean(kind, kKinds));
  if (!options.nodes.empty()) throw InputError({}, "RocksDB runs in this process and has no nodes");
  return std::make_unique<RocksdbDatabase>(
      kind == kKinds[0] ? RocksdbStore::Kind::Pessimistic : RocksdbStore::Kind::Optimistic, parts.place,
      options);
}

}  // namespace serval
