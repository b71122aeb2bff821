#include "examine.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "harmless_losses.h"
#include "history_equality.h"
#include "serval/base/error.h"
#include "serval/check/check.h"
#include "serval/check/refutations.h"
#include "serval/formats/format.h"
#include "serval/inference/lint.h"
#include "serval/inference/statistics.h"
#include "serval/online/mirror_history.h"
#include "serval/report/report.h"
#include "serval/report/text_report.h"
#include "serval/verify/verify_witness.h"
#include "target.h"

namespace serval::fuzz {
namespace {

// Longer histories only cost time here.
constexpr std::size_t kMostOperations = 2000;
constexpr std::chrono::milliseconds kTime{300};

Budget small_budget() { return Budget::until(Budget::Clock::now() + kTime); }

void require(bool claim, const std::string& otherwise) {
  if (!claim) throw Defect(otherwise);
}

void prove(const History& history, const CheckResult& result, const VersionHints& hints) {
  const auto flaw = verify_witness(history, result.level, result.verdict, hints.transaction_order);
  require(!flaw, std::string(name_of(result.level)) + " by " + std::string(result.engine) +
                     ": the evidence does not stand: " + flaw.value_or(""));
}

// What is known about every level so far.
class Knowledge {
 public:
  void learn(const CheckResult& result) {
    for (const LevelInfo& row : all_levels()) {
      if (proves(result, row.level)) learn_proven(row.level);
      if (violated(result.verdict) && refutes_stronger(result, row.level)) learn_refuted(row.level);
    }
  }
  void learn_proven(Level level) { set(level, Answer::Proven); }
  void learn_refuted(Level level) { set(level, Answer::Refuted); }

 private:
  enum class Answer : std::uint8_t { Open, Proven, Refuted };
  void set(Level level, Answer answer) {
    Answer& known = answers_[static_cast<std::size_t>(level)];
    require(known == Answer::Open || known == answer,
            std::string(name_of(level)) + " is both proven and refuted");
    known = answer;
  }
  std::array<Answer, 64> answers_{};
};

void print(const History& history, const CheckResult& result, std::optional<Survey> survey) {
  Report report;
  report.path = "fuzz";
  report.history = &history;
  report.result = result;
  report.survey = std::move(survey);
  text_report(report, {.colour = true, .detailed = true, .explains_engine = true});
  json_report(report);
}

void survey_it(const History& history, Knowledge& knowledge) {
  Budget budget = small_budget();
  const Survey all = survey(history, {.budget = &budget});
  for (const CheckResult& result : all.results) prove(history, result, {});
  for (const CheckResult& result : all.results) knowledge.learn(result);
  for (const Level level : all.proven) knowledge.learn_proven(level);
  for (const Level level : all.refuted) knowledge.learn_refuted(level);
  if (const CheckResult* headline = all.headline()) print(history, *headline, all);
}

Level level_of(std::uint64_t choice) { return all_levels()[choice % all_levels().size()].level; }

void ask_an_engine(const History& history, std::uint64_t choice, Knowledge& knowledge) {
  Budget budget = small_budget();
  const CheckOptions options{.engine = static_cast<Engine>(choice / 64 % 6), .budget = &budget};
  const CheckResult result = check(history, level_of(choice), options);
  prove(history, result, {});
  knowledge.learn(result);
}

// An assumption may refute a level that holds without it.
void assume_something(const History& history, std::uint64_t choice) {
  Budget budget = small_budget();
  VersionHints hints;
  for (std::size_t i = 0; i < kAssumableBases.size(); ++i)
    if ((choice / 512 >> i & 1u) != 0) hints.assumptions.add(kAssumableBases[i]);
  if (hints.assumptions.empty()) return;
  const CheckResult result = check(history, level_of(choice), {.budget = &budget, .hints = hints});
  prove(history, result, hints);
  print(history, result, std::nullopt);
}

void mirror_it(const History& history, std::uint64_t choice) {
  if (!history.has_times()) return;
  const auto profiles = online::all_profiles();
  Budget budget = small_budget();
  const online::OnlineResult result =
      online::mirror_history(history, profiles[choice / 8192 % profiles.size()], {}, &budget);
  for (const online::Violation& violation : result.violations) violation.format();
}

template <class Act>
void within_budget(Act act) {
  try {
    act();
  } catch (const BudgetExhausted&) {  // A result like any other.
  }
}

// Nullopt if more than names was lost on the way and this was reported.
std::optional<History> through(const History& history, const FormatInfo& format) {
  WriteReport report;
  std::string text;
  try {
    text = write_to_string(history, format.format, &report);
  } catch (const OutputError&) {
    return std::nullopt;  // The format reports that it cannot represent the history, which is fine.
  }
  if (text.empty()) {  // Empty files are refused.
    require(history.transaction_count() == 0 || !report.lossy_steps.empty(),
            "nothing was written as " + std::string(format.name) + ", and nothing said so");
    return std::nullopt;
  }
  std::optional<History> again;
  try {
    ByteStream stream = ByteStream::from_memory("converted", text);
    again = read_history(stream, {.format = format.format});
  } catch (const InputError& error) {
    throw Defect("what was written as " + std::string(format.name) + " cannot be read: " + error.what());
  }
  return keeps_verdicts(report) ? std::move(again) : std::nullopt;
}

// The native formats keep every member. Others may, for example, spell the initial version differently,
// but the verdicts must stay.
void convert_to(const History& history, const FormatInfo& format, Knowledge& knowledge) {
  const std::optional<History> again = through(history, format);
  const std::string found = again ? difference(history, *again) : "";
  if (found.empty()) return;
  require(format.format != Format::Jsonl && format.format != Format::Binary,
          "converted to " + std::string(format.name) + " and back: " + found);
  try {
    survey_it(*again, knowledge);
  } catch (const Defect& defect) {
    throw Defect("converted to " + std::string(format.name) + " and back: " + defect.what());
  }
}

}  // namespace

void examine(const History& history, std::uint64_t choice) {
  measure(history);
  within_budget([&] {
    Budget budget = small_budget();
    lint(history, &budget);
  });
  if (history.operation_count() > kMostOperations) return;
  Knowledge knowledge;
  within_budget([&] { survey_it(history, knowledge); });
  // Every third format; different inputs get different ones.
  const auto formats = all_formats();
  for (std::size_t i = (choice >> 20) % 3; i < formats.size(); i += 3)
    if (formats[i].write != nullptr) within_budget([&] { convert_to(history, formats[i], knowledge); });
  within_budget([&] { ask_an_engine(history, choice, knowledge); });
  within_budget([&] { assume_something(history, choice); });
  within_budget([&] { mirror_it(history, choice); });
}

}  // namespace serval::fuzz
