#include "predicate_oracle.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "choices.h"
#include "predicate_pairs.h"
#include "serval/base/contract.h"
#include "serval/base/error.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/print_predicate.h"
#include "serval/predicate/row_columns.h"
#include "serval/report/quantity.h"

#if SERVAL_WITH_SQLITE
#include <sqlite3.h>
#endif

namespace serval::cli {

PredicateOracle choose_oracle(std::string_view word) {
  if (word.find(':') != std::string_view::npos) return PredicateOracle::Server;
  static constexpr std::array<std::string_view, 2> kWords{"interpreter", "database"};
  return static_cast<PredicateOracle>(choose("--oracle", word, kWords));
}

#if SERVAL_WITH_SQLITE

namespace {

constexpr std::uint64_t kMostEvaluations = 200'000;

// Columns are named by position, since SQLite does not distinguish "A" from "a". LIKE gets its escape
// character from a column after all others, since SQLite has none by default.
Predicate spelled_for_sqlite(Predicate tree, std::span<const std::string> columns) {
  if (tree.node == Predicate::Node::Column)
    tree.name = fmt::format("c{}", std::ranges::find(columns, tree.name) - columns.begin());
  for (Predicate& child : tree.children) child = spelled_for_sqlite(std::move(child), columns);
  if (tree.node == Predicate::Node::Like && tree.children.size() == 2) {
    Predicate& escape = tree.children.emplace_back();
    escape.node = Predicate::Node::Column;
    escape.name = fmt::format("c{}", columns.size());
  }
  return tree;
}

bool computes(const Condition& condition) {
  return std::ranges::any_of(condition.nodes(), [](const Condition::Node& node) {
    return node.kind >= Condition::Kind::Add && node.kind <= Condition::Kind::Concatenate;
  });
}

// Whether SQLite can hold the value exactly. Its binary fractions distinguish decimals of 15 digits but
// do not compute with them exactly, and its text ends at the first NUL.
bool survives(const Scalar& value, bool is_computed_with) {
  constexpr std::ptrdiff_t kMostDigits = 15;
  if (value.kind() == Scalar::Kind::Text) return value.as_text().find('\0') == std::string::npos;
  if (value.kind() != Scalar::Kind::Decimal) return true;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !is_computed_with && std::ranges::count_if(value.format(), is_digit) <= kMostDigits;
}

class Sqlite {
 public:
  Sqlite() {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open(":memory:", &opened);
    database_.reset(opened);
    if (code != SQLITE_OK) throw std::bad_alloc();
    require(sqlite3_exec(opened, "pragma case_sensitive_like = on", nullptr, nullptr, nullptr));
  }

  // False if SQLite rejects it.
  bool prepare(const Predicate& tree, std::span<const std::string> columns, const ValuePool& pool) {
    std::string text =
        "select " + print_predicate(spelled_for_sqlite(tree, columns), pool) + " from (select ";
    for (std::size_t i = 0; i < columns.size(); ++i) text += fmt::format("?{} as c{}, ", i + 1, i);
    text += fmt::format("'\\' as c{})", columns.size());
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &prepared, nullptr);
    statement_.reset(prepared);
    if (code == SQLITE_NOMEM) throw std::bad_alloc();
    return code == SQLITE_OK;
  }

  // Undefined if SQLite rejects it.
  Truth ask(std::span<const Scalar> row) {
    for (std::size_t i = 0; i < row.size(); ++i) require(bind(static_cast<int>(i) + 1, row[i]));
    const int code = sqlite3_step(statement_.get());
    Truth out = Truth::Undefined;
    if (code == SQLITE_ROW)
      out = sqlite3_column_type(statement_.get(), 0) == SQLITE_NULL
                ? Truth::Unknown
                : truth_of(sqlite3_column_double(statement_.get(), 0) != 0);
    sqlite3_reset(statement_.get());
    if (code == SQLITE_NOMEM) throw std::bad_alloc();
    return out;
  }

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  void require(int code) const {
    if (code == SQLITE_NOMEM) throw std::bad_alloc();
    if (code != SQLITE_OK)
      throw BrokenContract(fmt::format("SQLite, evaluating predicates: {}", sqlite3_errmsg(database_.get())));
  }

  // An unrecorded value may have been anything, so NULL is fine. The row owns the text.
  int bind(int at, const Scalar& value) {
    sqlite3_stmt* const statement = statement_.get();
    switch (value.kind()) {
      case Scalar::Kind::Null:
      case Scalar::Kind::Undefined:
        return sqlite3_bind_null(statement, at);
      case Scalar::Kind::Boolean:
        return sqlite3_bind_int(statement, at, value.as_boolean() ? 1 : 0);
      case Scalar::Kind::Integer:
        return sqlite3_bind_int64(statement, at, value.as_integer());
      case Scalar::Kind::Decimal:
        return sqlite3_bind_double(statement, at, std::stod(value.format()));
      case Scalar::Kind::Text:
        break;
    }
    const std::string& text = value.as_text();
    return sqlite3_bind_text64(statement, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }

  std::unique_ptr<sqlite3, Close> database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Comparison {
 public:
  Comparison(const History& history, Budget& budget) : history_(history), budget_(budget) {}

  std::string run() {
    const PredicatePairs pairs(history_, budget_);
    if (pairs.count() == 0)
      return "oracle: no predicate applies to any row, so there is nothing for SQLite to evaluate";
    const Predicate* taken = nullptr;
    pairs.for_each(kMostEvaluations, budget_, [&](const Predicate& tree, const Row& row) {
      if (&tree != taken) take(tree);
      taken = &tree;
      compare(tree, row);
    });
    return words(pairs);
  }

 private:
  void take(const Predicate& tree) {
    const ValuePool& pool = history_.values();
    condition_ = Condition(tree, pool);
    computes_ = computes(condition_);
    answers_ = condition_.problem().empty() && all_survive(condition_.constants()) &&
               sqlite_.prepare(tree, condition_.columns(), pool);
  }

  bool all_survive(std::span<const Scalar> values) const {
    return std::ranges::all_of(values, [&](const Scalar& value) { return survives(value, computes_); });
  }

  void compare(const Predicate& tree, const Row& row) {
    read_columns(condition_.columns(), history_.key_value(row.key), row.value, history_.values(), values_);
    const Truth here = evaluate(condition_, values_);
    const Truth there = answers_ && here != Truth::Undefined && all_survive(values_) ? sqlite_.ask(values_)
                                                                                     : Truth::Undefined;
    if (there == Truth::Undefined) {
      ++left_out_;
      return;
    }
    ++agreed_;
    if (here == there) return;
    throw BrokenContract(
        fmt::format("for the predicate {} and the row {} = {}, Serval says {}, SQLite says {}",
                    print_predicate(tree, history_.values()), history_.format_key(row.key),
                    history_.format(row.value), name_of(here), name_of(there)));
  }

  std::string words(const PredicatePairs& pairs) const {
    std::string out =
        fmt::format("oracle: SQLite agrees on {} of {} over {}", format_count(agreed_, "evaluation"),
                    format_count(pairs.conditions(), "predicate"), format_count(pairs.rows(), "row"));
    if (pairs.count() > kMostEvaluations)
      out += fmt::format("; a sample of {} out of {}", format_count(kMostEvaluations),
                         format_count(pairs.count()));
    if (left_out_ > 0)
      out += fmt::format("; {} left out, undefined here or not exact in SQLite", format_count(left_out_));
    return out;
  }

  const History& history_;
  Budget& budget_;
  Sqlite sqlite_;
  Condition condition_;
  bool computes_ = false;
  bool answers_ = false;  // SQLite accepts the condition.
  std::vector<Scalar> values_;
  std::uint64_t agreed_ = 0, left_out_ = 0;
};

}  // namespace

void require_oracle(PredicateOracle /*oracle*/) {}

std::string ask_database(const History& history, Budget& budget) { return Comparison(history, budget).run(); }

#else

void require_oracle(PredicateOracle oracle) {
  if (oracle == PredicateOracle::Database)
    throw UsageError("--oracle database needs SQLite, but this serval was built without it",
                     "install SQLite's headers and build again (serval drivers lists what this build has)");
}

std::string ask_database(const History& /*history*/, Budget& /*budget*/) {
  throw BrokenContract("built without SQLite, which evaluates predicates");
}

#endif

}  // namespace serval::cli
