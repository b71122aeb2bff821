#include "metamorphic/rebuild.h"

#include "serval/history/history_builder.h"

namespace serval::metamorphic {
namespace {

class Rebuilding {
 public:
  Rebuilding(const History& history, const std::vector<TransactionId>& order)
      : history_(history), order_(order), places_(history.transaction_count()) {
    for (std::uint32_t i = 0; i < order.size(); ++i) places_[order[i].index] = TransactionId{i};
  }

  History run(Certificates certificates) {
    builder_.set_initial_value(value(history_.initial_value()));
    for (const SessionId s : history_.sessions()) builder_.session(value(history_.session_label(s)));
    for (const TransactionId t : order_) add(t, certificates);
    for (const auto& [name, text] : history_.facts()) builder_.set_fact(name, text);
    if (certificates == Certificates::Keep) add_orders();
    return std::move(builder_).freeze();
  }

 private:
  Value value(Value from) {
    const ValuePool& pool = history_.values();
    switch (from.kind()) {
      case Value::Kind::Number:
        return builder_.values().number(pool.characters(from));
      case Value::Kind::Text:
        return builder_.values().text(pool.characters(from));
      case Value::Kind::Row:
        return builder_.values().row(pool.characters(from));
      case Value::Kind::List: {
        std::vector<Value> elements;
        for (const Value element : pool.elements(from)) elements.push_back(value(element));
        return builder_.values().list(elements);
      }
      default:
        return from;
    }
  }
  KeyId key(KeyId from) { return from.is_none() ? from : builder_.key(value(history_.key_value(from))); }
  TransactionId transaction(TransactionId from) const { return from.is_none() ? from : places_[from.index]; }

  Predicate predicate(const Predicate& from) {
    Predicate out{from.node, from.name, value(from.literal), {}};
    for (const Predicate& child : from.children) out.children.push_back(predicate(child));
    return out;
  }

  void add(TransactionId from, Certificates certificates) {
    const TransactionId t = builder_.begin_transaction(
        builder_.session(value(history_.session_label(history_.session(from)))), value(history_.label(from)));
    builder_.set_outcome(t, history_.outcome(from));
    builder_.set_interval(t, history_.interval(from));
    if (const TransactionHints* hints = history_.hints(from)) builder_.set_hints(t, *hints);
    for (const OperationId op : history_.operations(from)) {
      builder_.add(t, operation(op));
      const VersionSet* const seen = history_.certificate().version_set(op);
      if (seen != nullptr && certificates == Certificates::Keep)
        builder_.add_version_set(OperationId{static_cast<std::uint32_t>(builder_.operation_count() - 1)},
                                 version_set(*seen));
    }
  }

  Operation operation(OperationId from) {
    Operation op = history_.operation(from);
    op.key = key(op.key);
    op.value = value(op.value);
    op.expected = value(op.expected);
    if (!op.predicate.is_none())
      op.predicate = builder_.predicate(predicate(history_.predicate(op.predicate)));
    for (Row& row : op.rows) row = {key(row.key), value(row.value)};
    return op;
  }

  VersionSet version_set(VersionSet set) {
    if (auto* const versions = std::get_if<std::vector<SeenVersion>>(&set.seen))
      for (SeenVersion& version : *versions) version = {key(version.key), transaction(version.installer)};
    return set;
  }

  void add_orders() {
    for (KeyOrder order : history_.certificate().orders) {
      order.key = key(order.key);
      for (TransactionId& installer : order.installers) installer = transaction(installer);
      builder_.add_order(std::move(order));
    }
    if (history_.certificate().ordered_by_commit) builder_.set_ordered_by_commit();
  }

  const History& history_;
  const std::vector<TransactionId>& order_;
  std::vector<TransactionId> places_;  // By old id.
  HistoryBuilder builder_;
};

}  // namespace

History rebuilt(const History& history, const std::vector<TransactionId>& order, Certificates certificates) {
  return Rebuilding(history, order).run(certificates);
}

}  // namespace serval::metamorphic
