#include "metamorphic/answers.h"

#include "serval/verify/verify_witness.h"

namespace serval::metamorphic {
namespace {

void note(std::string& flaw, const std::string& found) {
  if (flaw.empty()) flaw = found;
}

bool is_about_snapshots(Level level) {
  return !implies(level, Level::Serializable) &&
         (implies(level, Level::SnapshotIsolation) || level == Level::PrefixConsistency ||
          level == Level::ParallelSnapshotIsolation);
}

void expect_implications(const History& history, Answers& answers) {
  const bool certified = !history.certificate().empty();
  for (const LevelInfo& stronger : all_levels())
    for (const LevelInfo& weaker : all_levels())
      if (implies(stronger.level, weaker.level) && answers.at(stronger.level) == Answer::Holds &&
          answers.at(weaker.level) == Answer::Violated &&
          !(certified && implies(stronger.level, Level::Serializable) && is_about_snapshots(weaker.level)))
        note(answers.flaw, std::string(stronger.name) + " holds, " + std::string(weaker.name) + " does not");
}

}  // namespace

Answers without_snapshot_levels(Answers answers) {
  for (const LevelInfo& row : all_levels())
    if (is_about_snapshots(row.level))
      answers.by_level[static_cast<std::size_t>(row.level)] = Answer::Undecided;
  return answers;
}

Answer answer_of(const Verdict& verdict) {
  if (holds(verdict)) return Answer::Holds;
  return violated(verdict) ? Answer::Violated : Answer::Undecided;
}

Answer proved(const History& history, Level level, const CheckOptions& options, std::string& flaw) {
  const CheckResult result = check(history, level, options);
  if (const auto found = verify_witness(history, level, result.verdict, options.hints.transaction_order))
    note(flaw, std::string(name_of(level)) + " by " + std::string(result.engine) +
                   (holds(result.verdict) ? " holds" : " violated") + ", unproved: " + *found);
  return answer_of(result.verdict);
}

Answers answers_of(const History& history, const CheckOptions& options) {
  Answers answers;
  for (const LevelInfo& row : all_levels())
    answers.by_level[static_cast<std::size_t>(row.level)] = proved(history, row.level, options, answers.flaw);
  expect_implications(history, answers);
  return answers;
}

Answers surveyed(const History& history) {
  Answers answers;
  const Survey all = survey(history);
  for (const CheckResult& result : all.results)
    if (const auto found = verify_witness(history, result.level, result.verdict))
      note(answers.flaw, "in the survey " + std::string(name_of(result.level)) + ": " + *found);
  for (const Level level : all.proven) answers.by_level[static_cast<std::size_t>(level)] = Answer::Holds;
  for (const Level level : all.refuted) {
    if (answers.at(level) == Answer::Holds)
      note(answers.flaw, "the survey both proves and refutes " + std::string(name_of(level)));
    answers.by_level[static_cast<std::size_t>(level)] = Answer::Violated;
  }
  expect_implications(history, answers);
  return answers;
}

std::string lost(const Answers& more, const Answers& less) {
  for (const LevelInfo& row : all_levels())
    if (more.at(row.level) == Answer::Holds && less.at(row.level) == Answer::Violated)
      return std::string(row.name) + " held before, and is violated now";
  return "";
}

std::string contradiction(const Answers& one, const Answers& other) {
  const std::string found = lost(one, other);
  if (!found.empty() || lost(other, one).empty()) return found;
  for (const LevelInfo& row : all_levels())
    if (other.at(row.level) == Answer::Holds && one.at(row.level) == Answer::Violated)
      return std::string(row.name) + " was violated before, and holds now";
  return "";
}

}  // namespace serval::metamorphic
