#include "metamorphic/spelling.h"

#include "serval/history/history_builder.h"

namespace serval::metamorphic {
namespace {

using Style = Spelling::Style;

class Speller {
 public:
  Speller(const Spelling& spelling, HistoryBuilder& builder) : spelling_(spelling), builder_(builder) {}

  Value name(Style style, int number) const {
    const std::int64_t moved = number + spelling_.offset;
    ValuePool& pool = builder_.values();
    switch (style) {
      case Style::Plain:
        return Value::integer(number);
      case Style::Shifted:
        return Value::integer(moved * 7919 - 12);
      case Style::Huge:
        return pool.integer(INT64_MAX - moved);
      case Style::Word:
        return pool.text("n" + std::to_string(moved));
      case Style::Decimal:
        break;
    }
    return pool.number(std::to_string(moved + 1000) + ".5");
  }

  Value value(int number) const {
    if (number == oracle::kNil) return Value::nil();
    return number == kUnknown ? Value::unknown() : name(spelling_.values, number);
  }

  Value value(const Draft::Step& step) const {
    if (step.kind != OperationKind::ReadList || step.value < 0) return value(step.value);
    std::vector<Value> elements;
    for (const int element : step.list) elements.push_back(value(element));
    return builder_.values().list(elements);
  }

  Operation operation(const Draft::Step& step) const {
    return {.kind = step.kind,
            .key = builder_.key(name(spelling_.keys, step.key)),
            .value = value(step),
            .expected = is_conditional(step.kind) ? value(step.expected) : Value::nil()};
  }

 private:
  const Spelling& spelling_;
  HistoryBuilder& builder_;
};

}  // namespace

Spelling Spelling::any(Random& random) {
  const auto style = [&] { return static_cast<Style>(random.below(5)); };
  return {.keys = style(),
          .values = style(),
          .sessions = style(),
          .labels = style(),
          .offset = static_cast<int>(random.below(200))};
}

History freeze(const Draft& draft, const Spelling& spelling) {
  HistoryBuilder builder;
  const Speller speller(spelling, builder);
  builder.set_initial_value(speller.value(oracle::kInitial));
  int number = 0;
  for (const Draft::Transaction& transaction : draft.transactions) {
    const SessionId session = builder.session(speller.name(spelling.sessions, transaction.session));
    const TransactionId t = builder.begin_transaction(session, speller.name(spelling.labels, ++number));
    builder.set_outcome(t, transaction.outcome);
    builder.set_interval(t, transaction.interval);
    for (const Draft::Step& step : transaction.operations) builder.add(t, speller.operation(step));
  }
  return std::move(builder).freeze();
}

}  // namespace serval::metamorphic
