#include "serval/report/text_report.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "serval/base/printable.h"
#include "serval/report/explanation.h"
#include "serval/report/names.h"
#include "serval/report/quantity.h"

namespace serval {
namespace {

using Participant = Explanation::Participant;

constexpr std::size_t kWidestClaim = 48;       // The reason of a wider one goes to the next line.
constexpr std::size_t kShownParticipants = 8;  // Of a long cycle; the same for its steps.
constexpr std::size_t kShownOperations = 8;    // Of a long transaction, besides those that matter.
constexpr std::size_t kShownLevels = 6;        // Of the levels refuted by implication.
constexpr std::size_t kLabelWidth = 11;        // "  refuted    "

class TextReport {
 public:
  TextReport(const Report& report, const TextOptions& options) : report_(report), options_(options) {}

  std::string write() && {
    first_line();
    if (options_.brief) return std::move(out_);
    counts();
    gate();
    if (report_.run) run_story(*report_.run);
    if (const auto* why = std::get_if<Undecided>(&report_.result.verdict)) undecided_story(*why);
    if (violated(report_.result.verdict)) anomalies();
    levels();
    for (const std::string& remark : remarks(report_)) paragraph("note", remark);
    for (const std::string& notice : report_.notices) paragraph("note", notice);
    engine();
    cost();
    next();
    return std::move(out_);
  }

 private:
  std::string coloured(std::string_view text, int code) const {
    return options_.colour ? fmt::format("\x1b[1;{}m{}\x1b[0m", code, text) : std::string(text);
  }

  void first_line() {
    static constexpr std::array<std::string_view, 4> kWords{"VALID", "VIOLATION", "ANOMALY", "UNKNOWN"};
    static constexpr std::array<int, 4> kColours{32, 31, 31, 33};
    const auto which = static_cast<std::size_t>(headline(report_));
    out_ += fmt::format("{} {} {}\n", coloured(kWords[which], kColours[which]), printable(report_.path),
                        headline_subject(report_));
  }

  void labelled(std::string_view label, std::string_view text) {
    out_ += fmt::format("  {}{}\n", padded(label, kLabelWidth), printable(text));
  }

  void counts() {
    if (report_.history == nullptr) return;
    const History& history = *report_.history;
    std::array<std::uint64_t, 3> outcomes{};
    for (const Outcome outcome : history.outcome_column()) ++outcomes[static_cast<std::size_t>(outcome)];
    out_ +=
        fmt::format("  {} ({} committed, {} aborted, {} indeterminate)   {}   {}   {}\n",
                    format_count(history.transaction_count(), "txn"), format_count(outcomes[0]),
                    format_count(outcomes[1]), format_count(outcomes[2]), sessions(history),
                    format_count(history.operation_count(), "op"), format_count(history.key_count(), "key"));
  }

  static std::string sessions(const History& history) {
    const std::string all = format_count(history.session_count(), "session");
    const std::optional<std::uint64_t> clients = clients_of(history);
    return clients ? fmt::format("{} of {}", all, format_count(*clients, "client")) : all;
  }

  // Shows the origin of a gate that the user did not choose.
  void gate() {
    if (!report_.gate || report_.gate->origin == Gate::Origin::Asked) return;
    labelled("gate", fmt::format("{}, promised by {}; --level any surveys all levels",
                                 name_of(report_.gate->level), whose_promise()));
  }
  std::string whose_promise() const {
    constexpr std::string_view kUnnamed = "the recording";
    if (report_.history == nullptr) return std::string(kUnnamed);
    const auto& facts = report_.history->facts();
    const auto database = facts.find("database"), isolation = facts.find("isolation");
    if (isolation == facts.end()) return std::string(kUnnamed);
    return fmt::format("{}{}", database == facts.end() ? "" : database->second + " ", isolation->second);
  }

  void run_story(const RunFindings& run) {
    if (!run.loss.empty()) labelled("lost", run.loss + "; the verdict covers what was recorded until then");
    if (!run.found_on_the_way.empty() && !violated(report_.result.verdict))
      labelled("found", "during the run: " + run.found_on_the_way);
    if (run.mirrored_in_all > 0) {
      labelled("mirror", fmt::format("{} found during the run, judged by the mechanisms of the database",
                                     format_count(run.mirrored_in_all, "violation")));
      const std::size_t shown = std::min(report_.max_findings, run.mirrored.size());
      for (std::size_t i = 0; i < shown; ++i) labelled("", run.mirrored[i]);
    }
    for (const std::string& notice : run.notices) paragraph("note", notice);
    if (!is_broken(run)) return;
    labelled("invariant", fmt::format("of {}: {}", run.workload, run.invariant));
    labelled("broken", fmt::format("{}, found in {}", format_count(run.broken_in_all, "time"),
                                   format_count(run.looks, "check")));
    const std::size_t shown = std::min(report_.max_findings, run.broken.size());
    for (std::size_t i = 0; i < shown; ++i) labelled("", run.broken[i]);
    if (shown < run.broken_in_all)
      labelled("", fmt::format("… {} more", format_count(run.broken_in_all - shown)));
    std::string_view label = "level";
    for (const std::string& sentence : permissions(run, level_of_gate(report_)))
      labelled(std::exchange(label, ""), sentence);
    if (!violated(report_.result.verdict))
      labelled(label, fmt::format(fmt::runtime(undecided(report_.result.verdict)
                                                   ? "whether the recording itself satisfies {} is unknown"
                                                   : "the recording itself satisfies {}"),
                                  name_of(report_.result.level)));
  }

  void undecided_story(const Undecided& why) {
    labelled("reason", why.reason);
    for (const std::string& detail : why.details) labelled("", detail);
  }

  void anomalies() {
    std::map<AnomalyKind, std::uint64_t> shown;
    const auto& counts = counts_of(report_);
    std::vector<ShownAnomaly> told = shown_anomalies(report_);
    // A survey shows only the first anomalies; checking one refuted level shows the others.
    if (!report_.gate && !options_.detailed) told.resize(std::min(told.size(), options_.most_of_survey));
    for (const ShownAnomaly& one : told) {
      const AnomalyKind kind = one.anomaly->kind;
      const auto counted = counts.find(kind);
      const std::uint64_t number = ++shown[kind];
      const std::uint64_t total = counted == counts.end() ? number : std::max(counted->second, number);
      out_ += "\n";
      anomaly_story(one, number, total);
    }
    out_ += "\n";
    list("found", format_counts(counts));
    other_orders("certificate", "the certificate's", report_.result.without_certificate);
    other_orders("expected order", "the expected one", report_.result.without_expected_order);
  }

  // Two facts: the history violates the certificate or the required order, and whether another order
  // would explain it.
  void other_orders(std::string_view what, std::string_view whose,
                    const std::optional<CheckResult::OtherOrders>& other) {
    using Answer = CheckResult::OtherOrders::Answer;
    if (!other) return;
    const bool exists = other->answer == Answer::SomeOrderExists;
    labelled("fact", fmt::format("{} violated{}", what, exists ? "; some order exists" : ""));
    switch (other->answer) {
      case Answer::SomeOrderExists:
        return labelled("", fmt::format("what clients saw is {} in an order other than {}",
                                        name_of(report_.result.level), whose));
      case Answer::NoOrderExists:
        return labelled("", "and no other order of the transactions explains what clients saw");
      case Answer::NotKnown:
        return labelled("",
                        "whether some other order explains what clients saw is not known: " + other->reason);
    }
  }

  void anomaly_story(const ShownAnomaly& shown, std::uint64_t number, std::uint64_t total) {
    const Explanation story = explain(*report_.history, shown.level, *shown.anomaly, report_.clock);
    const AnomalyInfo& row = info(shown.anomaly->kind);
    const std::string alias = row.adya.empty() ? "" : fmt::format(" ({})", row.adya);
    out_ += fmt::format("  {}{} #{} of {}      {}\n\n", coloured(row.name, 31), alias, number,
                        format_count(total), format_count(story.participants.size(), "transaction"));
    participants(story.participants);
    out_ += "\n";
    steps(story.steps);
    out_ += fmt::format("    {}\n", printable(story.conclusion));
  }

  void participants(const std::vector<Participant>& all) {
    if (all.size() == 2 && side_by_side(all[0], all[1])) return;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (left_out(i, all.size())) {
        if (i == kShownParticipants - 2)
          out_ += fmt::format("      … {} more\n", all.size() - kShownParticipants);
        continue;
      }
      out_ += fmt::format("      {}   {}\n", title(all[i], all), fmt::join(operations(all[i]), " "));
    }
  }

  // Elides a long list except for the first six and the last two.
  bool left_out(std::size_t index, std::size_t size) const {
    return !options_.detailed && size > kShownParticipants && index >= kShownParticipants - 2 &&
           index < size - 2;
  }

  // False when two columns do not fit the width.
  bool side_by_side(const Participant& left, const Participant& right) {
    std::vector<std::string> first = column(left, {left, right});
    std::vector<std::string> second = column(right, {left, right});
    const auto widest = [](const std::vector<std::string>& lines) {
      return std::ranges::max(lines, {}, display_width);
    };
    const std::size_t width = display_width(widest(first)) + 6;
    if (6 + width + display_width(widest(second)) > options_.width) return false;
    first.resize(std::max(first.size(), second.size()));
    second.resize(first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::string line = "      " + padded(first[i], width) + second[i];
      out_ += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return true;
  }

  std::vector<std::string> column(const Participant& participant, const std::vector<Participant>& all) const {
    std::vector<std::string> lines{title(participant, all)};
    for (std::string& line : operations(participant)) lines.push_back(std::move(line));
    return lines;
  }

  // The operations that matter, with the number of others in their place: "… 3 more". Short transactions
  // in full.
  std::vector<std::string> operations(const Participant& participant) const {
    const IdRange<OperationId> all = report_.history->operations(participant.transaction);
    std::vector<std::string> out;
    std::size_t skipped = 0;
    for (const OperationId op : all) {
      const bool matters = std::ranges::binary_search(participant.operations, op);
      if (!matters && !options_.detailed && all.size() > kShownOperations) {
        ++skipped;
        continue;
      }
      if (skipped > 0) out.push_back(fmt::format("… {} more", std::exchange(skipped, 0)));
      out.push_back(format_operation(*report_.history, op));
    }
    if (skipped > 0) out.push_back(fmt::format("… {} more", skipped));
    return out;
  }

  // "T18231  session 3  aborted  xid 90311  +0.0 ms .. +0.8 ms"
  std::string title(const Participant& participant, const std::vector<Participant>& all) const {
    const History& history = *report_.history;
    const TransactionId t = participant.transaction;
    std::string text = fmt::format("{}  session {}", participant.name,
                                   format_short(history, history.session_label(history.session(t))));
    if (history.outcome(t) != Outcome::Committed) text += fmt::format("  {}", name_of(history.outcome(t)));
    if (const TransactionHints* hints = history.hints(t)) {
      if (!hints->node.empty()) text += "  node " + printable(hints->node);
      if (!hints->server_transaction.empty()) text += "  xid " + printable(hints->server_transaction);
    }
    return text + times(t, all);
  }

  std::string times(TransactionId t, const std::vector<Participant>& all) const {
    const Interval interval = report_.history->interval(t);
    if (interval.begin == kUnknownBegin || interval.end == kUnknownEnd) return {};
    if (report_.clock == Clock::FilePositions)
      return fmt::format("  events {} .. {}", interval.begin, interval.end);
    Time origin = interval.begin;
    for (const Participant& other : all) {
      const Time begin = report_.history->interval(other.transaction).begin;
      if (begin != kUnknownBegin) origin = std::min(origin, begin);
    }
    return fmt::format("  {} .. {}", moment(interval.begin, origin), moment(interval.end, origin));
  }
  static std::string moment(Time time, Time origin) {
    const auto after =
        static_cast<double>(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(origin));
    return after < 1e4 ? fmt::format("+{:.0f} ns", after) : fmt::format("+{:.3f} ms", after / 1e6);
  }

  void steps(const std::vector<Explanation::Step>& all) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!left_out(i, all.size())) width = std::max(width, display_width(printable(all[i].claim)));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!left_out(i, all.size()))
        step(i, all[i], width);
      else if (i == kShownParticipants - 2)
        out_ += fmt::format("    … {} more\n", all.size() - kShownParticipants);
    }
  }
  void step(std::size_t index, const Explanation::Step& one, std::size_t width) {
    if (one.claim.empty())
      out_ += fmt::format("    {}\n", printable(one.why));
    else if (width > kWidestClaim)
      out_ += fmt::format("    {}. {}\n       {}\n", index + 1, printable(one.claim), printable(one.why));
    else
      out_ += fmt::format("    {}. {}   {}\n", index + 1, padded(printable(one.claim), width),
                          printable(one.why));
  }

  void levels() {
    const Standing known = standing(report_);
    list("strongest", names_of(known.strongest));
    list("not", names_of(known.weakest_refuted));
    list("also not", shortened(known.also_refuted));
    held(known);
    if (report_.survey) list("open", names_of(known.open));
  }

  static std::vector<std::string> names_of(std::span<const Level> levels) {
    std::vector<std::string> out;
    for (const Level level : levels) out.emplace_back(name_of(level));
    return out;
  }

  std::vector<std::string> shortened(const std::vector<Level>& levels) const {
    if (options_.detailed || levels.size() <= kShownLevels) return names_of(levels);
    std::vector<std::string> out = names_of(std::span(levels).first(kShownLevels - 1));
    out.push_back(fmt::format("{} more (-v lists them)", levels.size() - out.size()));
    return out;
  }

  // Only the greatest; serval levels shows which levels they imply.
  void held(const Standing& known) {
    const std::vector<Level>& named = known.greatest;
    const std::size_t weaker = known.holds.size() - named.size();
    if (options_.detailed) return list("holds", names_of(known.holds));
    std::vector<std::string> out;
    if (known.strongest.empty()) out = names_of(named);
    if (weaker > 0) out.push_back(fmt::format("{} (-v lists them)", format_count(weaker, "weaker level")));
    list("holds", out);
  }

  // Wrapped between items.
  void list(std::string_view label, const std::vector<std::string>& items) {
    std::string line;
    for (const std::string& item : items) {
      const bool fits = kLabelWidth + 2 + line.size() + 2 + item.size() + 1 <= options_.width;
      if (!line.empty() && !fits) {
        labelled(label, line + ",");
        label = "";
        line.clear();
      }
      line += (line.empty() ? "" : ", ") + item;
    }
    if (!line.empty()) labelled(label, line);
  }

  // Wrapped at blanks.
  void paragraph(std::string_view label, std::string_view text) {
    const std::size_t width = options_.width - kLabelWidth - 2;
    while (display_width(text) > width) {
      std::size_t end = text.rfind(' ', width);
      if (end == std::string_view::npos || end == 0) end = std::min(text.find(' '), text.size());
      labelled(label, text.substr(0, end));
      label = "";
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!text.empty()) labelled(label, text);
  }

  void engine() {
    if (report_.result.engine.empty()) return;
    const char* reach = report_.result.complete ? "complete: the answer is final for this history"
                                                : "incomplete: it cannot settle this history";
    labelled("engine", fmt::format("{}, {}", report_.result.engine, reach));
    if (options_.explains_engine || options_.detailed) attempts();
    if (report_.verification == Verification::Passed)
      labelled("verified", "the evidence was verified against the raw history");
  }

  void attempts() {
    if (report_.result.replayed)
      labelled("", report_.result.without_expected_order
                       ? "the expected order was replayed; then the reads alone were asked for another"
                       : "the expected order was replayed; no other was tried");
    else if (report_.result.engine == "replay")
      labelled("", "an order that the reads and times suggest was replayed");
    else if (report_.result.attempts.empty())
      labelled("", "the order follows from the reads; no search was needed");
    for (const Attempt& one : report_.result.attempts)
      labelled("", fmt::format("{}  {}  {}", padded(one.step, 10), padded(format_seconds(one.seconds), 8),
                               one.result));
  }

  void cost() {
    labelled("cost", fmt::format("{}   peak {}", format_seconds(report_.budget.seconds),
                                 format_bytes(report_.budget.peak_rss_bytes)));
    if (!options_.detailed) return;
    for (const auto& [phase, seconds] : report_.result.phases)
      labelled("", fmt::format("{}  {}", padded(phase, 24), format_seconds(seconds)));
  }

  void next() {
    const std::string command = next_command();
    if (!command.empty()) labelled("next", command);
  }

  std::string next_command() const {
    if (report_.path == "-") return {};
    const Verdict& verdict = report_.result.verdict;
    if (const std::optional<Level> level = level_of_broken_invariant())
      return fmt::format("serval check {} --level {}    (shows who broke the invariant)", report_.path,
                         name_of(*level));
    if (!report_.gate && !report_.model.empty() && !holds(verdict))
      return fmt::format("serval check {} --model {}", report_.path, report_.model);
    if (const auto* why = std::get_if<Undecided>(&verdict)) return next_after(*why);
    const Standing known = standing(report_);
    if (headline(report_) == Headline::Anomaly && !known.refuted.empty())
      return fmt::format("serval check {} --level {}    (shows the anomalies this level forbids)",
                         report_.path, name_of(known.weakest_refuted.front()));
    if (violated(verdict) && !known.greatest.empty())
      return fmt::format("serval check {} --level {}    (checks the strongest level known to hold)",
                         report_.path, name_of(known.greatest.front()));
    const auto* found = std::get_if<Violated>(&verdict);
    if (found == nullptr || found->anomalies.empty()) return {};
    return fmt::format("serval anomalies {}", name_of(found->anomalies.front().kind));
  }

  // A violated gate already shows its transactions.
  std::optional<Level> level_of_broken_invariant() const {
    const bool shows_some = report_.gate && violated(report_.result.verdict);
    if (!is_broken(report_.run) || shows_some) return std::nullopt;
    return level_that_keeps(*report_.run, level_of_gate(report_));
  }

  std::string next_after(const Undecided& why) const {
    const std::string level = report_.gate ? fmt::format(" --level {}", name_of(report_.gate->level)) : "";
    switch (why.cause) {
      case Undecided::Cause::TimeBudget:
        return fmt::format("serval check {}{} --timeout {}m", report_.path, level,
                           std::max(30, static_cast<int>(report_.budget.timeout_seconds.value_or(0) / 20)));
      case Undecided::Cause::MemoryBudget:
        return fmt::format(
            "serval check {}{} --memory-limit {}MiB", report_.path, level,
            std::max<std::uint64_t>(report_.budget.memory_limit_bytes.value_or(0) >> 19, 1024));
      case Undecided::Cause::Stopped:
        return fmt::format("serval check {}{}", report_.path, level);
      case Undecided::Cause::NoTransactions:
        return fmt::format("serval stats {}", report_.path);
      case Undecided::Cause::NoEngine:
        if (report_.result.engine == "certificate")
          return fmt::format("serval check {}{} --no-certificate    (judges by the reads alone)",
                             report_.path, level);
        [[fallthrough]];
      default:
        return fmt::format("serval lint {}", report_.path);
    }
  }

  const Report& report_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string text_report(const Report& report, const TextOptions& options) {
  return TextReport(report, options).write();
}

}  // namespace serval
