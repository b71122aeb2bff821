#pragma once
// Checks the claims of a recovered certificate against what the clients saw, with code that shares
// nothing with the checkers: orders are complete, reads are consistent with them, and every range
// returned exactly the matching rows among the versions that it is said to have seen.
//
//   const Recovered run = record_and_recover(address, {.isolation = "serializable"}, "predicates", 500);
//   check_certificate(run.history);

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "serval/database/campaign.h"
#include "serval/database/certificate_lines.h"
#include "serval/database/database.h"
#include "serval/formats/format.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/query.h"
#include "serval/predicate/row_columns.h"
#include "serval/workload/workload.h"

namespace serval {

struct Recovered {
  History history;
  CertificateCounts counts;
  CampaignCounts ran;
};

inline constexpr const char* kRanges = "predicates:operations=6,places=20,width=6,aggregates=0.3";

inline Recovered record_and_recover(const std::string& address, DatabaseOptions options,
                                    const std::string& workload, std::uint64_t transactions,
                                    KeyRequest keys = {}) {
  static int runs = 0;
  const std::string path =
      testing::TempDir() + "recover-" + std::to_string(getpid()) + "-" + std::to_string(++runs) + ".jsonl";
  std::filesystem::remove(path);
  options.certificate = true;
  const std::unique_ptr<Database> database = open_database(address, options);
  const Workload made = make_workload(workload, keys);
  const Schema schema = made.generator->schema();
  database->create(schema);
  Recovered out;
  {
    const std::unique_ptr<Recovery> recovery = database->recover();
    RunHeader header{.facts = database->facts(), .ledger = SessionLog::Ledger::Kept};
    if (schema.front().initial == TableInfo::Initial::Zero) header.initial = 0;
    Recorder recorder(path, header, schema);
    Campaign campaign(*database, *made.generator, recorder, {.sessions = 6, .transactions = transactions});
    campaign.run();
    out.ran = campaign.counts();
    CertificateLines lines(schema, recorder.ledger());
    recovery->read([&](const LoggedTransaction& logged) { lines.add(logged); });
    recorder.finish(lines.finish(recovery->order()));
    out.counts = lines.counts();
  }
  database->drop();
  out.history = read_history(path);
  std::filesystem::remove(path);
  return out;
}

// The versions that the certificate lists.
class CertifiedVersions {
 public:
  explicit CertifiedVersions(const History& history) : history_(history) {
    for (const TransactionId t : history.transactions())
      for (const OperationId op : history.operations(t))
        if (is_predicate(history.kind(op)))
          for (const Row& row : history.rows(op)) note(t, op, row.key, row.value);
        else
          note(t, op, history.key(op), history.value(op));
    for (const KeyOrder& order : history.certificate().orders) {
      EXPECT_TRUE(order.complete);
      EXPECT_TRUE(orders_.emplace(order.key, order.installers).second) << "two orders of a key";
    }
    if (history.certificate().ordered_by_commit) order_by_commit();
  }

  // The order of a key contains every committed writer once, and no other transaction.
  void check_orders() const {
    std::map<KeyId, std::vector<TransactionId>> writers;
    for (const auto& [place, value] : last_)
      if (history_.outcome(place.first) == Outcome::Committed) writers[place.second].push_back(place.first);
    for (auto& [key, expected] : writers) {
      const auto found = orders_.find(key);
      ASSERT_NE(found, orders_.end()) << history_.format_key(key);
      std::vector<TransactionId> installers = found->second;
      std::ranges::sort(installers);
      EXPECT_EQ(installers, expected) << history_.format_key(key);
    }
    EXPECT_EQ(writers.size(), orders_.size());
  }

  // If a transaction reads a key and then writes it immediately (r and w of one update), the read saw
  // the preceding version. Returns the number of such reads.
  std::size_t check_updates() const {
    std::size_t checked = 0;
    for (const TransactionId t : history_.transactions()) {
      if (history_.outcome(t) != Outcome::Committed) continue;
      std::set<KeyId> written;
      OperationId before = OperationId::none();
      for (const OperationId op : history_.operations(t)) {
        const bool pair = !before.is_none() && history_.kind(before) == OperationKind::Read &&
                          history_.kind(op) == OperationKind::Write &&
                          history_.key(op) == history_.key(before) && !written.contains(history_.key(op));
        if (pair) {
          ++checked;
          EXPECT_EQ(value_before(t, history_.key(op)), history_.value(before))
              << history_.format(history_.label(t));
        }
        for (const KeyId key : keys_written(op)) written.insert(key);
        before = op;
      }
    }
    return checked;
  }

  // Every range with a version set returned what matches in that set. Returns the number of such ranges.
  std::size_t check_version_sets() const {
    for (const auto& [op, set] : history_.certificate().version_sets) check_version_set(op, set);
    return history_.certificate().version_sets.size();
  }

  // If all ranges of a transaction saw one state, its item reads see the same state, except locking
  // reads: the first half of an update. Returns the number of reads checked.
  std::size_t check_item_reads() const {
    std::size_t checked = 0;
    if (history_.facts().at("isolation").starts_with("read-")) return checked;
    for (const TransactionId t : history_.transactions()) {
      const VersionSet* state = state_of(t);
      if (state == nullptr || history_.outcome(t) != Outcome::Committed) continue;
      std::set<KeyId> written;
      for (const OperationId op : history_.operations(t)) {
        const bool reads = history_.kind(op) == OperationKind::Read && !history_.value(op).is_nil();
        if (reads && !is_updated_next(t, op) && !written.contains(history_.key(op))) {
          ++checked;
          EXPECT_EQ(seen(*state, history_.key(op), t), history_.value(op));
        }
        for (const KeyId key : keys_written(op)) written.insert(key);
      }
    }
    return checked;
  }

 private:
  bool is_updated_next(TransactionId t, OperationId op) const {
    const OperationId next{op.index + 1};
    return next.index < history_.operation_count() && history_.transaction_of(next) == t &&
           history_.kind(next) == OperationKind::Write && history_.key(next) == history_.key(op);
  }
  static bool writes(OperationKind kind) {
    return kind == OperationKind::Write || kind == OperationKind::Insert || kind == OperationKind::Delete ||
           kind == OperationKind::CompareAndSet || kind == OperationKind::Append ||
           kind == OperationKind::PredicateUpdate || kind == OperationKind::PredicateDelete;
  }
  void note(TransactionId t, OperationId op, KeyId key, Value value) {
    if (writes(history_.kind(op))) last_[{t, key}] = value;
  }
  std::vector<KeyId> keys_written(OperationId op) const {
    std::vector<KeyId> out;
    if (!writes(history_.kind(op))) return out;
    if (!is_predicate(history_.kind(op))) return {history_.key(op)};
    for (const Row& row : history_.rows(op)) out.push_back(row.key);
    return out;
  }
  void order_by_commit() {
    std::map<KeyId, std::map<std::int64_t, TransactionId>> sorted;
    for (const auto& [place, value] : last_) {
      if (history_.outcome(place.first) != Outcome::Committed) continue;
      const TransactionHints* hints = history_.hints(place.first);
      ASSERT_TRUE(hints != nullptr && hints->commit_timestamp) << "a writer without a commit timestamp";
      sorted[place.second][*hints->commit_timestamp] = place.first;
    }
    for (const auto& [key, versions] : sorted)
      for (const auto& [timestamp, t] : versions) orders_[key].push_back(t);
  }

  Value value_before(TransactionId t, KeyId key) const {
    const std::vector<TransactionId>& order = orders_.at(key);
    const auto at = std::ranges::find(order, t);
    return at == order.begin() ? history_.initial_value() : last_.at({*(at - 1), key});
  }

  bool shows(const VersionSet& set, TransactionId installer) const {
    const TransactionHints* hints = history_.hints(installer);
    if (const auto* timestamp = std::get_if<std::int64_t>(&set.seen))
      return *hints->commit_timestamp <= *timestamp;
    return std::get<TransactionSnapshot>(set.seen).shows(std::stoull(hints->server_transaction));
  }
  // Excludes writes of `reader` itself; the caller adds what it had written so far.
  Value seen(const VersionSet& set, KeyId key, TransactionId reader) const {
    Value value = history_.initial_value();
    const auto found = orders_.find(key);
    if (found == orders_.end()) return value;
    for (const TransactionId installer : found->second)
      if (installer != reader && shows(set, installer)) value = last_.at({installer, key});
    return value;
  }
  // PostgreSQL at repeatable read may insert a row that another transaction has just deleted, and then
  // see the deleted row as well: two rows of one key, which no version set describes.
  bool has_inserted_twice(TransactionId t, OperationId until, const VersionSet& set) const {
    for (const OperationId op : history_.operations(t)) {
      if (op == until) return false;
      if (history_.kind(op) == OperationKind::Insert && !seen(set, history_.key(op), t).is_nil()) return true;
    }
    return false;
  }
  const VersionSet* state_of(TransactionId t) const {
    for (const OperationId op : history_.operations(t))
      if (const VersionSet* set = history_.certificate().version_set(op)) return set;
    return nullptr;
  }

  void check_version_set(OperationId op, const VersionSet& set) const {
    const TransactionId t = history_.transaction_of(op);
    if (history_.facts().at("isolation") == "repeatable-read" && has_inserted_twice(t, op, set)) return;
    std::map<KeyId, Value> state;
    for (const auto& [key, order] : orders_) state[key] = seen(set, key, t);
    for (const OperationId earlier : history_.operations(t)) {
      if (earlier == op) break;
      if (!writes(history_.kind(earlier))) continue;
      if (!is_predicate(history_.kind(earlier))) state[history_.key(earlier)] = history_.value(earlier);
      for (const Row& row : history_.rows(earlier)) state[row.key] = row.value;
    }
    if (!is_predicate(history_.kind(op))) {  // It found no row, and the version set says in which state.
      EXPECT_TRUE(history_.value(op).is_nil());
      EXPECT_TRUE(state[history_.key(op)].is_nil()) << history_.format_key(history_.key(op));
      return;
    }
    const std::optional<Query> query = query_of(history_, op);
    ASSERT_TRUE(query);
    const Table table(query->where);
    Aggregation aggregation(query->function);
    std::map<KeyId, Value> matching;
    std::vector<Scalar> row;
    for (const auto& [key, value] : state) {
      if (value.is_nil() || table.has(history_, key) != Truth::True) continue;
      read_columns(query->where.columns(), history_.key_value(key), value, history_.values(), row);
      const Truth truth = evaluate(query->where, row);
      EXPECT_NE(truth, Truth::Undefined);
      if (truth != Truth::True) continue;
      matching[key] = value;
      read_columns(query->argument.columns(), history_.key_value(key), value, history_.values(), row);
      aggregation.add(value_of(query->argument, row));
    }
    const std::string who = "transaction " + history_.format(history_.label(t));
    if (query->function != Query::Function::None) {
      EXPECT_TRUE(same(aggregation.result(), Scalar::of(history_.value(op), history_.values()))) << who;
      return;
    }
    std::map<KeyId, Value> returned;
    for (const Row& found : history_.rows(op)) returned[found.key] = found.value;
    if (history_.kind(op) != OperationKind::PredicateRead)
      for (auto* rows : {&returned, &matching})
        for (auto& [key, value] : *rows) value = Value::nil();
    const bool looks_again = history_.facts().at("isolation").starts_with("read-") &&
                             history_.kind(op) != OperationKind::PredicateRead;
    if (!looks_again) {
      EXPECT_EQ(returned, matching) << who;
      return;
    }
    // A row that has changed in the meantime is evaluated again and may no longer match.
    for (const auto& [key, value] : returned) EXPECT_TRUE(matching.contains(key)) << who;
  }

  const History& history_;
  // The last value that a transaction wrote to a key.
  std::map<std::pair<TransactionId, KeyId>, Value> last_;
  std::map<KeyId, std::vector<TransactionId>> orders_;
};

struct CheckedVisibility {
  std::size_t updates = 0, ranges = 0, item_reads = 0;
};

inline CheckedVisibility check_certificate(const History& history) {
  const CertifiedVersions versions(history);
  versions.check_orders();
  return {versions.check_updates(), versions.check_version_sets(), versions.check_item_reads()};
}

}  // namespace serval
