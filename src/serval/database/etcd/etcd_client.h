#pragma once
// A session of etcd. Transactions are implemented in the client: reads go to the server and are
// remembered with the revision that last changed their key, writes are buffered, and the commit is one
// etcd transaction that writes only if nothing that was read has changed.
//
//   Fresh: every read is linearizable, and all of them are validated at the commit: strictly
//          serializable.
//   Stale: reads come from the member's own copy, all at the revision of the first, which may be old;
//          those of a transaction that writes are validated too. Serializable, but not in real time.

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "serval/database/client.h"
#include "serval/database/etcd/etcd_gateway.h"
#include "serval/database/key_value/key_value_tables.h"

namespace serval {

class EtcdClient final : public Client, private KeyValueTransaction {
 public:
  enum class Reads { Fresh, Stale };

  EtcdClient(const std::string& endpoint, Reads reads, KeyValueTables tables, EtcdAccess access = {});

  void greet();  // Throws DatabaseError if the member does not respond.

  void begin() override;
  Answer perform(const Request& request) override;
  Outcome commit() override;
  void roll_back() override;
  TransactionHints hints() const override { return hints_; }

 private:
  std::optional<StoredValue> get(const std::string& key, Reading reading) override;
  void put(const std::string& key, const std::string& bytes) override { writes_[key] = bytes; }
  void erase(const std::string& key) override { writes_[key] = std::nullopt; }

  bool needs_commit() const;
  std::string format_commit() const;

  EtcdGateway gateway_;
  Reads reads_;
  KeyValueTables tables_;
  std::map<std::string, std::int64_t> read_at_;  // The revision that last changed each key; 0: absent.
  std::map<std::string, std::optional<std::string>> writes_;  // None: deleted.
  std::int64_t snapshot_ = 0;                                 // Revision of stale reads; 0 before the first.
  TransactionHints hints_;
};

}  // namespace serval
