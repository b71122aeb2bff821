// Check, then insert: reads a range and inserts a row into it if it is empty, so that no slot is taken
// twice. Serializability needs no unique constraint for that; under snapshot isolation two clients may
// both find the range empty. The tables are initially empty and used in turn, for a few transactions
// each: the race is most likely on an empty index, where PostgreSQL 15.3 and older lost predicate locks.
//
// The key of a row has two fields, slot << 16 | session.

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "serval/workload/ask.h"
#include "serval/workload/dialogue.h"
#include "serval/workload/workloads.h"

namespace serval {
namespace {

constexpr std::uint32_t kSlot = 0;          // The only column.
constexpr std::uint64_t kSessionBits = 16;  // Bits of the session in a key.

ask::Range keys_of(std::uint64_t slot) {
  return ask::keys(slot << kSessionBits, (slot << kSessionBits) + (1u << kSessionBits) - 1);
}

ask::Range without_bounds(std::uint32_t column) {
  using Limits = std::numeric_limits<std::int64_t>;
  return {column == Request::kKey ? 0 : Limits::min(), Limits::max(), column};
}

// The range may be wider than the slot.
Dialogue claim(std::uint32_t table, ask::Range range, std::uint64_t key) {
  const Answer found = co_await ask::scan(table, range);
  const auto slot = static_cast<std::int64_t>(key >> kSessionBits);
  const auto is_taken = [&](const Answer::Row& row) { return row.columns[kSlot] == slot; };
  if (std::ranges::none_of(found.rows, is_taken)) co_await ask::insert(table, key, ask::columns(slot));
  co_return Ending::Commit;
}

class CheckThenInsert final : public Generator {
 public:
  CheckThenInsert(const Parameters& parameters, KeyChoice slots)
      : tables_(parameters.whole("tables")),
        stay_(parameters.whole("stay")),
        clears_(parameters["clears"]),
        by_column_(parameters["by-column"]),
        unbounded_(parameters["unbounded"]),
        slots_(std::move(slots)) {}

  Schema schema() const override {
    Schema tables;
    for (std::size_t i = 0; i < tables_; ++i)
      tables.push_back({.name = fmt::format("claims_{}", i),
                        .initial = TableInfo::Initial::Absent,
                        .columns = {{.name = "slot", .indexed = true}}});
    return tables;
  }

  std::unique_ptr<Script> next_script(Random& random, std::uint32_t session, KnownTags&) override {
    const auto table = static_cast<std::uint32_t>(drawn_++ / stay_ % tables_);
    if (random.chance(clears_)) return script_of({ask::delete_range(table, everything())});
    const std::uint64_t slot = slots_.choose(random);
    const bool by_column = random.chance(by_column_);
    ask::Range range = by_column ? ask::equal_to(static_cast<std::int64_t>(slot), kSlot) : keys_of(slot);
    if (unbounded_ > 0 && random.chance(unbounded_))
      range = without_bounds(by_column ? kSlot : Request::kKey);
    const std::uint64_t place = session % (1u << kSessionBits);
    return script_of(claim(table, range, (slot << kSessionBits) | place));
  }

  std::vector<std::string> broken_invariants(FinalState& state) const override {
    std::vector<std::string> broken;
    for (std::uint32_t table = 0; table < tables_; ++table) {
      std::map<std::int64_t, int> takers;
      for (const Answer::Row& row : state.all_rows(table)) ++takers[row.columns[kSlot]];
      for (const auto& [slot, count] : takers)
        if (count > 1)
          broken.push_back(fmt::format("slot {} of table {} is taken {} times", slot, table, count));
    }
    return broken;
  }

 private:
  ask::Range everything() const {
    return {0, static_cast<std::int64_t>(slots_.keys() << kSessionBits), Request::kKey};
  }

  std::size_t tables_, stay_;
  double clears_, by_column_, unbounded_;
  std::uint64_t drawn_ = 0;
  KeyChoice slots_;
};

}  // namespace

WorkloadInfo check_then_insert_workload() {
  return {
      .name = "check-then-insert",
      .description = "on empty tables: read a range, insert a row if it is empty; no slot is taken twice",
      .parameters = {{"tables", "tables, initially empty, used in turn", 50, 1, 10'000},
                     {"stay", "transactions on a table before the next table", 20, 1, 1'000'000},
                     {"clears", "share of transactions that clear the table", 0.1, 0, 1, kReal},
                     {"by-column", "share of the reads over the column instead of the key", 0.5, 0, 1, kReal},
                     {"unbounded", "share of the reads over the whole table, without a condition", 0, 0, 1,
                      kReal}},
      .make = make_generator<CheckThenInsert>,
      .data = WorkloadInfo::Data::Rows,
      .form = WorkloadInfo::Form::Scripts,
      .needs_ranges = true,
      .keys = 4,
      .invariant = "no slot is taken twice",
      .kept_at = {"serializable"}};
}

}  // namespace serval
