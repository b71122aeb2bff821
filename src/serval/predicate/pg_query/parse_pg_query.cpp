#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include "serval/predicate/parse_predicate.h"
#include "serval/predicate/parse_sql.h"
#include "serval/predicate/sql_tokens.h"

namespace serval {
namespace {

using Node = Predicate::Node;

struct Unpacked {
  void operator()(PgQuery__ParseResult* result) const {
    pg_query__parse_result__free_unpacked(result, nullptr);
  }
};

template <class... Children>
Predicate node_of(Node node, std::string name = {}, Children&&... children) {
  Predicate out;
  out.node = node;
  out.name = std::move(name);
  (out.children.push_back(std::forward<Children>(children)), ...);
  return out;
}

Predicate not_if(bool negated, Predicate tree) {
  return negated ? node_of(Node::Not, {}, std::move(tree)) : std::move(tree);
}

class Translator {
 public:
  // `shift`: number of bytes of `statement` before the caller's text.
  Translator(std::string_view text, std::size_t shift, ValuePool& pool, const std::string& name)
      : text_(text), shift_(shift), pool_(pool), name_(name) {}

  [[noreturn]] void fail(int location, const std::string& problem) const {
    const auto at = location < 0 ? std::size_t{0} : static_cast<std::size_t>(location);
    fail_in_sql(text_, at < shift_ ? 0 : std::min(at - shift_, text_.size()), name_, problem);
  }
  [[noreturn]] void refuse(int location, const std::string& what) const {
    fail(location, "predicates do not support " + what);
  }

  Predicate statement(const PgQuery__Node& node) {
    switch (node.node_case) {
      case PG_QUERY__NODE__NODE_SELECT_STMT:
        return select(*node.select_stmt);
      case PG_QUERY__NODE__NODE_UPDATE_STMT:
        if (node.update_stmt->n_from_clause > 0) refuse(-1, "joins");
        return update(*node.update_stmt);
      case PG_QUERY__NODE__NODE_DELETE_STMT:
        if (node.delete_stmt->n_using_clause > 0) refuse(-1, "joins");
        return where(node.delete_stmt->where_clause);
      default:
        fail(-1, "expected a WHERE clause, or SELECT, UPDATE or DELETE");
    }
  }

 private:
  Predicate select(const PgQuery__SelectStmt& select) {
    if (select.op != PG_QUERY__SET_OPERATION__SETOP_NONE) refuse(-1, "UNION, INTERSECT or EXCEPT");
    if (select.n_from_clause > 1) refuse(-1, "joins");
    if (select.n_group_clause > 0 || select.having_clause != nullptr) refuse(-1, "GROUP BY or HAVING");
    if (select.limit_count != nullptr || select.limit_offset != nullptr) refuse(-1, "LIMIT or OFFSET");
    if (select.with_clause != nullptr) refuse(-1, "WITH");
    if (const PgQuery__FuncCall* call = aggregate_in(select)) return aggregate(*call, select);
    return where(select.where_clause);
  }

  Predicate update(const PgQuery__UpdateStmt& update) {
    Predicate out = node_of(Node::Update, {}, where(update.where_clause));
    for (std::size_t i = 0; i < update.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *update.target_list[i]->res_target;
      if (target.n_indirection > 0) refuse(target.location, "parts of columns");
      out.children.push_back(node_of(Node::Set, target.name, tree(target.val)));
    }
    return out;
  }

  // The selected aggregate, which must be alone; null if columns are selected.
  const PgQuery__FuncCall* aggregate_in(const PgQuery__SelectStmt& select) const {
    static constexpr std::array<std::string_view, 4> kAggregates{"count", "min", "max", "sum"};
    for (std::size_t i = 0; i < select.n_target_list; ++i) {
      const PgQuery__Node* value = select.target_list[i]->res_target->val;
      if (value == nullptr || value->node_case != PG_QUERY__NODE__NODE_FUNC_CALL) continue;
      const PgQuery__FuncCall& call = *value->func_call;
      const std::string_view name = call.funcname[call.n_funcname - 1]->string->sval;
      if (std::ranges::count(kAggregates, name) == 0) refuse(call.location, "functions");
      if (select.n_target_list > 1) refuse(call.location, "aggregates next to other columns");
      return &call;
    }
    return nullptr;
  }

  Predicate aggregate(const PgQuery__FuncCall& call, const PgQuery__SelectStmt& select) {
    const bool plain =
        call.agg_distinct == 0 && call.agg_filter == nullptr && call.over == nullptr && call.n_agg_order == 0;
    if (!plain) refuse(call.location, "DISTINCT, FILTER, OVER or ORDER BY in aggregates");
    Predicate out = node_of(Node::Aggregate, call.funcname[call.n_funcname - 1]->string->sval);
    for (std::size_t i = 0; i < call.n_args; ++i) out.children.push_back(tree(call.args[i]));
    if (out.children.size() != (call.agg_star != 0 ? 0u : 1u))
      refuse(call.location, "this form of aggregate");
    out.children.push_back(where(select.where_clause));
    return out;
  }

  Predicate where(const PgQuery__Node* clause) {
    return clause == nullptr ? node_of(Node::True) : tree(clause);
  }

  Predicate tree(const PgQuery__Node* node) {
    if (node == nullptr) fail(-1, "expected an operand");
    switch (node->node_case) {
      case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return junction(*node->bool_expr);
      case PG_QUERY__NODE__NODE_A_EXPR:
        return expression(*node->a_expr);
      case PG_QUERY__NODE__NODE_NULL_TEST:
        return not_if(node->null_test->nulltesttype != PG_QUERY__NULL_TEST_TYPE__IS_NULL,
                      node_of(Node::IsNull, {}, tree(node->null_test->arg)));
      case PG_QUERY__NODE__NODE_COLUMN_REF:
        return column(*node->column_ref);
      case PG_QUERY__NODE__NODE_A_CONST:
        return constant(*node->a_const);
      case PG_QUERY__NODE__NODE_FUNC_CALL:
        refuse(node->func_call->location, "functions");
      case PG_QUERY__NODE__NODE_TYPE_CAST:
        refuse(node->type_cast->location, "casts");
      case PG_QUERY__NODE__NODE_SUB_LINK:
        refuse(node->sub_link->location, "subqueries");
      case PG_QUERY__NODE__NODE_PARAM_REF:
        refuse(node->param_ref->location, "parameters: write the value");
      case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        refuse(node->boolean_test->location, "IS TRUE, IS FALSE or IS UNKNOWN");
      default:
        fail(-1, "predicates do not support a part of this clause");
    }
  }

  Predicate junction(const PgQuery__BoolExpr& found) {
    Predicate out = node_of(found.boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR  ? Node::And
                            : found.boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR ? Node::Or
                                                                                : Node::Not);
    for (std::size_t i = 0; i < found.n_args; ++i) out.children.push_back(tree(found.args[i]));
    return out;
  }

  Predicate expression(const PgQuery__AExpr& found) {
    const std::string sign = found.n_name == 1 ? found.name[0]->string->sval : "";
    switch (found.kind) {
      case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
        return operation(found, sign);
      case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
        return listed(found, Node::In, sign == "<>");
      case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
        return listed(found, Node::Between, false);
      case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
        return listed(found, Node::Between, true);
      case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
        return like(found, sign == "!~~");
      default:
        refuse(found.location, "this operator");
    }
  }

  Predicate operation(const PgQuery__AExpr& found, const std::string& sign) {
    static constexpr std::array<std::string_view, 6> kComparisons{"=", "<>", "<", "<=", ">", ">="};
    static constexpr std::array<std::string_view, 6> kArithmetic{"+", "-", "*", "/", "%", "||"};
    const bool compares = std::ranges::count(kComparisons, sign) > 0;
    if (!compares && std::ranges::count(kArithmetic, sign) == 0) refuse(found.location, "operator " + sign);
    if (found.lexpr == nullptr && sign == "+") return tree(found.rexpr);
    if (found.lexpr == nullptr && sign != "-") refuse(found.location, "unary " + sign);
    Predicate out = node_of(compares ? Node::Compare : Node::Arithmetic, sign);
    if (found.lexpr != nullptr) out.children.push_back(tree(found.lexpr));
    out.children.push_back(tree(found.rexpr));
    const bool takes_sign = found.lexpr == nullptr && take_sign_in(out.children.front(), pool_);
    return takes_sign ? std::move(out.children.front()) : out;
  }

  Predicate listed(const PgQuery__AExpr& found, Node node, bool negated) {
    if (found.rexpr == nullptr || found.rexpr->node_case != PG_QUERY__NODE__NODE_LIST)
      refuse(found.location, "subqueries");
    Predicate out = node_of(node, {}, tree(found.lexpr));
    const PgQuery__List& list = *found.rexpr->list;
    for (std::size_t i = 0; i < list.n_items; ++i) out.children.push_back(tree(list.items[i]));
    return not_if(negated, std::move(out));
  }

  // PostgreSQL turns "LIKE p ESCAPE e" into "~~ like_escape(p, e)".
  Predicate like(const PgQuery__AExpr& found, bool negated) {
    Predicate out = node_of(Node::Like, {}, tree(found.lexpr));
    if (found.rexpr != nullptr && found.rexpr->node_case == PG_QUERY__NODE__NODE_FUNC_CALL) {
      const PgQuery__FuncCall& call = *found.rexpr->func_call;
      const bool escape = call.n_funcname == 2 && call.n_args == 2 &&
                          std::string_view(call.funcname[1]->string->sval) == "like_escape";
      if (!escape) refuse(call.location, "functions");
      for (std::size_t i = 0; i < call.n_args; ++i) out.children.push_back(tree(call.args[i]));
    } else {
      out.children.push_back(tree(found.rexpr));
    }
    return not_if(negated, std::move(out));
  }

  Predicate column(const PgQuery__ColumnRef& found) {
    Predicate out = node_of(Node::Column);
    for (std::size_t i = 0; i < found.n_fields; ++i) {
      if (found.fields[i]->node_case != PG_QUERY__NODE__NODE_STRING) refuse(found.location, "*");
      if (i > 0) out.name += '.';
      out.name += found.fields[i]->string->sval;
    }
    return out;
  }

  Predicate constant(const PgQuery__AConst& found) {
    Predicate out = node_of(Node::Literal);
    if (found.isnull != 0) return out;
    switch (found.val_case) {
      case PG_QUERY__A__CONST__VAL_IVAL:
        out.literal = pool_.integer(found.ival->ival);
        return out;
      case PG_QUERY__A__CONST__VAL_FVAL:
        out.literal = pool_.number(found.fval->fval);
        return out;
      case PG_QUERY__A__CONST__VAL_BOOLVAL:
        out.literal = Value::boolean(found.boolval->boolval != 0);
        return out;
      case PG_QUERY__A__CONST__VAL_SVAL:
        out.literal = pool_.text(found.sval->sval);
        return out;
      default:
        refuse(found.location, "bit strings");
    }
  }

  std::string_view text_;
  std::size_t shift_;
  ValuePool& pool_;
  const std::string& name_;
};

// An upper bound for the depth of a statement's tree, from its characters alone. libpg_query and
// protobuf-c recurse over the tree, and no stack can hold a hundred thousand operators in a row. Within
// parentheses AND, OR and commas end a chain of operators, except if quotes, comments or dollars make
// the characters hard to interpret.
class Nesting {
 public:
  explicit Nesting(std::string_view text)
      : text_(text),
        is_plain_(text.find_first_of("$\\") == std::string_view::npos &&
                  text.find("--") == std::string_view::npos && text.find("/*") == std::string_view::npos) {}

  std::size_t deepest() {
    for (std::size_t at = 0; at < text_.size();) at = take(at);
    while (levels_.size() > 1) close();
    end_chain();
    return levels_.back().deepest;
  }

 private:
  // One pair of parentheses: the current chain, its operands, and the deepest chain so far.
  struct Level {
    std::size_t links = 0, operands = 0, deepest = 0;
  };

  static bool in(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

  // Returns where to continue.
  std::size_t take(std::size_t at) {
    const char c = text_[at];
    if (in(c, "([")) levels_.emplace_back();
    if (in(c, ")]") && levels_.size() > 1) close();
    if (in(c, ",;") && is_plain_) end_chain();
    if (in(c, "'\"") && is_plain_) return std::min(text_.find(c, at + 1), text_.size() - 1) + 1;
    if (is_letter(c)) return word(at);
    constexpr std::string_view kSigns = "+-*/<>=~!@#%^&|`?:";
    if (!in(c, kSigns)) return at + 1;
    ++levels_.back().links;
    return c == '-' || c == '+' ? at + 1 : std::min(text_.find_first_not_of(kSigns, at), text_.size());
  }

  std::size_t word(std::size_t at) {
    std::size_t end = at;
    std::string word;
    for (; end < text_.size() && is_letter(text_[end]); ++end) word += static_cast<char>(text_[end] | 0x20);
    static constexpr std::array<std::string_view, 17> kLinks{
        "is",   "not",   "isnull",  "notnull", "between", "case",     "intersect", "except", "in",
        "like", "ilike", "similar", "collate", "at",      "operator", "union",     "join"};
    if (std::ranges::count(kLinks, word) > 0) ++levels_.back().links;
    if ((word == "and" || word == "or") && is_plain_) end_chain();
    return end;
  }

  void end_chain() {
    Level& level = levels_.back();
    level.deepest = std::max(level.deepest, level.links + level.operands + 1);
    level.links = level.operands = 0;
  }
  void close() {
    end_chain();
    const std::size_t inner = levels_.back().deepest + 1;
    levels_.pop_back();
    levels_.back().operands = std::max(levels_.back().operands, inner);
  }

  std::string_view text_;
  bool is_plain_;
  std::vector<Level> levels_{Level{}};
};

bool is_statement(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n("), text.size()));
  std::string word;
  for (const char c : text.substr(0, 7)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower < 'a' || lower > 'z') break;
    word += lower;
  }
  static constexpr std::array<std::string_view, 6> kStatements{"select", "update", "delete",
                                                               "insert", "with",   "values"};
  return std::ranges::count(kStatements, word) > 0;
}

// PostgreSQL counts characters from 1.
int byte_of(std::string_view statement, int character) {
  int at = 0;
  for (int left = character - 1; at < static_cast<int>(statement.size()); ++at) {
    const bool starts = (static_cast<unsigned char>(statement[static_cast<std::size_t>(at)]) & 0xC0) != 0x80;
    if (starts && left-- == 0) break;
  }
  return at;
}

}  // namespace

bool reads_sql_statements() noexcept { return true; }

// By the protobuf output of libpg_query, because its JSON loses the sign of negative numbers.
Predicate parse_sql(std::string_view text, ValuePool& pool, const std::string& name) {
  const std::string prefix = is_statement(text) ? "" : "SELECT WHERE ";
  const std::string statement = prefix + std::string(text);
  Translator translator(text, prefix.size(), pool, name);
  if (const std::size_t nul = statement.find('\0'); nul != std::string::npos)
    translator.fail(static_cast<int>(nul), "unexpected zero byte");
  if (Nesting(statement).deepest() > kMaxPredicateDepth)
    translator.fail(-1,
                    "the predicate is nested too deeply (limit " + std::to_string(kMaxPredicateDepth) + ")");
  const auto free = [](PgQueryProtobufParseResult* result) { pg_query_free_protobuf_parse_result(*result); };
  PgQueryProtobufParseResult result = pg_query_parse_protobuf(statement.c_str());
  const std::unique_ptr<PgQueryProtobufParseResult, decltype(free)> owner(&result, free);
  if (result.error != nullptr)
    translator.fail(byte_of(statement, result.error->cursorpos), result.error->message);
  const std::unique_ptr<PgQuery__ParseResult, Unpacked> parsed(pg_query__parse_result__unpack(
      nullptr, result.parse_tree.len, reinterpret_cast<const std::uint8_t*>(result.parse_tree.data)));
  if (parsed == nullptr) translator.fail(-1, "the statement is nested too deeply");
  if (parsed->n_stmts != 1) translator.fail(-1, "expected one statement");
  return translator.statement(*parsed->stmts[0]->stmt);
}

}  // namespace serval
