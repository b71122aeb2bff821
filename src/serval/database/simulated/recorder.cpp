#include "serval/database/simulated/recorder.h"

#include <array>
#include <utility>

#include "serval/base/contract.h"

namespace serval::simulated {
namespace {

using Node = Predicate::Node;
using Times = SimulationOptions::Times;

Predicate node_of(Node node, std::string name, std::vector<Predicate> children) {
  return {.node = node, .name = std::move(name), .literal = Value::nil(), .children = std::move(children)};
}
Predicate column(std::string name) { return node_of(Node::Column, std::move(name), {}); }
Predicate literal(std::int64_t number) {
  return {.node = Node::Literal, .name = {}, .literal = Value::integer(number), .children = {}};
}

Predicate condition_of(const RowRange& range) {
  const Predicate over = column(range.column == RowRange::Column::Key ? "key" : "place");
  if (range.spelling == RowRange::Spelling::Between)
    return node_of(Node::Between, "", {over, literal(range.low), literal(range.high)});
  return node_of(Node::And, "",
                 {node_of(Node::Compare, ">=", {over, literal(range.low)}),
                  node_of(Node::Compare, "<=", {over, literal(range.high)})});
}

Predicate aggregate_of(const RowRequest& request) {
  static constexpr std::array<const char*, 5> kNames{"count", "count", "min", "max", "sum"};
  std::vector<Predicate> parts;
  if (request.function != RowRequest::Function::CountAll) parts.push_back(column("place"));
  parts.push_back(condition_of(request.range));
  return node_of(Node::Aggregate, kNames[static_cast<std::size_t>(request.function)], std::move(parts));
}

// SET place = (place + step) % places, value = tag
Predicate update_of(const RowRequest& request, std::int64_t tag) {
  const Predicate further = node_of(Node::Arithmetic, "+", {column("place"), literal(request.step)});
  const Predicate place = node_of(Node::Arithmetic, "%", {further, literal(request.places)});
  return node_of(Node::Update, "",
                 {condition_of(request.range), node_of(Node::Set, "place", {place}),
                  node_of(Node::Set, "value", {literal(tag)})});
}

bool is_computed(const RowRequest& request) {
  return request.kind == RowRequest::Kind::UpdateRange && request.step > 0;
}

TransactionHints timestamps(const Transaction& transaction) {
  const Position snapshot = transaction.view->snapshot;
  const Position start = snapshot == kNoPosition ? transaction.begin_position : snapshot;
  TransactionHints hints{.start_timestamp = static_cast<std::int64_t>(start)};
  if (transaction.commit_position)
    hints.commit_timestamp = static_cast<std::int64_t>(*transaction.commit_position);
  return hints;
}

}  // namespace

Recorder::Recorder(const SimulationOptions& options, Value initial_value)
    : times_(options.times), certificate_(options.certificate), has_rows_(plans_rows(options.workload)) {
  if (certificate_ == Certificate::Auto)
    certificate_ = has_rows_ ? Certificate::Timestamps : Certificate::None;
  builder_.set_initial_value(initial_value);
  for (std::uint32_t session = 0; session < options.sessions; ++session)
    builder_.session(Value::integer(session + 1));
}

void Recorder::add(TransactionId t, const RecordedOperation& operation) {
  const KeyId key = key_id(operation.key);
  if (times_ != Times::Operations && !is_conditional(operation.kind))
    return builder_.add(t, operation.kind, key, operation.value);
  builder_.add(t, {.kind = operation.kind,
                   .key = key,
                   .value = operation.value,
                   .expected = operation.expected,
                   .time = times_ == Times::Operations ? operation.time : Interval{}});
}

// A commit whose response is lost may take effect at any time.
void Recorder::record(const PlannedTransaction& transaction, Outcome outcome, Time end) {
  const TransactionId t =
      builder_.begin_transaction(SessionId{transaction.session}, Value::integer(++last_label_));
  for (const RecordedOperation& operation : transaction.operations) {
    if (is_predicate(operation.kind))
      add_range(t, operation, transaction.ranges[operation.key]);
    else
      add(t, operation);
  }
  builder_.set_outcome(t, outcome);
  if (times_ != Times::None)
    builder_.set_interval(t, {transaction.begin, outcome == Outcome::Indeterminate ? kUnknownEnd : end});
  if (has_rows_ && transaction.commit_position) note_versions(t, transaction);
  if (certificate_ != Certificate::None && transaction.view) builder_.set_hints(t, timestamps(transaction));
}

// Ranges.

// A tree with a tag is used once; there are few others, so they are shared.
PredicateId Recorder::predicate(const RecordedRange& range) {
  const RowRequest& request = range.request;
  if (is_computed(request)) return builder_.predicate(update_of(request, range.tag));
  const bool aggregates = request.kind == RowRequest::Kind::Aggregate;
  const RangeName name{aggregates,
                       aggregates ? static_cast<int>(request.function) : 0,
                       static_cast<int>(request.range.column),
                       static_cast<int>(request.range.spelling),
                       request.range.low,
                       request.range.high};
  const auto [found, fresh] = predicates_.try_emplace(name);
  if (fresh)
    found->second = builder_.predicate(aggregates ? aggregate_of(request) : condition_of(request.range));
  return found->second;
}

VersionSet Recorder::version_set(const RecordedRange& range) {
  if (certificate_ != Certificate::Full) return {static_cast<std::int64_t>(range.snapshot)};
  std::vector<SeenVersion> seen;
  for (const auto& [key, position] : range.examined) {
    expects(position <= installers_.size(), "commits are recorded in their order");
    seen.push_back({key_id(key), installers_[position - 1]});
  }
  return {std::move(seen)};
}

void Recorder::add_range(TransactionId t, const RecordedOperation& operation, const RecordedRange& range) {
  Operation out{.kind = operation.kind,
                .value = operation.value,
                .time = times_ == Times::Operations ? operation.time : Interval{},
                .predicate = predicate(range)};
  for (const auto& [key, value] : range.rows) out.rows.push_back({key_id(key), value});
  builder_.add(t, out);
  if (certificate_ == Certificate::None) return;
  const auto op = OperationId{static_cast<std::uint32_t>(builder_.operation_count() - 1)};
  builder_.add_version_set(op, version_set(range));
}

void Recorder::note_versions(TransactionId t, const PlannedTransaction& transaction) {
  expects(*transaction.commit_position == installers_.size() + 1, "commits are recorded in their order");
  installers_.push_back(t);
  if (certificate_ != Certificate::Orders && certificate_ != Certificate::Full) return;
  for (const PendingWrite& write : transaction.writes) {
    if (write.key >= versions_.size()) versions_.resize(write.key + 1);
    versions_[write.key].push_back(t);
  }
}

History Recorder::finish() && {
  if (has_rows_ && certificate_ != Certificate::None) builder_.set_ordered_by_commit();
  for (Key key = 0; key < versions_.size(); ++key)
    if (!versions_[key].empty()) builder_.add_order({key_id(key), std::move(versions_[key]), true});
  return std::move(builder_).freeze();
}

}  // namespace serval::simulated
