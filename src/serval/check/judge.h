#pragma once
// Judges one history at any number of levels. What it infers from the history is reused for all of them,
// and can be shared with judges of the same history that have other options.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serval/check/certificate/certified_history.h"
#include "serval/check/check_options.h"
#include "serval/check/check_result.h"
#include "serval/inference/reads_from.h"
#include "serval/inference/unknown_writes.h"

namespace serval {

// The levels that are decided by cycles. A level comes before those that it implies.
constexpr std::array kGraphLevels{
    Level::StrictSerializable,      Level::StrongSessionSerializable,      Level::Serializable,
    Level::StrongSnapshotIsolation, Level::StrongSessionSnapshotIsolation, Level::SnapshotIsolation};

// Whether the check was ended by a budget.
inline bool ran_out(const CheckResult& result) {
  const auto* open = std::get_if<Undecided>(&result.verdict);
  return open != nullptr && open->cause >= Undecided::Cause::EffortBudget;
}

// Each part is computed when first needed. The relations depend on CheckOptions::hints, which must be
// the same for all judges that share this.
struct Inferred {
  std::optional<Relations> relations;
  std::optional<UnknownWrites> unknown_writes;
  std::optional<std::vector<KeyId>> renewed_keys;
  std::unique_ptr<CertifiedHistory> certified;
};

class Judge {
 public:
  Judge(const History& history, const CheckOptions& options, std::shared_ptr<Inferred> inferred);

  CheckResult judge(Level level);

  // For a violation by the certificate or by a required order: whether the reads alone allow some order.
  // Both results are reported. Spends at most a few times the effort of the first answer.
  CheckResult::OtherOrders ask_other_orders(Level level);
  CheckResult judge_without_certificate(Level level);

 private:
  // A modified copy of the history, with its own judge.
  struct Variant {
    Variant(History changed, std::vector<TakenWrite> reads, const CheckOptions& options);
    History history;
    std::vector<TakenWrite> taken;
    std::unique_ptr<Judge> judge;
  };

  const Relations& relations();
  CheckResult judge_unknown(Level level);
  Variant& variant(std::size_t number);
  Undecided unknown_values(const Verdict& last) const;
  void judge_known(Level level, CheckResult& result);
  void tell_new_rows_apart(Level level, CheckResult& result);
  void decide(Level level, CheckResult& result);
  void decide_with_order(Level level, CheckResult& result);
  CheckResult ask_again(Level level, CheckOptions options);
  void read_certificate();
  void decide_by_certificate(Level level, CheckResult& result);
  void decide_by_reads(Level level, CheckResult& result);
  bool decide_by_replay(Level level, CheckResult& result);
  void search_serial_order(Level level, CheckResult& result);
  void decide_lightweight(Level level, CheckResult& result);
  void decide_by_neighbours(Level level, CheckResult& result);
  bool contradicts_snapshots();
  std::vector<std::string> proven_so_far() const;
  template <class Step>
  void timed(CheckResult& result, std::string_view phase, Step&& step) const;

  const History& history_;
  CheckOptions options_;
  Budget unlimited_ = Budget::unlimited();
  Budget& budget_;
  std::uint64_t effort_before_ = budget_.effort();
  std::shared_ptr<Inferred> inferred_;
  Trail trail_;
  std::string_view engine_of_search_;            // The engine to report if an order was searched for.
  const CertifiedHistory* certified_ = nullptr;  // Null until this judge uses the certificate.
  std::optional<bool> contradicts_snapshots_;
  bool replay_fails_ = false;  // The expected order is not a serial order.
  bool knows_values_ = false;  // No write of an unknown value explains a read here.
  std::unique_ptr<Variant> without_uncertain_;
  std::unique_ptr<Variant> without_renewed_;
  std::vector<std::unique_ptr<Variant>> variants_;  // By guess.
};

}  // namespace serval
