// A conversion keeps every verdict, or a lossy line says what changes.

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "formats/every_format.h"
#include "harmless_losses.h"
#include "register_histories.h"
#include "sample.h"
#include "serval/check/check.h"

namespace serval {
namespace {

namespace fs = std::filesystem;

// A few small transactions on two keys with few values, so that most reads see a write. Nil and the
// initial value are written, read, expected by compare-and-sets and reported by failed ones.
class TinyHistory {
 public:
  explicit TinyHistory(std::uint64_t seed) : random_(seed) {}

  History make() {
    constexpr std::array<Value, 3> kInitial{Value::nil(), Value::integer(0), Value::integer(2)};
    builder_.set_initial_value(kInitial[pick(3)]);
    for (std::int64_t s = 0; s < 2; ++s) builder_.session(Value::integer(s));
    most_operations_ = 1 + pick(3);
    for (std::uint64_t count = 1 + pick(4), number = 0; number < count; ++number) transaction(number);
    return std::move(builder_).freeze();
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_.below(below); }
  Value value() {
    const std::uint64_t which = pick(12);
    if (which == 0) return Value::unknown();
    return which <= 3 ? Value::nil() : Value::integer(static_cast<std::int64_t>(which % 4));
  }
  void transaction(std::uint64_t number) {
    const SessionId session{static_cast<std::uint32_t>(number < 2 ? number : pick(2))};
    const TransactionId t =
        builder_.begin_transaction(session, Value::integer(static_cast<std::int64_t>(number)));
    if (pick(6) == 0) builder_.set_outcome(t, pick(2) == 0 ? Outcome::Aborted : Outcome::Indeterminate);
    for (std::uint64_t i = 1 + pick(most_operations_); i > 0; --i) builder_.add(t, operation());
  }
  Operation operation() {
    using enum OperationKind;
    constexpr std::array<OperationKind, 9> kKinds{
        Read, Read, Read, Write, Write, CompareAndSet, Insert, InsertMiss, CompareAndSetMiss};
    Operation op;
    op.kind = kKinds[pick(kKinds.size())];
    op.key = builder_.key(Value::integer(static_cast<std::int64_t>(pick(2))));
    op.value = value();
    if (is_conditional(op.kind)) op.expected = value();
    return op;
  }

  Random random_;
  HistoryBuilder builder_;
  std::uint64_t most_operations_ = 1;
};

std::vector<Level> levels_in_both(const std::vector<Level>& left, const std::vector<Level>& right) {
  std::vector<Level> both;
  std::ranges::copy_if(left, std::back_inserter(both),
                       [&](Level level) { return std::ranges::find(right, level) != right.end(); });
  return both;
}

// The levels that are proven for one history and refuted for the other.
std::string contradiction(const Survey& before, const Survey& after) {
  std::string text;
  for (const Level level : levels_in_both(before.proven, after.refuted))
    text += fmt::format(" {} no longer holds", name_of(level));
  for (const Level level : levels_in_both(before.refuted, after.proven))
    text += fmt::format(" {} holds now", name_of(level));
  return text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  lossy: " + line;
  return text;
}

class ConversionVerdict : public testing::TestWithParam<Format> {
 protected:
  ConversionVerdict() : path_(fs::path(testing::TempDir()) / fmt::format("serval-verdict-{}", ::getpid())) {}
  ~ConversionVerdict() override { fs::remove_all(path_); }

  // Through a file or folder. Nullopt if the format refuses the history or reports more than lost names.
  std::optional<History> through(const History& history, WriteReport& report) const {
    fs::remove_all(path_);
    try {
      report = write_history(history, GetParam(), path_.string());
    } catch (const OutputError&) {
      return std::nullopt;
    }
    if (!keeps_verdicts(report)) return std::nullopt;
    return read_history(path_.string(), {.format = GetParam()});
  }
  fs::path path_;
};

TEST_P(ConversionVerdict, ChangesOnlyWithALossyLineThatSaysSo) {
  int compared = 0;
  for (const std::uint64_t seed : fresh_seeds(sample_of(1000, 100))) {
    const History history = TinyHistory(seed).make();
    WriteReport report;
    const std::optional<History> again = through(history, report);
    if (!again) continue;
    ++compared;
    ASSERT_EQ(contradiction(survey(history), survey(*again)), "")
        << "seed " << seed << joined(report.lossy_steps) << "\n"
        << write_to_string(history, Format::Jsonl) << "became\n"
        << write_to_string(*again, Format::Jsonl);
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(To, ConversionVerdict, testing::ValuesIn(writable_formats()), test_name_of);

}  // namespace
}  // namespace serval
