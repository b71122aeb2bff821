#pragma once
// Rules other than isolation levels by which a history can be checked: a table with a row per model, and
// the function that checks one.
//
//   const JepsenOperations file = read_jepsen_operations("bank.edn");
//   const ClientHistory history(file);
//   const ModelResult result = check_model(Model::Bank, history, {});

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/base/budget.h"
#include "serval/model/client_history.h"

namespace serval {

enum class Model : std::uint8_t {
  Bank,
  Counter,
  Set,
  SetFull,
  LongFork,
  Monotonic,
  Comments,
  Sequential,
  CasRegister,
  Mutex,
  MultiRegister,
  KeyValue,
};

enum class NegativeBalances : std::uint8_t { Forbidden, Allowed };
enum class StaleReads : std::uint8_t { Allowed, Forbidden };
// What a failed compare-and-set says: only that nothing happened, or also that the register held another
// value.
enum class FailedCas : std::uint8_t { Nothing, Mismatch };

struct ModelOptions {
  // Bank; default: the total of the first read.
  std::optional<std::int64_t> total_amount;
  NegativeBalances negative_balances = NegativeBalances::Forbidden;  // Bank.
  // Long fork; default: that of the first read.
  std::optional<std::uint64_t> group_size;
  StaleReads stale_reads = StaleReads::Allowed;  // Set-full.
  std::string initial;                           // Registers; empty: nil.
  FailedCas failed_cas = FailedCas::Nothing;     // Compare-and-set register.
  std::size_t max_findings = 10;                 // Limits the findings that are kept, not those counted.
  Budget* budget = nullptr;
};

// The result of a model with its evidence. Operations are positions in ClientHistory::operations();
// verify_model.h re-proves every result from those alone.
enum class ModelVerdict : std::uint8_t { Valid, Violation, Unknown };

// One violation of the model's rule. `operations` are the ones that show it, in the order given on the
// model's page in docs/models.md; `subject` is the account, element or key concerned, otherwise nil.
struct Finding {
  std::string_view kind;
  std::vector<std::uint32_t> operations;
  Value subject;
  std::string words;
};

// The operations of one independent part (a key) in an order that is possible with one client at a time.
// If the part is not linearizable, the longest such prefix: every operation that ended before `stuck`
// did.
struct LinearizedPart {
  std::string name;  // Of the key; empty if there is only one part.
  std::vector<std::uint32_t> order;
  std::uint32_t stuck = 0xFFFFFFFFu;  // The operation that cannot be placed; none in a linearizable part.
};

struct ModelResult {
  ModelVerdict verdict = ModelVerdict::Valid;
  std::string reason;                                           // Unknown: why, in one sentence.
  std::vector<Finding> findings;                                // At most ModelOptions::max_findings.
  std::map<std::string_view, std::uint64_t> counts;             // Number of findings by kind.
  std::vector<std::pair<std::string_view, std::string>> facts;  // "total" "100": other facts learned.
  std::vector<LinearizedPart> parts;                            // Linearizable models only.
};

struct ModelInfo {
  Model model;
  std::string_view name;
  std::string_view summary;                  // One line: the rule.
  std::vector<std::string_view> functions;   // The :f that it accepts.
  std::vector<std::string_view> parameters;  // "--total-amount N", as on the command line.
  std::string_view operations;               // The form of their values.
  std::string_view details;                  // A paragraph.
  std::vector<std::string_view> findings;    // The kinds of findings.
  ModelResult (*check)(const ClientHistory& history, const ModelOptions& options);
};

std::span<const ModelInfo> all_models();
const ModelInfo& info(Model model);
// Ignores case and separators.
std::optional<Model> model_named(std::string_view name);

// Throws InputError if the model does not accept an operation or its value.
[[nodiscard]] ModelResult check_model(Model model, const ClientHistory& history, const ModelOptions& options);

// The models that fit a history, by the functions of its operations and the form of their results.
// Best first; empty if none fits. O(n).
std::vector<Model> fitting_models(const ClientHistory& history);

// "this looks like a bank log; to check it, add --model bank", or "" if no model fits.
std::string model_hint(const ClientHistory& history);

}  // namespace serval
