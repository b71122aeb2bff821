#pragma once
// Implements requests with get, put and erase, for databases without tables.
//
//   const KeyValueTables tables(schema);
//   const Answer answer = tables.perform({.kind = Request::Kind::Append, .key = 7, .tag = 3}, transaction);

#include <optional>
#include <string>
#include <vector>

#include "serval/workload/request.h"
#include "serval/workload/schema.h"

namespace serval {

struct StoredValue {
  std::string bytes;
  std::optional<std::int64_t> version;
};

// One transaction of a store. Throws TransactionFailure.
class KeyValueTransaction {
 public:
  enum class Reading { Plain, ForUpdate };

  virtual ~KeyValueTransaction() = default;
  virtual std::optional<StoredValue> get(const std::string& key, Reading reading) = 0;
  virtual void put(const std::string& key, const std::string& bytes) = 0;
  virtual void erase(const std::string& key) = 0;
};

class KeyValueTables {
 public:
  KeyValueTables() = default;
  explicit KeyValueTables(const Schema& schema);

  // Throws DatabaseError for ranges, which are not supported, and for a table that is not in the schema.
  Answer perform(const Request& request, KeyValueTransaction& transaction) const;

 private:
  struct Table {
    std::string prefix;
    std::vector<std::int64_t> initial_columns;
  };
  std::vector<Table> tables_;
};

}  // namespace serval
