#pragma once
// The one door: a history and a level in, a proven verdict out. Picks the cheapest engine that is complete.
//
//   const CheckResult result = check(history, Level::StrongSessionSerializable);
//   if (violated(result.verdict)) ...

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/base/budget.h"
#include "serval/check/trail.h"
#include "serval/check/verdict.h"
#include "serval/inference/version_hints.h"

namespace serval {

enum class Engine { Auto, MiniTransaction, LightweightTransaction, Polygraph, Replay, Certificate };

// The serial order that a replay verifies (replay/expected_order.h).
enum class ExpectedOrderSource { Timestamps, Completion, Given };
struct ExpectedOrderChoice {
  ExpectedOrderSource source = ExpectedOrderSource::Timestamps;
  std::vector<TransactionId> given = {};
};

struct CheckOptions {
  std::size_t max_anomalies = 10;  // Limits what is kept, not what is counted.
  Engine engine = Engine::Auto;    // An engine that does not apply gives Undecided.
  Budget* budget = nullptr;
  // What the database is trusted for. A violation under an assumption is about databases that keep it.
  VersionHints hints = {};
  ExpectedOrderChoice expected_order = {};
  bool use_certificate = true;  // False: judge by the reads alone, as if no version certificate were there.
};

using Phases = std::vector<std::pair<std::string_view, double>>;  // Name and seconds, in order.

struct CheckResult {
  Level level;  // As asked.
  Verdict verdict;
  // "mini-transaction", "list-append", "dependency-graph", "polygraph", "replay", "read-anomalies", ...
  std::string_view engine;
  bool complete = false;  // The answer is final for this history (not Undecided).
  Phases phases;
  std::vector<Attempt> attempts = {};  // Of the search for an order, where there was one.
  bool replayed = false;               // The order that was expected was replayed; no other was tried.
  // Of a violation by the version certificate: what the history says without it.
  struct WithoutCertificate {
    enum class Answer { SomeOrderExists, NoOrderExists, NotKnown } answer;
    std::string reason;  // Of NotKnown.
  };
  std::optional<WithoutCertificate> without_certificate = {};
  std::string unused_certificate =
      {};  // Why the reads alone decided, although there is a version certificate.
  // Of a proof by the version certificate: some transaction read or replaced what the snapshot that the
  // certificate claims does not show. Serializability does not care, snapshot isolation does.
  bool snapshots_contradicted = false;
};

// A history with a version certificate is judged by it (certificate/certificate_check.h), where that settles
// who wrote what when.
//
// Levels without an engine of their own are refuted by the reads and the cycles without anti-dependencies
// that they forbid. Repeatable read without predicate operations is serializability. A level that stays open
// is concluded from others where they are decided: a stronger one that holds, one whose violation refutes it.
// So check() decides whatever survey() decides.
[[nodiscard]] CheckResult check(const History& history, Level level, const CheckOptions& options = {});

// The strongest levels that hold, and what is refuted. The strongest level is judged first: the classes of
// all cycles of its graph, found in one pass, refute every level that forbids one of them, and only levels
// that neither they nor an implication settle are searched.
struct Survey {
  std::vector<CheckResult> results;  // Of the levels that were searched, strongest first.
  std::vector<Level> proven;   // Every level that is proven, by search or by implication, strongest first.
  std::vector<Level> refuted;  // Likewise, strongest first.
  // The strongest level that the history can show: strict-serializable, or without times
  // strong-session-serializable. Where it holds, the history has no anomaly.
  Level top = Level::StrictSerializable;
  std::map<AnomalyKind, std::uint64_t> found;  // Every anomaly that a search found, counted once.

  // The result that stands for all: the violation of the weakest level that was searched and violated; else
  // the proof of `top`; else why it is open. Null when nothing was judged.
  const CheckResult* headline() const;
  bool complete() const;  // No search was cut short by a budget.
  Phases phases() const;  // Of all searches together.
};
// What a second look after an answer is worth: at other levels, or without the certificate. In polls, so that
// it says the same on every machine; `effort_of_first` are those of the answer.
std::uint64_t effort_of_second_opinion(std::uint64_t effort_of_first);

[[nodiscard]] Survey survey(const History& history, const CheckOptions& options = {});

}  // namespace serval
