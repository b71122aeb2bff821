#include "serval/model/model.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "serval/base/contract.h"
#include "serval/base/folded_name.h"
#include "serval/model/checkers.h"

namespace serval {
namespace {

const std::array kModels{
    ModelInfo{Model::Bank,
              "bank",
              "transfers keep the sum of all balances",
              {"read", "transfer"},
              {"--total-amount N", "--allow-negative-balances"},
              ":read returns {account balance, …}; :transfer {:from 1, :to 0, :amount 5}",
              "Every read that succeeds must show the accounts of the first such read, a balance for each, "
              "the same total, and no balance below zero. The total is that of the first read unless "
              "--total-amount gives it.",
              {"unexpected-key", "nil-balance", "wrong-total", "negative-value"},
              check_bank},
    ModelInfo{
        Model::Counter,
        "counter",
        "reads lie between what was certainly added and what may have been added",
        {"add", "read"},
        {},
        ":add n; :read returns n",
        "A read must be at least the sum of the additions that had succeeded before it began, and at most "
        "the sum of all that had begun, and not failed, before it ended. Negative amounts widen both "
        "bounds.",
        {"out-of-bounds"},
        check_counter},
    ModelInfo{Model::Set,
              "set",
              "the last read shows every element added, and no other",
              {"add", "read"},
              {},
              ":add element; :read returns [element …] or #{element …}",
              "Only the last read counts. An element is lost when its addition had succeeded before that "
              "read began and the read lacks it; unexpected when it was never added.",
              {"lost", "unexpected", "failed-add"},
              check_set},
    ModelInfo{
        Model::SetFull,
        "set-full",
        "no element that is known to be in the set is ever lost",
        {"add", "read"},
        {"--no-stale-reads"},
        ":add element; :read returns [element …] or #{element …}",
        "Every read counts. An element is known once its addition succeeded or a read showed it. It is lost"
        " when a later read lacks it and no read after that shows it again; stale when one shows it again, "
        "which --no-stale-reads forbids. Unknown when no element is known to have stayed.",
        {"lost", "stale", "duplicate", "unexpected", "failed-add"},
        check_set_full},
    ModelInfo{
        Model::LongFork,
        "long-fork",
        "reads of a group of keys agree on the order of writes",
        {"read", "txn", "write"},
        {"--group-size N"},
        "transactions [[:r 0 1] [:r 1 nil]] of reads, or [[:w 0 1]] of one write",
        "Each key is written at most once. Two reads of the same keys, each of which sees a write that the "
        "other lacks, are a long fork. The size of a group is that of the first read unless --group-size "
        "gives it.",
        {"long-fork"},
        check_long_fork},
    ModelInfo{Model::Monotonic,
              "monotonic",
              "values of keys only increase, in one order of all reads",
              {},
              {},
              "any function; a success returns {key integer, …}",
              "A read that shows a higher value of some key than another one comes after it. A cycle of such "
              "reads shows that the values did not increase monotonically.",
              {"non-monotonic"},
              check_monotonic},
    ModelInfo{Model::Comments,
              "comments",
              "a read that sees a comment sees all that existed before it was written",
              {"read", "write"},
              {},
              ":write comment, each once; :read returns [comment …] or #{comment …}",
              "Strict serializability of blind inserts: a read that shows a comment shows every comment "
              "whose writing had ended before that one's began, and all that had ended before the read "
              "began.",
              {"missing-predecessor", "stale-read", "failed-write"},
              check_comments},
    ModelInfo{
        Model::Sequential,
        "sequential",
        "a read that sees a later write of a client sees its earlier ones",
        {"read", "write"},
        {},
        ":write key; :read returns [key [last-part … first-part]], nil for a part not seen",
        "A client writes the parts of a key in order, others read them in the opposite order. After a part "
        "that was seen, no part may be missing.",
        {"missing-predecessor"},
        check_sequential},
    ModelInfo{
        Model::CasRegister,
        "cas-register",
        "a register with compare-and-set is linearizable",
        {"cas", "read", "write"},
        {"--initial VALUE", "--failed-cas nothing|mismatch"},
        ":read returns v; :write v; :cas [old new]; with a key in front of each value, [k v], one register "
        "per key",
        "The register starts as nil unless --initial gives another value. A compare-and-set that failed did"
        " not happen; with --failed-cas mismatch it also means that the register held another value.",
        {"not-linearizable"},
        check_cas_register},
    ModelInfo{Model::Mutex,
              "mutex",
              "a lock is linearizable",
              {"acquire", "release"},
              {},
              ":acquire and :release, without values",
              "A lock is acquired only when free and released only when held, by any process.",
              {"not-linearizable"},
              check_mutex},
    ModelInfo{
        Model::MultiRegister,
        "multi-register",
        "transactions over registers are linearizable",
        {"txn"},
        {"--initial VALUE"},
        ":txn [[:read :x 1] [:write :y 2]], or :r and :w",
        "Every transaction takes effect at one instant. All registers start as nil unless --initial gives "
        "another value. Registers that no transaction uses together are checked separately.",
        {"not-linearizable"},
        check_multi_register},
    ModelInfo{Model::KeyValue,
              "kv",
              "get, put and append of strings are linearizable",
              {"append", "get", "put"},
              {},
              "a :key field; :get returns text, :put text, :append text",
              "Every key starts as the empty string and is checked separately.",
              {"not-linearizable"},
              check_key_value},
};

void require_known_functions(const ModelInfo& row, const ClientHistory& history) {
  if (row.functions.empty()) return;
  for (const ClientOperation& operation : history.operations()) {
    const std::string_view function = history.function(operation);
    if (std::ranges::find(row.functions, function) != row.functions.end()) continue;
    throw history.error(
        operation.began,
        fmt::format("the model {} accepts only :{}", row.name, fmt::join(row.functions, " and :")),
        model_hint(history));
  }
}

}  // namespace

std::span<const ModelInfo> all_models() { return kModels; }

const ModelInfo& info(Model model) {
  const ModelInfo& row = kModels[static_cast<std::size_t>(model)];
  expects(row.model == model, "rows in the order of the enumeration");
  return row;
}

std::optional<Model> model_named(std::string_view name) {
  const std::string wanted = folded_name(name);
  for (const ModelInfo& row : kModels)
    if (folded_name(row.name) == wanted) return row.model;
  return std::nullopt;
}

ModelResult check_model(Model model, const ClientHistory& history, const ModelOptions& options) {
  const ModelInfo& row = info(model);
  require_known_functions(row, history);
  return row.check(history, options);
}

}  // namespace serval
