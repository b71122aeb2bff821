#include "server_oracle.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "predicate_pairs.h"
#include "serval/base/error.h"
#include "serval/database/database.h"
#include "serval/predicate/evaluate.h"
#include "serval/predicate/print_predicate.h"
#include "serval/predicate/row_columns.h"
#include "serval/report/quantity.h"

namespace serval::cli {
namespace {

constexpr std::uint64_t kMostOfServer = 20'000;
constexpr std::size_t kAtOnce = 50;  // Evaluations per query.

// How the server spells values.
enum class Spelling : std::uint8_t { Postgres, Mariadb };

std::optional<Spelling> spelling_of(const DriverInfo& driver) {
  if (driver.name == "postgres") return Spelling::Postgres;
  if (driver.name == "mariadb") return Spelling::Mariadb;
  return std::nullopt;
}

// Columns are named by position, as the server may not distinguish "A" from "a".
Predicate with_places(Predicate tree, std::span<const std::string> columns) {
  if (tree.node == Predicate::Node::Column)
    tree.name = fmt::format("c{}", std::ranges::find(columns, tree.name) - columns.begin());
  for (Predicate& child : tree.children) child = with_places(std::move(child), columns);
  return tree;
}

// A column that was not recorded may have had any value, so NULL is fine.
std::string literal(const Scalar& value, Spelling spelling) {
  const bool typed = spelling == Spelling::Postgres;  // It treats 5 as 32 bits and needs a type for NULL.
  switch (value.kind()) {
    case Scalar::Kind::Null:
    case Scalar::Kind::Undefined:
      return typed ? "null::bigint" : "null";
    case Scalar::Kind::Integer:
      return typed ? fmt::format("({})::bigint", value.format()) : value.format();
    case Scalar::Kind::Decimal:
      return typed ? fmt::format("({})::numeric", value.format()) : value.format();
    case Scalar::Kind::Boolean:
      return value.format();
    case Scalar::Kind::Text:
      break;
  }
  return typed ? value.format() + "::text collate \"C\"" : value.format();
}

// MariaDB reads escapes in literals.
bool can_be_sent(const Scalar& value, Spelling spelling) {
  if (value.kind() != Scalar::Kind::Text) return true;
  const std::string& text = value.as_text();
  return text.find('\0') == std::string::npos &&
         (spelling == Spelling::Postgres || text.find('\\') == std::string::npos);
}

class ServerComparison {
 public:
  ServerComparison(const std::string& address, const History& history)
      : history_(history), spelling_(*spelling_of(driver_of(address))) {
    const DriverInfo& driver = driver_of(address);
    database_ = open_database(address, {.isolation = std::string(driver.default_isolation)});
    name_ = database_->facts().at("database");
    if (spelling_ == Spelling::Mariadb) prepare_mariadb();
  }

  ServerOpinion run(Budget& budget) {
    const PredicatePairs pairs(history_, budget);
    if (pairs.count() == 0)
      return {fmt::format("oracle: no predicate applies to any row, so there is nothing for {} to evaluate",
                          name_),
              {}};
    pairs.for_each(kMostOfServer, budget, [&](const Predicate& tree, const Row& row) {
      if (&tree != tree_) take(tree);
      add(row);
      if (asked_.size() == kAtOnce) ask();
    });
    ask();
    if (agreed_ == 0 && refused_ > 0)
      throw DatabaseError(fmt::format("{} refused every predicate that it was to evaluate", name_),
                          "the oracle must be the database that the history comes from, or one like it");
    return {words(pairs), disagreement_};
  }

 private:
  struct Asked {
    std::string query;
    Row row;
    Truth here = Truth::Undefined;
  };

  // Text compares byte by byte, || concatenates.
  void prepare_mariadb() {
    database_->first_cell_of("set session sql_mode = 'PIPES_AS_CONCAT,ANSI_QUOTES'");
    if (!database_->first_cell_of("set names utf8mb4 collate utf8mb4_nopad_bin"))
      database_->first_cell_of("set names utf8mb4 collate utf8mb4_bin");
  }

  void take(const Predicate& tree) {
    ask();
    tree_ = &tree;
    condition_ = Condition(tree, history_.values());
    text_ = print_predicate(with_places(tree, condition_.columns()), history_.values());
    const auto sent = [&](const Scalar& value) { return can_be_sent(value, spelling_); };
    is_sent_ = condition_.problem().empty() && std::ranges::all_of(condition_.constants(), sent);
  }

  void add(const Row& row) {
    read_columns(condition_.columns(), history_.key_value(row.key), row.value, history_.values(), values_);
    const Truth here = evaluate(condition_, values_);
    const auto sent = [&](const Scalar& value) { return can_be_sent(value, spelling_); };
    if (!is_sent_ || here == Truth::Undefined || !std::ranges::all_of(values_, sent)) {
      ++left_out_;
      return;
    }
    std::string columns;
    for (std::size_t i = 0; i < values_.size(); ++i)
      columns += fmt::format("{}{} as c{}", i == 0 ? "" : ", ", literal(values_[i], spelling_), i);
    asked_.push_back(
        {fmt::format(
             "(select case when {0} then 't' when not ({0}) then 'f' else 'u' end from (select {1}) as r)",
             text_, columns.empty() ? "1 as c0" : columns),
         row, here});
  }

  // One query for all; if the server refuses it, one for each.
  void ask() {
    const std::vector<Asked> asked = std::exchange(asked_, {});
    if (asked.empty() || !disagreement_.empty()) return;
    std::string all;
    for (const Asked& one : asked) all += (all.empty() ? "" : ", ") + one.query;
    const std::optional<std::string> answer =
        database_->first_cell_of(fmt::format("select concat_ws('', {})", all));
    if (answer && answer->size() == asked.size()) {
      for (std::size_t i = 0; i < asked.size(); ++i) compare(asked[i], (*answer)[i]);
      return;
    }
    for (const Asked& one : asked) {
      const std::optional<std::string> single = database_->first_cell_of("select " + one.query);
      if (single && single->size() == 1)
        compare(one, single->front());
      else
        ++refused_;
    }
  }

  void compare(const Asked& asked, char answer) {
    const Truth there = answer == 't' ? Truth::True : answer == 'f' ? Truth::False : Truth::Unknown;
    if (there == asked.here) {
      ++agreed_;
    } else if (disagreement_.empty()) {
      disagreement_ =
          fmt::format("for the predicate {} and the row {} = {}, Serval says {}, {} says {}",
                      print_predicate(*tree_, history_.values()), history_.format_key(asked.row.key),
                      history_.format(asked.row.value), name_of(asked.here), name_, name_of(there));
    }
  }

  std::string words(const PredicatePairs& pairs) const {
    std::string out =
        fmt::format("oracle: {} agrees on {} of {} over {}", name_, format_count(agreed_, "evaluation"),
                    format_count(pairs.conditions(), "predicate"), format_count(pairs.rows(), "row"));
    if (pairs.count() > kMostOfServer)
      out +=
          fmt::format("; a sample of {} out of {}", format_count(kMostOfServer), format_count(pairs.count()));
    if (left_out_ > 0) out += fmt::format("; {} left out, undefined here", format_count(left_out_));
    if (refused_ > 0) out += fmt::format("; {} refused by the server", format_count(refused_));
    return out;
  }

  const History& history_;
  Spelling spelling_;
  std::unique_ptr<Database> database_;
  std::string name_;
  const Predicate* tree_ = nullptr;
  Condition condition_;
  std::string text_;
  bool is_sent_ = false;
  std::vector<Scalar> values_;
  std::vector<Asked> asked_;
  std::uint64_t agreed_ = 0, left_out_ = 0, refused_ = 0;
  std::string disagreement_;
};

}  // namespace

void require_server_oracle(const std::string& address) {
  try {
    const DriverInfo& driver = driver_of(address);
    if (spelling_of(driver) && driver.open != nullptr) return;
    throw UsageError(fmt::format("--oracle cannot evaluate predicates on {}", driver.name),
                     "--oracle takes database, or the address of a server: postgres://... or mariadb://...");
  } catch (const InputError& error) {
    throw UsageError(error.problem(), "--oracle takes interpreter, database, or the address of a server");
  }
}

ServerOpinion ask_server(const std::string& address, const History& history, Budget& budget) {
  return ServerComparison(address, history).run(budget);
}

}  // namespace serval::cli
