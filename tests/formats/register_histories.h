#pragma once
// Shared by the tests of the register formats: functions that read and write strings, random histories,
// and the meaning of a history independent of its spelling.

#include <string>
#include <vector>

#include "serval/base/error.h"
#include "serval/base/random.h"
#include "serval/formats/format.h"
#include "serval/history/history_builder.h"

namespace serval {

inline History read_as(Format format, std::string text, ReadOptions options = {}) {
  ByteStream stream = ByteStream::from_memory("input", std::move(text));
  return info(format).read(stream, options);
}

// "line:column: problem", or "" if the text is valid.
inline std::string error_in(Format format, const std::string& text) {
  try {
    read_as(format, text);
  } catch (const InputError& error) {
    return std::to_string(error.position().line) + ":" + std::to_string(error.position().column) + ": " +
           error.problem();
  }
  return "";
}

inline std::vector<std::string> losses_of(const History& history, Format format) {
  WriteReport report;
  write_to_string(history, format, &report);
  return report.lossy_steps;
}

// False if nothing would remain.
inline bool can_be_written(const History& history, Format format) {
  try {
    losses_of_writing(history, format);
    return true;
  } catch (const OutputError&) {
    return false;
  }
}

// Sessions of transactions of reads and writes. Reads of the initial version are marked, however it is
// spelled.
inline std::string meaning_of(const History& history) {
  std::vector<bool> initial_is_written(history.key_count(), false);
  for (std::uint32_t op = 0; op < history.operation_count(); ++op)
    if (history.kind(OperationId{op}) == OperationKind::Write &&
        history.value(OperationId{op}) == history.initial_value())
      initial_is_written[history.key(OperationId{op}).index] = true;
  std::string text;
  for (const SessionId session : history.sessions()) {
    for (const TransactionId t : history.session_transactions(session)) {
      text += std::string(name_of(history.outcome(t)));
      for (const OperationId op : history.operations(t)) {
        const Value value = history.value(op);
        const bool initial = history.kind(op) == OperationKind::Read &&
                             (value.is_nil() || (value == history.initial_value() &&
                                                 !initial_is_written[history.key(op).index]));
        text += " " + std::string(name_of(history.kind(op))) + " " + history.format_key(history.key(op)) +
                " " + (initial ? "initial" : history.format(value));
      }
      text += "\n";
    }
    text += "--\n";
  }
  return text;
}

// Reads and writes of integers, in committed and perhaps aborted transactions. None is empty, and no two
// aborted transactions of a session are adjacent. Written values are at least `least_value`.
struct RegisterShape {
  int transactions = 10;
  int least_value = 0;
  enum class Aborted { None, Some } aborted = Aborted::None;
};
inline History register_history(std::uint64_t seed, RegisterShape shape) {
  Random random(seed);
  const auto pick = [&](int below) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(below)));
  };
  HistoryBuilder builder;
  builder.set_initial_value(Value::integer(0));
  // No session begins with an aborted transaction, which may lose its reads.
  std::vector<bool> after_aborted(3, true);
  for (int i = 0; i < 3; ++i) builder.session(Value::integer(i));
  std::vector<TransactionId> transactions;
  for (int number = 0; number < shape.transactions; ++number) {
    const std::int64_t session = number < 3 ? number : pick(3);
    const TransactionId t =
        builder.begin_transaction(SessionId{static_cast<std::uint32_t>(session)}, Value::integer(number));
    const auto was_aborted = after_aborted[static_cast<std::size_t>(session)];
    const bool aborted = shape.aborted == RegisterShape::Aborted::Some && !was_aborted && pick(3) == 0;
    after_aborted[static_cast<std::size_t>(session)] = aborted;
    if (aborted) builder.set_outcome(t, Outcome::Aborted);
    for (std::int64_t steps = 1 + pick(4); steps > 0; --steps) {
      const bool write = aborted || pick(2) == 0;
      builder.add(t, write ? OperationKind::Write : OperationKind::Read, builder.key(Value::integer(pick(5))),
                  Value::integer(shape.least_value + pick(6)));
    }
  }
  return std::move(builder).freeze();
}

}  // namespace serval
