#include "serval/database/simulated/recorder.h"

#include <utility>

namespace serval::simulated {
namespace {

using Times = SimulationOptions::Times;

// The begin and end of a whole transaction's operations are not known one by one.
RecordedOperation translate(const History& notation, OperationId op, const Recorder::Translation& translation,
                            Interval time) {
  const std::int64_t value = notation.value(op).as_integer();
  return {.kind = notation.kind(op),
          .key = translation.first_key + notation.key(op).index,
          .value = Value::integer(value == 0 ? 0 : translation.first_value + value - 1),
          .expected = Value::nil(),
          .time = time};
}

TransactionHints timestamps(const RunningTransaction& transaction) {
  const Position snapshot = transaction.view ? transaction.view->snapshot : kNoPosition;
  const Position start = snapshot == kNoPosition ? transaction.begin_position : snapshot;
  TransactionHints hints{.start_timestamp = static_cast<std::int64_t>(start)};
  if (transaction.commit_position)
    hints.commit_timestamp = static_cast<std::int64_t>(*transaction.commit_position);
  return hints;
}

}  // namespace

Recorder::Recorder(const SimulationOptions& options, Value initial_value)
    : times_(options.times), hints_(options.hints) {
  builder_.set_initial_value(initial_value);
  for (std::uint32_t session = 0; session < options.sessions; ++session)
    builder_.session(Value::integer(session + 1));
}

TransactionId Recorder::begin(std::uint32_t session) {
  return builder_.begin_transaction(SessionId{session}, Value::integer(++last_label_));
}

void Recorder::add(TransactionId t, const RecordedOperation& operation) {
  const KeyId key = builder_.key(Value::integer(static_cast<std::int64_t>(operation.key)));
  if (times_ != Times::Operations && !is_conditional(operation.kind))
    return builder_.add(t, operation.kind, key, operation.value);
  builder_.add(t, {.kind = operation.kind,
                   .key = key,
                   .value = operation.value,
                   .expected = operation.expected,
                   .time = times_ == Times::Operations ? operation.time : Interval{}});
}

// The effect of a commit whose answer is lost may come at any time.
void Recorder::close(TransactionId t, Outcome outcome, Interval time) {
  builder_.set_outcome(t, outcome);
  if (times_ == Times::None) return;
  builder_.set_interval(t, outcome == Outcome::Indeterminate ? Interval{time.begin, kUnknownEnd} : time);
}

void Recorder::record(const RunningTransaction& transaction, Outcome outcome, Time end) {
  const TransactionId t = begin(transaction.session);
  for (const RecordedOperation& operation : transaction.operations) add(t, operation);
  close(t, outcome, {transaction.begin, end});
  if (hints_ == SimulationOptions::Hints::Timestamps) builder_.set_hints(t, timestamps(transaction));
}

void Recorder::record_planted(const History& notation, TransactionId planted,
                              const Translation& translation) {
  const std::uint32_t session = translation.first_session + notation.session(planted).index;
  const TransactionId t = begin(session % translation.sessions);
  const Interval steps = notation.interval(planted);
  const Interval time{translation.rest + steps.begin * translation.unit,
                      translation.rest + steps.end * translation.unit};
  for (const OperationId op : notation.operations(planted))
    add(t, translate(notation, op, translation, time));
  close(t, notation.outcome(planted), time);
}

History Recorder::finish() && { return std::move(builder_).freeze(); }

}  // namespace serval::simulated
