#pragma once
// What else a history can be judged by: a rule of its own instead of an isolation level. One table with a row
// for every model, and the verb over it.
//
//   const JepsenOperations file = read_jepsen_operations("bank.edn");
//   const ClientHistory history(file);
//   const ModelResult result = check_model(Model::Bank, history, {});

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serval/base/budget.h"
#include "serval/model/client_history.h"
#include "serval/model/model_result.h"

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
// What a compare-and-set that failed says: that nothing happened, or also that the value was another one.
enum class FailedCas : std::uint8_t { Nothing, Mismatch };

struct ModelOptions {
  std::optional<std::int64_t> total_amount;                          // Bank; else of the first read.
  NegativeBalances negative_balances = NegativeBalances::Forbidden;  // Bank.
  std::optional<std::uint64_t> group_size;                           // Long fork; else of the first read.
  StaleReads stale_reads = StaleReads::Allowed;                      // Set-full.
  std::string initial;                                               // Registers; empty: nil.
  FailedCas failed_cas = FailedCas::Nothing;                         // Compare-and-set register.
  std::size_t max_findings = 10;  // Limits what is kept, not what is counted.
  Budget* budget = nullptr;
};

struct ModelInfo {
  Model model;
  std::string_view name;
  std::string_view summary;                  // One line: what must hold.
  std::vector<std::string_view> functions;   // The :f that it takes.
  std::vector<std::string_view> parameters;  // "--total-amount N", as the command line spells them.
  std::string_view operations;               // What the values of those look like.
  std::string_view details;                  // A paragraph.
  std::vector<std::string_view> findings;    // The kinds of findings.
  ModelResult (*check)(const ClientHistory& history, const ModelOptions& options);
};

std::span<const ModelInfo> all_models();
const ModelInfo& info(Model model);
// Regardless of case and separators.
std::optional<Model> model_named(std::string_view name);

// Throws InputError where an operation is none of the model's, or its value is not what the model takes.
[[nodiscard]] ModelResult check_model(Model model, const ClientHistory& history, const ModelOptions& options);

}  // namespace serval
