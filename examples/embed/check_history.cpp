// Records two transactions, as the test of an engine would, and asks whether they are serializable. They are
// not: each read what the other one overwrote (write skew).

#include <iostream>

#include "serval/check/check.h"
#include "serval/history/history_builder.h"
#include "serval/verify/verify_witness.h"

namespace {

// Reads both keys, which no transaction has written yet, and writes one of them.
void record(serval::HistoryBuilder& builder, int session, int written, int value) {
  using serval::OperationKind;
  using serval::Value;
  const auto t = builder.begin_transaction(builder.session(Value::integer(session)), Value::integer(session));
  builder.add(t, OperationKind::Read, builder.key(Value::integer(1)), Value::nil());
  builder.add(t, OperationKind::Read, builder.key(Value::integer(2)), Value::nil());
  builder.add(t, OperationKind::Write, builder.key(Value::integer(written)), Value::integer(value));
}

}  // namespace

int main() {
  serval::HistoryBuilder builder;
  record(builder, 1, 1, 10);
  record(builder, 2, 2, 20);
  const serval::History history = std::move(builder).freeze();

  const auto level = serval::Level::Serializable;
  const serval::CheckResult result = serval::check(history, level);
  if (const auto flaw = serval::verify_witness(history, level, result.verdict)) {
    std::cerr << "a bug in Serval: " << *flaw << '\n';
    return 70;
  }
  if (const auto* violated = std::get_if<serval::Violated>(&result.verdict)) {
    for (const auto& [kind, count] : violated->counts) std::cout << count << ' ' << name_of(kind) << '\n';
    return 1;
  }
  std::cout << (serval::holds(result.verdict) ? "holds\n" : "undecided\n");
  return serval::holds(result.verdict) ? 0 : 2;
}
