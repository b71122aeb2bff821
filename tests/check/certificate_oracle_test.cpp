// The certificate engine against a reference that applies the definitions to every pair of a predicate
// and a version: random histories with predicates at each level, and each verdict re-proved.
// SERVAL_RANDOM_HISTORIES sets their number, SERVAL_RANDOM_SEED the first seed.

#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracle/certified_reference.h"
#include "oracle/random_certified_history.h"
#include "sample.h"
#include "serval/check/check.h"
#include "serval/formats/native/native_jsonl.h"
#include "serval/history/history_builder.h"
#include "serval/predicate/parse_predicate.h"
#include "serval/verify/verify_witness.h"

namespace serval {
namespace {

using oracle::kCertifiedLevels;

std::string text_of(const History& history) {
  std::string out;
  write_jsonl(
      history, [&](std::string_view text) { out += text; }, [](const std::string&) {});
  return out;
}

struct Tally {
  std::array<std::uint64_t, kCertifiedLevels.size()> held{}, refused{};
  std::uint64_t explained_otherwise = 0;
};

void compare(const History& history, Tally& tally) {
  for (std::size_t i = 0; i < kCertifiedLevels.size(); ++i) {
    const Level level = kCertifiedLevels[i];
    const CheckResult result = check(history, level, {.engine = Engine::Certificate});
    // A damaged order may be one that no execution has.
    if (undecided(result.verdict) &&
        std::get<Undecided>(result.verdict).reason.find("later than its own") != std::string::npos)
      continue;
    ASSERT_FALSE(undecided(result.verdict)) << std::get<Undecided>(result.verdict).reason << "\n"
                                            << text_of(history);
    ASSERT_EQ(holds(result.verdict), oracle::holds_by_certificate(history, level)) << name_of(level) << "\n"
                                                                                   << text_of(history);
    ASSERT_EQ(verify_witness(history, level, result.verdict), std::nullopt) << name_of(level) << "\n"
                                                                            << text_of(history);
    ++(holds(result.verdict) ? tally.held : tally.refused)[i];
    if (!implies(level, Level::Serializable)) continue;
    const bool exists = oracle::some_serial_order_exists(history, uses_session_order(level));
    if (holds(result.verdict)) {
      ASSERT_TRUE(exists) << text_of(history);
    } else {
      using Answer = CheckResult::OtherOrders::Answer;
      ASSERT_TRUE(result.without_certificate);
      if (result.without_certificate->answer == Answer::SomeOrderExists) {
        ASSERT_TRUE(exists) << text_of(history);
        ++tally.explained_otherwise;
      }
      if (result.without_certificate->answer == Answer::NoOrderExists) {
        ASSERT_FALSE(exists) << text_of(history);
      }
    }
  }
}

TEST(CertificateOracle, AgreesOnRandomHistories) {
  const std::uint64_t count = number_from_environment("SERVAL_RANDOM_HISTORIES", 50'000);
  const std::uint64_t first = number_from_environment("SERVAL_RANDOM_SEED", 1);
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count && !HasFatalFailure(); ++seed) {
    Random random(seed);
    const History history = oracle::random_certified_history(random, 2 + random.below(4));
    SCOPED_TRACE(seed);
    compare(history, tally);
  }
  for (std::size_t i = 0; i < kCertifiedLevels.size(); ++i) {
    EXPECT_GT(tally.held[i], count / 50) << name_of(kCertifiedLevels[i]);
    if (kCertifiedLevels[i] == Level::ReadUncommitted) continue;
    EXPECT_GT(tally.refused[i], count / 50) << name_of(kCertifiedLevels[i]);
  }
}

// Two transactions of one or two operations over two keys, with every choice of what they write, what
// they see, and in which order their versions are installed.
class SmallUniverse {
 public:
  enum Kind { WriteX, WriteLargeX, WriteY, DeleteX, ReadX, Ask, Update };
  struct Step {
    Kind kind;
    bool other_x = false, other_y = false;  // Whether it saw the other transaction's last version of the key.
  };

  template <class Visit>
  static std::uint64_t for_each(Visit&& visit) {
    std::vector<Step> steps{{WriteX}, {WriteLargeX}, {WriteY}, {DeleteX}, {ReadX}, {ReadX, true}};
    for (const Kind kind : {Ask, Update})
      for (const bool x : {false, true})
        for (const bool y : {false, true}) steps.push_back({kind, x, y});
    std::vector<std::vector<Step>> plans;
    for (const Step& a : steps) {
      plans.push_back({a});
      for (const Step& b : steps) plans.push_back({a, b});
    }
    std::uint64_t made = 0;
    for (const auto& first : plans)
      for (const auto& second : plans)
        for (const int orders : {0, 1, 2, 3})
          if (std::optional<History> history = SmallUniverse({first, second}, orders).make()) {
            ++made;
            visit(*history);
          }
    return made;
  }

 private:
  struct Cell {
    bool present = false;
    int id = 0, v = 0;
  };
  using State = std::array<Cell, 2>;

  SmallUniverse(std::array<std::vector<Step>, 2> plans, int orders)
      : plans_(std::move(plans)), orders_(orders) {}

  // What a transaction leaves may depend on what it saw of the other one: run both until nothing
  // changes.
  std::optional<History> make() {
    for (int round = 0; round < 3; ++round)
      for (int t = 0; t < 2; ++t) run(t, nullptr);
    if (!sees_what_is_there()) return std::nullopt;
    HistoryBuilder builder;
    std::array<KeyId, 2> keys{builder.key(Value::integer(0)), builder.key(Value::integer(1))};
    for (int t = 0; t < 2; ++t)
      ids_[static_cast<std::size_t>(t)] =
          builder.begin_transaction(builder.session(Value::integer(t)), Value::integer(t));
    keys_ = keys;
    for (int t = 0; t < 2; ++t) run(t, &builder);
    for (std::size_t k = 0; k < 2; ++k) {
      std::vector<TransactionId> writers;
      for (std::size_t t = 0; t < 2; ++t)
        if (wrote_[t][k]) writers.push_back(ids_[t]);
      const bool turned = (orders_ >> k & 1) != 0;
      if (turned && writers.size() < 2) return std::nullopt;  // A repetition of the same history.
      if (turned) std::swap(writers[0], writers[1]);
      builder.add_order({keys[k], writers, true});
    }
    return std::move(builder).freeze();
  }

  bool sees_what_is_there() const {
    for (std::size_t t = 0; t < 2; ++t)
      for (const Step& step : plans_[t])
        if ((step.other_x && !wrote_[1 - t][0]) || (step.other_y && !wrote_[1 - t][1])) return false;
    return true;
  }

  void run(int transaction, HistoryBuilder* builder) {
    const auto t = static_cast<std::size_t>(transaction);
    State own{};
    std::array<bool, 2> mine{};
    int id = transaction * 10;
    for (const Step& step : plans_[t]) {
      State seen{};
      if (step.other_x) seen[0] = left_[1 - t][0];
      if (step.other_y) seen[1] = left_[1 - t][1];
      for (std::size_t k = 0; k < 2; ++k)
        if (mine[k]) seen[k] = own[k];
      take(step, t, seen, own, mine, ++id, builder);
    }
    left_[t] = own;
    wrote_[t] = mine;
  }

  void take(const Step& step, std::size_t t, const State& seen, State& own, std::array<bool, 2>& mine, int id,
            HistoryBuilder* builder) {
    const std::size_t k = step.kind == WriteY ? 1 : 0;
    switch (step.kind) {
      case WriteX:
      case WriteLargeX:
      case WriteY:
        own[k] = {true, id, step.kind == WriteLargeX ? 7 : 1};
        mine[k] = true;
        if (builder) builder->add(ids_[t], OperationKind::Write, keys_[k], value(*builder, own[k]));
        return;
      case DeleteX:
        own[k] = {};
        mine[k] = true;
        if (builder) builder->add(ids_[t], OperationKind::Delete, keys_[k], Value::nil());
        return;
      case ReadX:
        if (builder)
          add(*builder, t, {.kind = OperationKind::Read, .key = keys_[0], .value = value(*builder, seen[0])},
              step);
        return;
      default:
        ask(step, t, seen, own, mine, id, builder);
    }
  }

  void ask(const Step& step, std::size_t t, const State& seen, State& own, std::array<bool, 2>& mine, int id,
           HistoryBuilder* builder) {
    const bool updates = step.kind == Update;
    Operation op{.kind = updates ? OperationKind::PredicateUpdate : OperationKind::PredicateRead};
    for (std::size_t k = 0; k < 2; ++k) {
      if (!seen[k].present || seen[k].v >= 5) continue;
      Cell cell = seen[k];
      if (updates) {
        cell = {true, id + 5 + static_cast<int>(k) * 100, seen[k].v + 5};
        own[k] = cell;
        mine[k] = true;
      }
      if (builder) op.rows.push_back({keys_[k], value(*builder, cell)});
    }
    if (!builder) return;
    op.predicate = builder->predicate(parse_query("v < 5", builder->values()));
    add(*builder, t, op, step);
  }

  void add(HistoryBuilder& builder, std::size_t t, const Operation& op, const Step& step) const {
    builder.add(ids_[t], op);
    std::vector<SeenVersion> saw;
    if (step.other_x) saw.push_back({keys_[0], ids_[1 - t]});
    if (step.other_y) saw.push_back({keys_[1], ids_[1 - t]});
    builder.add_version_set(OperationId{static_cast<std::uint32_t>(builder.operation_count() - 1)}, {saw});
  }

  static Value value(HistoryBuilder& builder, const Cell& cell) {
    if (!cell.present) return Value::nil();
    return builder.values().row(fmt::format("{{\"id\":{},\"v\":{}}}", cell.id, cell.v));
  }

  std::array<std::vector<Step>, 2> plans_;
  int orders_;
  std::array<State, 2> left_{};
  std::array<std::array<bool, 2>, 2> wrote_{};
  std::array<TransactionId, 2> ids_{};
  std::array<KeyId, 2> keys_{};
};

TEST(CertificateOracle, AgreesOnEverySmallHistory) {
  const std::uint64_t step = number_from_environment("SERVAL_UNIVERSE_STEP", 1);
  Tally tally;
  std::uint64_t number = 0;
  const std::uint64_t made = SmallUniverse::for_each([&](const History& history) {
    if (number++ % step == 0 && !HasFatalFailure()) compare(history, tally);
  });
  EXPECT_GT(made, 10'000u);
  EXPECT_GT(tally.refused.back(), made / step / 50);
  EXPECT_GT(tally.held.back(), made / step / 50);
}

// What is refuted with some version sets missing is also refuted with all of them. What is proven has an
// order.
TEST(CertificateOracle, ClaimsNothingThatDependsOnMissingVersionSets) {
  const std::uint64_t count = number_from_environment("SERVAL_RANDOM_HISTORIES", 50'000) / 5;
  std::uint64_t held = 0, refused = 0, open = 0;
  for (const std::uint64_t seed : fresh_seeds(count)) {
    if (HasFatalFailure()) break;
    SCOPED_TRACE(seed);
    Random random(seed), again(seed);
    const std::size_t size = 2 + random.below(4);
    (void)again.below(4);
    const History whole = oracle::random_certified_history(random, size);
    const History partial = oracle::random_certified_history(again, size, true);
    for (const Level level : kCertifiedLevels) {
      const CheckResult result = check(partial, level);
      ASSERT_EQ(verify_witness(partial, level, result.verdict), std::nullopt) << name_of(level) << "\n"
                                                                              << text_of(partial);
      if (violated(result.verdict)) {
        ASSERT_FALSE(oracle::holds_by_certificate(whole, level)) << name_of(level) << "\n"
                                                                 << text_of(partial);
        ++refused;
      } else if (holds(result.verdict) && implies(level, Level::Serializable)) {
        ASSERT_TRUE(oracle::some_serial_order_exists(whole, uses_session_order(level))) << text_of(partial);
        ++held;
      } else {
        ++open;
      }
    }
  }
  EXPECT_GT(held, count / 20);
  EXPECT_GT(refused, count / 20);
  EXPECT_GT(open, count / 20);
}

}  // namespace
}  // namespace serval
