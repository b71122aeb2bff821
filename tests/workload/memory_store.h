#pragma once
// The simplest database: maps, one transaction after another, undone on request. Requests that do not
// fit the schema break the contract. It can lose writes on request, so that tests of invariants see a
// broken one.
//
//   MemoryStore store(generator.schema());
//   store.perform(request); store.commit();

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "serval/base/contract.h"
#include "serval/workload/request.h"
#include "serval/workload/schema.h"

namespace serval {

struct StoreFaults {
  std::uint64_t lost_write = 0;  // One write in this many has no effect; 0: no write is lost.
};

class MemoryStore {
 public:
  explicit MemoryStore(Schema schema, StoreFaults faults = {});

  Answer perform(const Request& request);
  void commit() { undo_.clear(); }
  void roll_back();
  std::size_t rows(std::uint32_t table) const { return tables_.at(table).size(); }

 private:
  using Row = Answer::Row;
  struct Undo {
    std::uint32_t table;
    std::uint64_t key;
    std::optional<Row> before;
  };

  void check(const Request& request) const;
  Answer perform_on_key(const Request& request);
  Answer perform_on_range(const Request& request);
  std::vector<Row> rows_in_range(const Request& request) const;
  const Row* find(const Request& request) const;
  void put(const Request& request, std::uint64_t key);
  void erase(std::uint32_t table, std::uint64_t key);

  Schema schema_;
  StoreFaults faults_;
  std::vector<std::map<std::uint64_t, Row>> tables_;
  std::vector<std::map<std::uint64_t, std::vector<std::int64_t>>> lists_;  // Never undone.
  std::vector<Undo> undo_;
  std::uint64_t writes_ = 0;
};

}  // namespace serval
