// The driver of RocksDB, whose transactions lock (pessimistic) or are checked at commit (optimistic).

#include <array>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/version.h>

#include "serval/base/error.h"
#include "serval/base/nearest_names.h"
#include "serval/database/address.h"
#include "serval/database/drivers.h"
#include "serval/database/rocksdb/recover_rocksdb.h"
#include "serval/database/rocksdb/rocksdb_client.h"

namespace serval {
namespace {

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
  const AddressParts parts = read_address(address, {"kind"});
  const std::string kind = parts.option("kind", kKinds[0]);
  if (kind != kKinds[0] && kind != kKinds[1])
    throw InputError({}, fmt::format("RocksDB has no kind \"{}\"", kind), {}, did_you_mean(kind, kKinds));
  if (!options.nodes.empty()) throw InputError({}, "RocksDB runs in this process and has no nodes");
  return std::make_unique<RocksdbDatabase>(
      kind == kKinds[0] ? RocksdbStore::Kind::Pessimistic : RocksdbStore::Kind::Optimistic, parts.place,
      options);
}

}  // namespace serval
