#include <algorithm>

#include <fmt/format.h>

#include "serval/predicate/evaluate.h"
#include "serval/predicate/row_columns.h"
#include "serval/verify/certificate.h"
#include "serval/verify/name.h"

// Each claim that rests on a certificate is proven separately: the edges of a cycle, a row that does not
// fit, an order of the transactions.

namespace serval::verify {
namespace {

Flaw flaw_of_parties(const CertifiedFacts& facts, const Edge& edge) {
  for (const TransactionId t : {edge.from, edge.to}) {
    if (t.index >= facts.history().transaction_count()) return "cites a transaction that does not exist";
    if (!facts.takes_part(t)) return fmt::format("{} does not take part", name(facts.history(), t));
  }
  return edge.from == edge.to ? Flaw("leads from a transaction to itself") : std::nullopt;
}

Flaw flaw_of_version(const CertifiedFacts& facts, TransactionId t, KeyId key, OperationId write) {
  if (!facts.position(t, key)) return fmt::format("{} left no version of the key", name(facts.history(), t));
  return facts.last_write(t, key) == write ? std::nullopt : Flaw("cites a write that is not the last one");
}

Flaw flaw_of_membership(const CertifiedFacts& facts, TransactionId t, OperationId op) {
  for (const OperationId own : facts.history().operations(t))
    if (own == op) return std::nullopt;
  return fmt::format("cites an operation that {} does not have", name(facts.history(), t));
}

// A predicate dependency: `change` is the version that starts or stops matching.
Flaw flaw_of_predicate_edge(const CertifiedFacts& facts, const Edge& edge) {
  const bool reads = edge.kind == EdgeKind::WriteRead;
  const TransactionId reader = reads ? edge.to : edge.from, writer = reads ? edge.from : edge.to;
  const OperationId op = reads ? edge.to_op : edge.from_op, write = reads ? edge.from_op : edge.to_op;
  if (Flaw flaw = flaw_of_membership(facts, reader, op)) return flaw;
  if (Flaw flaw = flaw_of_version(facts, writer, edge.key, write)) return flaw;
  const Query* const asked = facts.query(op);
  const std::optional<std::size_t> seen = facts.seen(op, edge.key);
  if (!asked || !seen) return "cites an operation without a predicate or a version set";
  if (!facts.last_write(reader, edge.key, op).is_none()) return "the reader had written the key itself";
  const std::size_t change = *facts.position(writer, edge.key);
  if (!facts.changes(*asked, edge.key, change))
    return "the version does not change what the predicate matches";
  if (reads == (change <= *seen)) return std::nullopt;
  return reads ? "the change comes after what was seen" : "the change was visible";
}

Flaw flaw_of_item_edge(const CertifiedFacts& facts, const Edge& edge) {
  if (edge.kind == EdgeKind::WriteWrite) {
    if (Flaw flaw = flaw_of_version(facts, edge.from, edge.key, edge.from_op)) return flaw;
    if (Flaw flaw = flaw_of_version(facts, edge.to, edge.key, edge.to_op)) return flaw;
    const bool before = *facts.position(edge.from, edge.key) < *facts.position(edge.to, edge.key);
    return before ? std::nullopt : Flaw("the certificate orders the two versions the other way round");
  }
  const bool reads = edge.kind == EdgeKind::WriteRead;
  const TransactionId reader = reads ? edge.to : edge.from, writer = reads ? edge.from : edge.to;
  const OperationId op = reads ? edge.to_op : edge.from_op, write = reads ? edge.from_op : edge.to_op;
  if (Flaw flaw = flaw_of_membership(facts, reader, op)) return flaw;
  if (Flaw flaw = flaw_of_version(facts, writer, edge.key, write)) return flaw;
  const std::optional<std::size_t> seen = facts.item_seen(op, edge.key);
  if (!seen) return "it is not certain which version the operation saw";
  const std::size_t version = *facts.position(writer, edge.key);
  if (reads) return version == *seen ? std::nullopt : Flaw("the operation saw another version");
  return version > *seen ? std::nullopt : Flaw("the version is not later than what was seen");
}

Flaw flaw_of_edge_by_certificate(const CertifiedFacts& facts, const Edge& edge) {
  const History& history = facts.history();
  if (Flaw flaw = flaw_of_parties(facts, edge)) return flaw;
  switch (edge.kind) {
    case EdgeKind::Session:
      return history.session(edge.from) == history.session(edge.to) && edge.from < edge.to
                 ? std::nullopt
                 : Flaw("the session did not run them in this order");
    case EdgeKind::RealTime:
      return history.outcome(edge.from) == Outcome::Committed &&
                     history.interval(edge.from).end < history.interval(edge.to).begin
                 ? std::nullopt
                 : Flaw("the first had not ended before the second began");
    case EdgeKind::CommitOrder:
      return "a certificate does not give a commit order";
    default:
      break;
  }
  if (edge.key.index >= history.key_count()) return "cites a key that does not exist";
  if (edge.basis != OrderBasis::Certificate) return "does not rest on the certificate";
  return edge.of_predicate ? flaw_of_predicate_edge(facts, edge) : flaw_of_item_edge(facts, edge);
}

bool value_was_written(const CertifiedFacts& facts, KeyId key, Value value, bool by_aborted) {
  const History& history = facts.history();
  for (const TransactionId t : history.transactions()) {
    if (!by_aborted && !facts.takes_part(t)) continue;
    for (const OperationId op : history.operations(t)) {
      if (!is_predicate(history.kind(op)) && history.key(op) != key) continue;
      const OperationId write = facts.last_write(t, key, OperationId{op.index + 1});
      if (write == op && facts.value_of(op, key) == value) return true;
    }
  }
  return false;
}

// A read of an item whose value no version of the certificate explains.
Flaw flaw_of_read(const CertifiedFacts& facts, AnomalyKind kind, const BadRow& claim) {
  const History& history = facts.history();
  const std::optional<Value> value = value_read(history, claim.op);
  if (!value || history.key(claim.op) != claim.key) return "cites an operation that does not read the key";
  const OperationId own = facts.last_write(claim.reader, claim.key, claim.op);
  if (kind == AnomalyKind::NotMyOwnWrite) {
    if (own.is_none() || own != claim.source) return "the reader had not written the key";
    return facts.value_of(own, claim.key) == *value ? Flaw("the reader saw its own write") : std::nullopt;
  }
  for (std::size_t i = 0; i < facts.order(claim.key).size(); ++i)
    if (facts.value_at(claim.key, i) == *value &&
        (kind != AnomalyKind::FutureRead || facts.order(claim.key)[i] != claim.reader))
      return "some version has that value";
  if (value->is_nil()) return "the initial version has no value";
  if (kind == AnomalyKind::ThinAirRead)
    return value_was_written(facts, claim.key, *value, true) ? Flaw("some transaction wrote the value")
                                                             : std::nullopt;
  if (claim.source.is_none() || facts.value_of(claim.source, claim.key) != *value)
    return "the source did not write the value";
  const TransactionId writer = history.transaction_of(claim.source);
  const bool aborted = history.outcome(writer) == Outcome::Aborted;
  for (const TransactionId t : history.transactions())
    if (!facts.takes_part(t) && history.outcome(t) == Outcome::Indeterminate)
      if (const OperationId last = facts.last_write(t, claim.key);
          !last.is_none() && facts.value_of(last, claim.key) == *value)
        return "an indeterminate transaction may have left it behind";
  if (kind == AnomalyKind::AbortedRead) return !aborted ? Flaw("its writer did not abort") : std::nullopt;
  if (kind == AnomalyKind::FutureRead)
    return writer == claim.reader && claim.op <= claim.source ? std::nullopt
                                                              : Flaw("it is not the reader's own write");
  if (kind != AnomalyKind::IntermediateRead) return "is not an anomaly of a read";
  return facts.last_write(writer, claim.key) != claim.source ? std::nullopt
                                                             : Flaw("it was its writer's last write");
}

// What the key should hold for the operation: its own write, or the version visible to its version set.
struct Held {
  Value value;
  OperationId write = OperationId::none();
};
std::optional<Held> held(const CertifiedFacts& facts, const BadRow& claim) {
  const OperationId own = facts.last_write(claim.reader, claim.key, claim.op);
  if (!own.is_none()) return Held{facts.value_of(own, claim.key), own};
  // Inserts do not use the snapshot.
  if (facts.history().kind(claim.op) == OperationKind::Insert) return std::nullopt;
  const std::optional<std::size_t> seen = facts.seen(claim.op, claim.key);
  if (!seen) return std::nullopt;
  const TransactionId installer = facts.order(claim.key)[*seen];
  return Held{facts.value_at(claim.key, *seen),
              installer.is_none() ? OperationId::none() : facts.last_write(installer, claim.key)};
}

bool update_is_right(const CertifiedFacts& facts, const Query& query, const Row& row, Value old) {
  const History& history = facts.history();
  for (const Query::Assignment& assignment : query.assignments) {
    std::vector<Scalar> before, after;
    const std::vector<std::string> column{assignment.column};
    read_columns(column, history.key_value(row.key), row.value, history.values(), after);
    read_columns(assignment.value.columns(), history.key_value(row.key), old, history.values(), before);
    const Scalar wanted = value_of(assignment.value, before);
    if (!wanted.is_undefined() && !after[0].is_undefined() && !same(wanted, after[0])) return false;
  }
  if (query.assignments.empty()) return true;
  for (const Value side : {old, row.value})
    for (const std::string& name : column_names(side, history.values())) {
      if (std::ranges::find(query.assignments, name, &Query::Assignment::column) != query.assignments.end())
        continue;
      std::vector<Scalar> before, after;
      const std::vector<std::string> column{name};
      read_columns(column, history.key_value(row.key), old, history.values(), before);
      read_columns(column, history.key_value(row.key), row.value, history.values(), after);
      if (!before[0].is_undefined() && !after[0].is_undefined() && !same(before[0], after[0])) return false;
    }
  return true;
}

// Computed with and without deleted rows under whose keys the reader has inserted its own rows.
Flaw flaw_of_aggregate(const CertifiedFacts& facts, const Query& query, const BadRow& claim) {
  const History& history = facts.history();
  Aggregation without(query.function), with(query.function);
  const auto argument = [&](KeyId key, Value value) {
    std::vector<Scalar> row;
    read_columns(query.argument.columns(), history.key_value(key), value, history.values(), row);
    return query.argument == Condition() ? Scalar::boolean(true) : value_of(query.argument, row);
  };
  for (const KeyId key : history.key_ids()) {
    const std::optional<Held> there = held(facts, {claim.reader, claim.op, key});
    const std::optional<bool> matches = there ? facts.matches(query, key, there->value) : std::nullopt;
    if (!matches) return "whether a version matches is not defined";
    if (const std::optional<std::size_t> deleted = facts.deleted_row(claim.op, key))
      with.add(argument(key, facts.value_at(key, *deleted)));
    if (!*matches) continue;
    without.add(argument(key, there->value));
    with.add(argument(key, there->value));
  }
  const Scalar reported = Scalar::of(history.value(claim.op), history.values());
  return same(without.result(), reported) || same(with.result(), reported) ? Flaw("the aggregate is correct")
                                                                           : std::nullopt;
}

// The rows of one key that the operation returned, except a deleted row next to the reader's own.
std::vector<Row> rows_of_key(const CertifiedFacts& facts, const BadRow& claim, Value own) {
  std::vector<Row> rows;
  for (const Row& row : facts.history().rows(claim.op))
    if (row.key == claim.key) rows.push_back(row);
  const std::optional<std::size_t> deleted = facts.deleted_row(claim.op, claim.key);
  if (!deleted) return rows;
  const Value value = facts.value_at(claim.key, *deleted);
  const auto found = std::ranges::find(rows, value, &Row::value);
  if (found != rows.end() && (value != own || rows.size() > 1)) rows.erase(found);
  return rows;
}

Flaw flaw_of_mismatch(const CertifiedFacts& facts, const BadRow& claim) {
  const History& history = facts.history();
  const OperationKind kind = history.kind(claim.op);
  if (!is_predicate(kind)) {
    if (history.key(claim.op) != claim.key) return "cites an operation on another key";
    const std::optional<Held> there = held(facts, claim);
    const std::optional<Value> value = value_read(history, claim.op);
    if (!there || !value) return "has no version set";
    return there->value == *value || (there->write.is_none() && value->is_nil())
               ? Flaw("the operation saw the version in its version set")
               : std::nullopt;
  }
  const Query* const query = facts.query(claim.op);
  if (!query) return "cites an operation without a predicate";
  if (query->function != Query::Function::None) return flaw_of_aggregate(facts, *query, claim);
  if (claim.key.is_none()) return "cites no row";
  const std::optional<Held> there = held(facts, claim);
  const std::optional<bool> matches = there ? facts.matches(*query, claim.key, there->value) : std::nullopt;
  if (!matches) return "whether the row matches is not defined";
  const std::vector<Row> rows = rows_of_key(facts, claim, there->value);
  if (rows.size() != (*matches ? 1 : 0)) return std::nullopt;
  if (rows.empty()) return "the row neither matches nor was returned";
  const Row* row = rows.data();
  if (kind == OperationKind::PredicateRead && row->value != there->value) return std::nullopt;
  if (kind == OperationKind::PredicateUpdate && !update_is_right(facts, *query, *row, there->value))
    return std::nullopt;
  return "the row is correct";
}

// Compares the version at which an item was read, or that a write replaced, with the snapshot.
Flaw flaw_of_snapshot(const CertifiedFacts& facts, const BadRow& claim) {
  const History& history = facts.history();
  const VersionSet* common = nullptr;
  for (const OperationId op : history.operations(claim.reader)) {
    const VersionSet* set = history.certificate().version_set(op);
    if (set == nullptr) continue;
    if (common != nullptr && !(*common == *set)) return "the transaction has several snapshots";
    common = set;
  }
  if (common == nullptr) return "the transaction has no snapshot";
  const auto asked = history.facts().find("isolation");
  if (asked != history.facts().end() && asked->second.starts_with("read-"))
    return "every statement had a snapshot of its own";
  std::size_t shown = 0;
  for (std::size_t i = 1; i < facts.order(claim.key).size(); ++i)
    if (facts.order(claim.key)[i] != claim.reader && facts.is_shown(*common, claim.key, i)) shown = i;
  const std::optional<std::size_t> own = facts.position(claim.reader, claim.key);
  const bool overwrote = own && facts.last_write(claim.reader, claim.key) == claim.op && *own > 0 &&
                         *own - 1 != shown && !facts.value_at(claim.key, *own - 1).is_nil();
  if (overwrote) return std::nullopt;
  const std::optional<std::size_t> read = facts.item_seen(claim.op, claim.key);
  if (!read) return "it is not certain which version was read";
  if (history.kind(claim.op) == OperationKind::Insert) return "an insert does not use the snapshot";
  return *read == shown ? Flaw("the snapshot shows what was read") : std::nullopt;
}

// Adya's dependencies of one transaction, directly from the definitions: every earlier change, every
// later one.
class Dependencies {
 public:
  Dependencies(const CertifiedFacts& facts, Level level, std::vector<std::size_t> place)
      : facts_(facts), history_(facts.history()), place_(std::move(place)) {
    reads_ = implies(level, Level::ReadCommitted);
    items_ = implies(level, Level::RepeatableRead);
    predicates_ = implies(level, Level::Serializable);
  }

  Flaw flaw(TransactionId t) const {
    for (const OperationId op : history_.operations(t)) {
      if (reads_ && is_aggregate(op) && !flaw_of_mismatch(facts_, {t, op}))
        return fmt::format("{} does not return what its version set shows",
                           print_in_transaction(history_, op));
      for (const KeyId key : history_.key_ids())
        if (is_predicate(history_.kind(op)) || history_.key(op) == key)
          if (Flaw flaw = flaw_of_key(t, op, key)) return flaw;
    }
    return std::nullopt;
  }

 private:
  bool is_aggregate(OperationId op) const {
    if (!is_predicate(history_.kind(op))) return false;
    const Query* const query = facts_.query(op);
    return query && query->function != Query::Function::None;
  }
  bool forward(TransactionId from, TransactionId to) const {
    return from.is_none() || from == to || place_[from.index] < place_[to.index];
  }
  Flaw against(TransactionId from, TransactionId to, KeyId key) const {
    return fmt::format("{} depends on {} by {} but comes before it", name(history_, to), name(history_, from),
                       history_.format_key(key));
  }

  Flaw flaw_of_key(TransactionId t, OperationId op, KeyId key) const {
    const std::vector<TransactionId>& order = facts_.order(key);
    if (facts_.last_write(t, key) == op) {
      const TransactionId before = order[*facts_.position(t, key) - 1];
      if (!forward(before, t)) return against(before, t, key);
    }
    if (!reads_) return std::nullopt;
    if (history_.kind(op) == OperationKind::PredicateRead && !flaw_of_mismatch(facts_, {t, op, key}))
      return fmt::format("{} does not return what its version set shows", print_in_transaction(history_, op));
    const auto several = items_ ? CertifiedFacts::Several::AsOthersSee : CertifiedFacts::Several::Earliest;
    if (Flaw flaw = flaw_of_item(t, op, key)) return flaw;
    if (const std::optional<std::size_t> seen = facts_.item_seen(op, key, several)) {
      if (!forward(order[*seen], t)) return against(order[*seen], t, key);
      if (items_ && *seen + 1 < order.size() && !forward(t, order[*seen + 1]))
        return against(t, order[*seen + 1], key);
    }
    const bool is_own = !facts_.last_write(t, key, op).is_none();
    return is_predicate(history_.kind(op)) && !is_own ? flaw_of_predicate(t, op, key) : std::nullopt;
  }

  // A read of one key returns the transaction's own write if there is one, or else the value of some version.
  Flaw flaw_of_item(TransactionId t, OperationId op, KeyId key) const {
    const std::optional<Value> value =
        is_predicate(history_.kind(op)) ? std::nullopt : value_read(history_, op);
    if (!value || value->is_unknown()) return std::nullopt;
    const OperationId own = facts_.last_write(t, key, op);
    const auto explains = [&](Value held) { return held == *value || held.is_unknown(); };
    bool explained = own.is_none() ? may_be_initial(history_, *value) : explains(facts_.value_of(own, key));
    for (std::size_t i = 1; own.is_none() && i < facts_.order(key).size(); ++i)
      explained = explained || explains(facts_.value_at(key, i));
    if (explained) return std::nullopt;
    return fmt::format("nothing explains {}", print_in_transaction(history_, op));
  }

  Flaw flaw_of_predicate(TransactionId t, OperationId op, KeyId key) const {
    const std::vector<TransactionId>& order = facts_.order(key);
    const Query* const query = facts_.query(op);
    const std::optional<std::size_t> seen = facts_.seen(op, key);
    if (!query || !seen) return "an operation without a predicate or a version set";
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (!facts_.changes(*query, key, i)) continue;
      if (i <= *seen && !forward(order[i], t)) return against(order[i], t, key);
      if (i > *seen && predicates_ && !forward(t, order[i])) return against(t, order[i], key);
    }
    return std::nullopt;
  }

  const CertifiedFacts& facts_;
  const History& history_;
  std::vector<std::size_t> place_;
  bool reads_, items_, predicates_;
};

}  // namespace

bool is_certified(const Anomaly& anomaly) {
  if (std::holds_alternative<BadRow>(anomaly.evidence)) return true;
  const auto* cycle = std::get_if<Cycle>(&anomaly.evidence);
  return cycle != nullptr &&
         std::ranges::find(cycle->edges, OrderBasis::Certificate, &Edge::basis) != cycle->edges.end();
}

Flaw flaw_of_certified(const CertifiedFacts& facts, AnomalyKind kind, const Cycle& claim) {
  if (facts.flaw_of_refutation()) return facts.flaw_of_refutation();
  if (claim.edges.size() < 2) return "a cycle of one transaction";
  for (std::size_t i = 0; i < claim.edges.size(); ++i) {
    if (const Flaw flaw = flaw_of_edge_by_certificate(facts, claim.edges[i]))
      return fmt::format("edge {}: {}", i + 1, *flaw);
    if (claim.edges[i].to != claim.edges[(i + 1) % claim.edges.size()].from)
      return fmt::format("edge {} does not connect to the next", i + 1);
  }
  if (!claim.visibility_paths.empty()) return "a cycle that rests on a certificate has no visibility paths";
  return flaw_of_name(kind, claim);
}

Flaw flaw_of_certified(const CertifiedFacts& facts, AnomalyKind kind, const BadRow& claim) {
  const History& history = facts.history();
  if (facts.flaw_of_refutation()) return facts.flaw_of_refutation();
  if (claim.reader.index >= history.transaction_count() || !facts.takes_part(claim.reader))
    return "cites a transaction that does not take part";
  if (Flaw flaw = flaw_of_membership(facts, claim.reader, claim.op)) return flaw;
  if (!claim.key.is_none() && claim.key.index >= history.key_count())
    return "cites a key that does not exist";
  if (kind == AnomalyKind::ResultSetMismatch) return flaw_of_mismatch(facts, claim);
  if (claim.key.is_none()) return "cites no key";
  if (kind == AnomalyKind::OutsideSnapshot) return flaw_of_snapshot(facts, claim);
  return flaw_of_read(facts, kind, claim);
}

Flaw flaw_of_certified_order(const CertifiedFacts& facts, Level level,
                             const std::vector<TransactionId>& order) {
  if (facts.flaw()) return facts.flaw();
  std::vector<std::size_t> place(facts.history().transaction_count(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i].index] = i;
  for (const TransactionId t : facts.history().transactions())
    if (facts.takes_part(t) != (std::ranges::find(order, t) != order.end()))
      return fmt::format("{} takes part in only one of the two orders", name(facts.history(), t));
  const Dependencies dependencies(facts, level, std::move(place));
  for (const TransactionId t : order)
    if (Flaw flaw = dependencies.flaw(t)) return flaw;
  return std::nullopt;
}

}  // namespace serval::verify
