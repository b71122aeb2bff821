#include "serval/check/certificate/certified_reads.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/inference/key_kinds.h"
#include "serval/inference/read_write_sets.h"
#include "serval/inference/version_table.h"
#include "serval/predicate/row_columns.h"

namespace serval {
// Processes the operations of every transaction once, and remembers what it has written so far.
class CertifiedReader {
 public:
  CertifiedReader(const History& history, CertifiedReads& out, Budget& budget)
      : history_(history),
        versions_(out.versions_),
        out_(out),
        budget_(budget),
        by_value_(out.versions_.all().size()),
        own_(history.key_count()),
        installed_at_(history.key_count(), 0),
        changed_by_(history.key_count(), OperationId::none()) {
    for (const KeyId key : history.key_ids()) {
      const auto versions = versions_.of(key);
      for (std::uint32_t i = 1; i < versions.size(); ++i)
        by_value_.insert(key, versions[i].value, VersionId{i});
    }
    std::vector<bool> complete(history.key_count(), false);
    for (const KeyOrder& order : history.certificate().orders)
      if (order.complete) complete[order.key.index] = true;
    for (const TransactionId t : history.transactions())
      if (history.outcome(t) == Outcome::Indeterminate && !versions_.takes_part(t))
        note_unlisted(t, complete);
  }

  void run() {
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("certified reads");
      out_.first_read_.push_back(static_cast<std::uint32_t>(out_.reads_.size()));
      if (versions_.takes_part(t)) read(t);
      if (!out_.problem_.empty()) return;
    }
    out_.first_read_.push_back(static_cast<std::uint32_t>(out_.reads_.size()));
  }

 private:
  struct Own {
    TransactionId writer = TransactionId::none();  // The current transaction, or an earlier one.
    OperationId write;
    Value value;
  };

  void read(TransactionId t) {
    for (const CertifiedVersions::Installed& mine : versions_.installed_by(t))
      installed_at_[mine.key.index] = mine.position;
    own_keys_.clear();
    for (const OperationId op : history_.operations(t)) {
      const OperationKind kind = history_.kind(op);
      if (reads_register(kind))
        read_item(t, op, history_.key(op), value_seen(history_, op));
      else if (is_predicate(kind))
        read_predicate(t, op);
      for_each_write(history_, op, [&](KeyId key, Value value) {
        if (own(t, key) == nullptr) own_keys_.push_back(key);
        own_[key.index] = {t, op, value};
      });
    }
  }

  const Own* own(TransactionId t, KeyId key) const {
    return own_[key.index].writer == t ? &own_[key.index] : nullptr;
  }

  void read_item(TransactionId t, OperationId op, KeyId key, Value value) {
    if (value.is_unknown()) return;
    if (const Own* mine = own(t, key)) {
      if (mine->value.is_unknown())
        own_[key.index].value = value;  // This reveals what the transaction wrote.
      else if (mine->value != value)
        fault(AnomalyKind::NotMyOwnWrite, t, op, key, mine->write);
      return;
    }
    if (history_.kind(op) == OperationKind::Insert) return insert(t, op, key);
    const VersionSet* set = history_.certificate().version_set(op);
    if (set != nullptr) {
      const std::uint32_t seen = out_.visibility_.position(*set, t, key);
      if (!holds_value(key, seen, value)) return mismatch(t, op, key, seen);
      out_.reads_.push_back({op, key, seen});
      return;
    }
    find_version(t, op, key, value);
  }

  // An insert found the version that precedes its own. If that is a row, the insert found no row at
  // another time, and the consequences depend on the level, as for any read and write of the key.
  void insert(TransactionId t, OperationId op, KeyId key) {
    const std::uint32_t before = installed_at_[key.index] - 1;
    if (!holds_value(key, before, Value::nil())) return find_version(t, op, key, Value::nil());
    out_.reads_.push_back({op, key, before});
  }

  bool is_initial(Value value) const { return out_.is_initial(value); }
  bool holds_value(KeyId key, std::uint32_t position, Value value) const {
    return out_.holds_value(key, position, value);
  }

  // By its value alone, or, if several versions have it, by what another operation of the transaction
  // saw.
  void find_version(TransactionId t, OperationId op, KeyId key, Value value) {
    const VersionTable::Hit hit = by_value_.find(key, value);
    const bool initial = is_initial(value), written = hit.ambiguous || !hit.version.is_none();
    const bool own = written && !hit.ambiguous && versions_.of(key)[hit.version.index].installer == t;
    const bool by_others = written && !own;
    const bool certain = initial != by_others && !hit.ambiguous && !unlisted_.contains({key, value});
    if (!initial && !by_others) {
      find_fault(t, op, key, value);
    } else if (certain) {
      out_.reads_.push_back({op, key, initial ? 0 : hit.version.index});
    } else {
      out_.reads_.push_back({op, key, guess(t, key, value), true});
      out_.guessed_ = op;
    }
  }

  // The version that another operation of the transaction would have seen; otherwise the last fitting
  // version by a transaction before this one in the history; otherwise the first.
  std::uint32_t guess(TransactionId t, KeyId key, Value value) const {
    for (const OperationId other : history_.operations(t))
      if (const VersionSet* set = history_.certificate().version_set(other)) {
        const std::uint32_t seen = out_.visibility_.position(*set, t, key);
        if (holds_value(key, seen, value)) return seen;
      }
    const auto versions = versions_.of(key);
    std::uint32_t first = Matching::kNone;
    for (auto i = static_cast<std::uint32_t>(versions.size()); i-- > 0;) {
      if (!holds_value(key, i, value) || versions[i].installer == t) continue;
      if (i == 0 || versions[i].installer < t) return i;
      first = i;
    }
    return first;
  }

  // Notes the versions of `t` that the certificate does not exclude: those of keys without a complete
  // order.
  void note_unlisted(TransactionId t, const std::vector<bool>& complete) {
    for (const OperationId op : history_.operations(t))
      for_each_write(history_, op, [&](KeyId key, Value value) {
        if (!complete[key.index] && is_last_write(t, op, key)) unlisted_.emplace(key, value);
      });
  }

  // For a value that no version of another transaction has: finds out which transaction wrote it, if
  // any. An indeterminate transaction that may have left it behind explains it, even if others wrote it
  // too.
  void find_fault(TransactionId t, OperationId op, KeyId key, Value value) {
    OperationId own = OperationId::none(), overwritten = own, aborted = own;
    const auto note = [](OperationId& first, OperationId write) {
      if (first.is_none()) first = write;
    };
    for (const TransactionId writer : history_.transactions())
      for (const OperationId write : history_.operations(writer)) {
        if (!writes(write, key, value)) continue;
        if (history_.outcome(writer) == Outcome::Aborted)
          note(aborted, write);
        else if (writer == t)
          note(own, write);
        else if (!versions_.takes_part(writer) && is_last_write(writer, write, key))
          return refuse(t, writer);
        else
          note(overwritten, write);
      }
    if (!own.is_none()) return fault(AnomalyKind::FutureRead, t, op, key, own);
    if (!overwritten.is_none()) return fault(AnomalyKind::IntermediateRead, t, op, key, overwritten);
    if (!aborted.is_none()) return fault(AnomalyKind::AbortedRead, t, op, key, aborted);
    fault(AnomalyKind::ThinAirRead, t, op, key, OperationId::none());
  }

  bool writes(OperationId op, KeyId key, Value value) const {
    bool found = false;
    for_each_write(history_, op, [&](KeyId k, Value v) { found = found || (k == key && v == value); });
    return found;
  }
  bool is_last_write(TransactionId t, OperationId write, KeyId key) const {
    OperationId last = OperationId::none();
    for (const OperationId op : history_.operations(t))
      for_each_write(history_, op, [&](KeyId k, Value) { last = k == key ? op : last; });
    return last == write;
  }
  void refuse(TransactionId reader, TransactionId writer) {
    out_.problem_ = fmt::format(
        "transaction {} saw a write of the indeterminate transaction {}, which the certificate "
        "does not list",
        history_.format(history_.label(reader)), history_.format(history_.label(writer)));
  }

  void read_predicate(TransactionId t, OperationId op) {
    const std::optional<std::size_t> condition = out_.matching_.condition_of(op);
    const VersionSet* set = history_.certificate().version_set(op);
    if (!condition || set == nullptr) {
      out_.unseen_ = op;
      return;
    }
    if (sees_beyond_itself(t, *set, *condition)) return;
    const Query& query = out_.matching_.query(op);
    look(t, op, *set, *condition);
    add_own(*condition);
    if (history_.kind(op) == OperationKind::PredicateRead) add_deleted(t, *set, *condition);
    std::ranges::sort(expected_, {}, [](const Expected& row) { return std::pair(row.key, row.optional); });
    if (!out_.matching_.problem().empty()) {
      out_.problem_ = out_.matching_.problem();
      return;
    }
    if (query.function != Query::Function::None) return compare_aggregate(t, op, query);
    compare_rows(t, op, query);
  }

  // For every key that the transaction had not written before.
  void look(TransactionId t, OperationId op, const VersionSet& set, std::size_t condition) {
    const Matching& matching = out_.matching_;
    const bool locks = history_.kind(op) != OperationKind::PredicateRead &&
                       !std::holds_alternative<std::vector<SeenVersion>>(set.seen);
    if (locks)
      for (const Row& row : history_.rows(op)) changed_by_[row.key.index] = op;
    expected_.clear();
    matching.for_each_key(condition, [&](KeyId key) {
      if (own(t, key) != nullptr) return;
      const std::uint32_t shown = out_.visibility_.position(set, t, key);
      const bool changed = locks && changed_by_[key.index] == op;
      // A row that the operation changed was seen as the version that it replaced.
      std::uint32_t position = changed ? std::max(shown, installed_at_[key.index] - 1) : shown;
      bool matches = matching.matches(condition, key, position);
      if (locks && !changed && matches) {
        position = left_alone(t, key, condition, shown);
        matches = position == shown;
        if (!matches && matching.matches(condition, key, position)) out_.passed_by_ = op;
      }
      if (position != shown) out_.again_.push_back({op, key, position});
      if (matches) expected_.push_back({key, position, versions_.of(key)[position].value});
    });
  }

  // A row that it could have changed but did not had stopped matching when it was to be locked, or was
  // gone: a transaction that deletes a row and inserts another under its key leaves one version, of the
  // new row.
  std::uint32_t left_alone(TransactionId t, KeyId key, std::size_t condition, std::uint32_t shown) const {
    const auto versions = versions_.of(key);
    const std::uint32_t change = out_.matching_.around(condition, key, shown).after;
    const std::uint32_t end =
        change == Matching::kNone ? static_cast<std::uint32_t>(versions.size()) : change;
    for (std::uint32_t i = shown + 1; i < end; ++i)
      if (versions[i].installer != t && was_deleted_by(versions[i].installer, key)) return i;
    return change != Matching::kNone && versions[change].installer != t ? change : shown;
  }

  bool was_deleted_by(TransactionId t, KeyId key) const {
    bool deleted = false;
    for (const OperationId op : history_.operations(t))
      for_each_write(history_, op, [&](KeyId written, Value value) {
        deleted = deleted || (written == key && value.is_nil());
      });
    return deleted;
  }

  // A version that follows one which the transaction had yet to write: no execution allows this.
  bool sees_beyond_itself(TransactionId t, const VersionSet& set, std::size_t condition) {
    for (const CertifiedVersions::Installed& mine : versions_.installed_by(t)) {
      if (own(t, mine.key) != nullptr || !out_.matching_.covers(condition, mine.key)) continue;
      if (out_.visibility_.position(set, t, mine.key) < mine.position) continue;
      out_.problem_ =
          fmt::format("transaction {} saw a version of {} later than its own before it wrote the key",
                      history_.format(history_.label(t)), history_.format_key(mine.key));
      return true;
    }
    return false;
  }

  struct Expected {
    KeyId key;
    std::uint32_t position = Matching::kNone;  // kNone: the transaction's own version.
    Value value;
    bool optional = false;  // May be absent.
  };

  void add_own(std::size_t condition) {
    for (const KeyId key : own_keys_) {
      const Own& mine = own_[key.index];
      const std::uint32_t position = installed_at_[key.index];
      const bool stays = versions_.of(key)[position].write == mine.write;  // Not written again later.
      const bool matches =
          stays ? out_.matching_.covers(condition, key) && out_.matching_.matches(condition, key, position)
                : out_.matching_.matches_value(condition, key, mine.value);
      if (matches) expected_.push_back({key, Matching::kNone, mine.value});
    }
  }

  // A row inserted after a delete is a different object than the deleted row (Adya 1999, section 4.1). A
  // snapshot from before the delete still contains the deleted row, and PostgreSQL returns it next to
  // the new one; in other databases the new row hides it.
  void add_deleted(TransactionId t, const VersionSet& set, std::size_t condition) {
    for (const KeyId key : own_keys_) {
      const auto versions = versions_.of(key);
      const std::uint32_t mine = installed_at_[key.index];
      const std::uint32_t shown = out_.visibility_.position(set, t, key);
      if (!versions[mine - 1].value.is_nil() || shown + 1 >= mine) continue;
      if (out_.matching_.covers(condition, key) && out_.matching_.matches(condition, key, shown))
        expected_.push_back({key, shown, versions[shown].value, true});
    }
  }

  enum class Deleted : std::uint8_t { Hidden, Shown };
  Scalar aggregate(const Query& query, Deleted deleted) const {
    Aggregation aggregation(query.function);
    for (const Expected& row : expected_)
      if (!row.optional || deleted == Deleted::Shown)
        aggregation.add(query.argument == Condition()
                            ? Scalar::boolean(true)
                            : out_.matching_.value_of(query.argument, row.key, row.value));
    return aggregation.result();
  }

  void compare_aggregate(TransactionId t, OperationId op, const Query& query) {
    if (query.argument != Condition())
      for (const Expected& row : expected_)
        if (!row.optional) read_row(op, row);
    if (history_.value(op).is_unknown()) return;
    const Scalar reported = Scalar::of(history_.value(op), history_.values());
    const Scalar hidden = aggregate(query, Deleted::Hidden), shown = aggregate(query, Deleted::Shown);
    if (hidden.is_undefined() || shown.is_undefined())
      out_.problem_ = fmt::format("transaction {}: the result of an aggregate is undefined",
                                  history_.format(history_.label(t)));
    else if (!same(hidden, reported) && !same(shown, reported))
      fault(AnomalyKind::ResultSetMismatch, t, op, KeyId::none(), OperationId::none());
  }

  // Compares what an operation returned, changed or deleted with what it should have.
  void compare_rows(TransactionId t, OperationId op, const Query& query) {
    std::vector<Row> rows(history_.rows(op).begin(), history_.rows(op).end());
    std::ranges::sort(rows, {}, &Row::key);
    auto row = rows.begin();
    for (const Expected& expected : expected_) {
      if (row != rows.end() && row->key < expected.key) return surplus(t, op, *row);
      const auto end = std::find_if(row, rows.end(), [&](const Row& r) { return r.key != expected.key; });
      const auto fits = [&](const Row& r) { return is_right(op, query, r, expected) == Truth::True; };
      const auto found = std::find_if(row, end, fits);
      if (found == end && expected.optional) continue;
      if (found == end && row != end && is_right(op, query, *row, expected) == Truth::Undefined)
        return unlike(t, row->key);
      if (found == end) return mismatch(t, op, expected.key, expected.position);
      std::iter_swap(row, found);
      read_row(op, expected);
      ++row;
    }
    if (row != rows.end()) surplus(t, op, *row);
  }

  // Undefined: a column that one of the two rows has was not recorded in the other.
  Truth is_right(OperationId op, const Query& query, const Row& row, const Expected& expected) const {
    if (history_.kind(op) == OperationKind::PredicateRead) return truth_of(row.value == expected.value);
    if (history_.kind(op) == OperationKind::PredicateDelete) return Truth::True;
    if (query.assignments.empty()) return Truth::True;  // Not recorded.
    std::vector<std::string> names = column_names(expected.value, history_.values());
    std::ranges::copy(column_names(row.value, history_.values()), std::back_inserter(names));
    std::vector<Scalar> before, after;
    read_columns(names, history_.key_value(row.key), expected.value, history_.values(), before);
    read_columns(names, history_.key_value(row.key), row.value, history_.values(), after);
    Truth right = Truth::True;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto set = std::ranges::find(query.assignments, names[i], &Query::Assignment::column);
      const Scalar wanted = set == query.assignments.end()
                                ? before[i]  // Columns that are not assigned keep their values.
                                : out_.matching_.value_of(set->value, row.key, expected.value);
      const bool known = !wanted.is_undefined() && !after[i].is_undefined();
      right = both(right, known ? truth_of(same(wanted, after[i])) : Truth::Undefined);
    }
    return right;
  }

  void unlike(TransactionId t, KeyId key) {
    out_.problem_ =
        fmt::format("transaction {} updated {}, but the rows before and after do not have the same columns",
                    history_.format(history_.label(t)), history_.format_key(key));
  }

  void read_row(OperationId op, const Expected& row) {
    if (row.position != Matching::kNone) out_.reads_.push_back({op, row.key, row.position});
  }

  void surplus(TransactionId t, OperationId op, const Row& row) {
    if (own(t, row.key) != nullptr) return mismatch(t, op, row.key, Matching::kNone);
    const VersionSet* set = history_.certificate().version_set(op);
    mismatch(t, op, row.key, out_.visibility_.position(*set, t, row.key));
  }
  void mismatch(TransactionId t, OperationId op, KeyId key, std::uint32_t position) {
    const Own* const mine = position == Matching::kNone ? own(t, key) : nullptr;
    fault(AnomalyKind::ResultSetMismatch, t, op, key,
          mine != nullptr ? mine->write : versions_.of(key)[position].write);
  }
  void fault(AnomalyKind kind, TransactionId t, OperationId op, KeyId key, OperationId source) {
    out_.faults_.push_back({kind, BadRow{t, op, key, source}});
  }

  const History& history_;
  const CertifiedVersions& versions_;
  CertifiedReads& out_;
  Budget& budget_;
  VersionTable by_value_;                                  // Positions in the key's order.
  absl::flat_hash_set<std::pair<KeyId, Value>> unlisted_;  // Of transactions that may have participated.
  std::vector<Own> own_;                                   // By key.
  std::vector<KeyId> own_keys_;                            // Written by the current transaction so far.
  std::vector<std::uint32_t>
      installed_at_;                     // By key: the version of the current transaction, if it leaves one.
  std::vector<OperationId> changed_by_;  // By key: the last predicate operation that changed it.
  std::vector<Expected> expected_;
};

CertifiedReads::CertifiedReads(const History& history, const CertifiedVersions& versions,
                               const VersionVisibility& visibility, const Matching& matching, Budget& budget)
    : history_(history), versions_(versions), visibility_(visibility), matching_(matching) {
  CertifiedReader(history, *this, budget).run();
}

bool CertifiedReads::is_initial(Value value) const {
  return value.is_nil() || value == history_.initial_value();
}

bool CertifiedReads::holds_value(KeyId key, std::uint32_t position, Value value) const {
  return versions_.of(key)[position].value == value || (position == 0 && is_initial(value));
}

// At least one exists: the guessed version.
std::uint32_t CertifiedReads::earliest_alike(TransactionId t, const Read& read) const {
  const Value value = value_seen(history_, read.op);
  for (std::uint32_t i = 0; i < read.position; ++i)
    if (holds_value(read.key, i, value) && versions_.of(read.key)[i].installer != t) return i;
  return read.position;
}

std::vector<KeyId> CertifiedReads::written_before(TransactionId t, OperationId op) const {
  std::vector<KeyId> keys;
  for (const OperationId before : history_.operations(t)) {
    if (before == op) break;
    for_each_write(history_, before, [&](KeyId key, Value) { keys.push_back(key); });
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

std::optional<CertifiedReads::Asked> CertifiedReads::asked_by(TransactionId t, OperationId op) const {
  if (!is_predicate(history_.kind(op))) return std::nullopt;
  const VersionSet* set = history_.certificate().version_set(op);
  const std::optional<std::size_t> condition = matching_.condition_of(op);
  if (set == nullptr || !condition) return std::nullopt;
  return Asked{.t = t,
               .op = op,
               .set = set,
               .condition = *condition,
               .again = {std::ranges::lower_bound(again_, op, {}, &Read::op),
                         std::ranges::upper_bound(again_, op, {}, &Read::op)}};
}

bool CertifiedReads::find_suspects(const Asked& asked, Vertex place, const MisplacedWriters& misplaced,
                                   std::vector<KeyId>& suspects) const {
  suspects.clear();
  for (const Read& again : asked.again) suspects.push_back(again.key);
  const bool few =
      misplaced.for_each(*asked.set, place, matching_.key_count(asked.condition), [&](TransactionId writer) {
        for (const CertifiedVersions::Installed& version : versions_.installed_by(writer))
          if (matching_.covers(asked.condition, version.key)) suspects.push_back(version.key);
      });
  std::ranges::sort(suspects);
  suspects.erase(std::unique(suspects.begin(), suspects.end()), suspects.end());
  return few;
}

}  // namespace serval
