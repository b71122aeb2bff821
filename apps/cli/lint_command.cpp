// serval lint: which preconditions a history meets, and what that means for check. Always exits with 0 when
// the file could be read: a history that needs a stronger engine is not a bad history.

#include <memory>

#include <fmt/format.h>

#include "exit_code.h"
#include "output.h"
#include "reading.h"
#include "serval/base/json_writer.h"
#include "serval/base/printable.h"
#include "serval/inference/lint.h"
#include "serval/report/names.h"
#include "serval/report/quantity.h"
#include "verb.h"
#include "verb_limits.h"

namespace serval::cli {
namespace {

struct LintFlags {
  std::string path;
  ReadingFlags reading;
  LimitFlags limits;
  bool json = false;
};

// One line of the result: a precondition, whether it holds, and the exceptions.
struct Finding {
  std::string_view id;
  std::string_view claim;  // What is true if it holds.
  std::uint64_t count;     // Exceptions; 0: it holds.
  std::vector<std::string> examples;
  std::string_view meaning;  // What an exception means for check.
};

class Findings {
 public:
  Findings(const History& history, const Lint& facts) : history_(history), names_(history, named(facts)) {
    values(facts);
    outcomes(facts);
    clocks(facts);
  }
  const std::vector<Finding>& all() const { return findings_; }

 private:
  std::vector<TransactionId> named(const Lint& facts) const {
    std::vector<TransactionId> out;
    const auto name_pairs = [&](const auto& tally) {
      for (const auto& [one, other] : tally.examples) out.insert(out.end(), {one, other});
    };
    name_pairs(facts.retries);
    name_pairs(facts.repeated_attempts);
    name_pairs(facts.overlaps);
    name_pairs(facts.equal_times);
    for (const auto* tally : {&facts.indeterminate, &facts.ends_before_begin, &facts.empty_transactions})
      out.insert(out.end(), tally->examples.begin(), tally->examples.end());
    for (const auto* tally : {&facts.blind_writes, &facts.unwritten_reads})
      for (const OperationId op : tally->examples) out.push_back(history_.transaction_of(op));
    for (const auto& [one, other] : facts.duplicate_writes.examples)
      out.insert(out.end(), {history_.transaction_of(one), history_.transaction_of(other)});
    return out;
  }

  std::string format(OperationId op) const {
    return fmt::format("{} in {}", format_operation(history_, op), names_(history_.transaction_of(op)));
  }
  std::string format(TransactionId t) const { return names_(t); }
  template <class Id>
  std::string format(const std::pair<Id, Id>& pair) const {
    return fmt::format("{} and {}", format(pair.first), format(pair.second));
  }

  template <class Example>
  void add(std::string_view id, std::string_view claim, const Tally<Example>& tally,
           std::string_view meaning) {
    Finding finding{id, claim, tally.count, {}, meaning};
    for (const Example& example : tally.examples) finding.examples.push_back(format(example));
    findings_.push_back(std::move(finding));
  }

  void values(const Lint& facts) {
    add("unique-writes", "every written value is unique to its key", facts.duplicate_writes,
        "a read of such a value does not show which write it saw, and check cannot decide");
    add("read-before-write", "every write follows a read of its key", facts.blind_writes,
        "nothing shows which version a blind write replaced; one per key is taken as its first version");
    add("written-reads", "every value read was written", facts.unwritten_reads,
        "a value from nowhere violates every level; or the recording is incomplete");
  }
  void outcomes(const Lint& facts) {
    add("determinate", "every transaction is known to have committed or aborted", facts.indeterminate,
        "such a transaction counts only if a read saw its writes");
    add("no-empty-txns", "every transaction has operations", facts.empty_transactions,
        "they say nothing about isolation");
    add("no-retries", "no transaction repeats its aborted predecessor", facts.retries,
        "a client library probably retries; each attempt needs fresh values");
    add("no-repeated-attempts", "no value is written again after an indeterminate attempt",
        facts.repeated_attempts, "probably one transaction recorded twice; reads of it cannot be attributed");
  }
  void clocks(const Lint& facts) {
    add("clock-forward", "no transaction ends before it begins", facts.ends_before_begin,
        "strict levels need true times");
    add("session-sequential", "transactions of one session do not overlap", facts.overlaps,
        "sessions must run one transaction at a time; is the session id a thread or a pool?");
    add("clock-fine", "no transaction begins in the tick in which its predecessor ended", facts.equal_times,
        "equal times imply no order; strict levels lose a little strength");
  }

  const History& history_;
  TransactionNames names_;
  std::vector<Finding> findings_;
};

std::string fitness(const History& history, const Lint& facts) {
  if (fits_lightweight_transactions(facts, history))
    return "fit for the lightweight-transaction engine: linearizable is decided in linear time";
  if (fits_mini_transactions(facts))
    return "fit for the mini-transaction engine: serializable, snapshot isolation and their strict variants "
           "are decided in linear time";
  return "not fit for the fast engines: check searches for an order, which may take longer or stay UNKNOWN";
}

// Ranges cannot be decided without a certificate.
bool lacks_certificate(const History& history, const Lint& facts) {
  return facts.predicate_operations > 0 && history.certificate().empty();
}

std::string text_of(const std::string& path, const LoadedHistory& loaded, const Lint& facts) {
  const Findings findings(loaded.history, facts);
  std::string out = fmt::format("{} ({})\n", printable(path), loaded.format);
  for (const Finding& finding : findings.all()) {
    out += fmt::format("  {}  {}\n", finding.count == 0 ? "yes" : "no ", finding.claim);
    if (finding.count == 0) continue;
    out += fmt::format("       {}: {}{}\n", format_count(finding.count, "exception"),
                       printable(fmt::format("{}", fmt::join(finding.examples, "; "))),
                       finding.count > finding.examples.size() ? "; …" : "");
    out += fmt::format("       {}\n", finding.meaning);
  }
  const std::uint64_t keys = facts.keys_total_order + facts.keys_partial_order + facts.keys_no_order;
  out += fmt::format("  version order  total on {} of {}, partial on {}, unknown on {}\n",
                     format_count(facts.keys_total_order), format_count(keys, "written key"),
                     format_count(facts.keys_partial_order), format_count(facts.keys_no_order));
  const std::size_t all = loaded.history.transaction_count();
  const double share = all == 0 ? 0 : static_cast<double>(facts.aborted) / static_cast<double>(all);
  out += fmt::format("  aborted        {} ({})\n", format_count(facts.aborted), format_share(share));
  out += fmt::format("  times          on {} of {}\n", format_count(facts.timed), format_count(all, "txn"));
  if (lacks_certificate(loaded.history, facts))
    out += fmt::format(
        "  certificate    none, so {} may stay undecided: serval run --certificate records one if the "
        "database can provide it\n",
        format_count(facts.predicate_operations, "operation") + " over ranges");
  return out + fmt::format("  {}\n  next           serval check {}\n", fitness(loaded.history, facts),
                           printable(path));
}

std::string json_of(const std::string& path, const LoadedHistory& loaded, const Lint& facts) {
  const Findings findings(loaded.history, facts);
  JsonWriter json;
  json.begin_object().key("schema").text("serval.lint/1").key("path").text(path);
  json.key("format").text(loaded.format).key("preconditions").begin_array();
  for (const Finding& finding : findings.all()) {
    json.begin_object().key("id").text(finding.id).key("holds").boolean(finding.count == 0);
    json.key("claim")
        .text(finding.claim)
        .key("exceptions")
        .number(finding.count)
        .key("examples")
        .begin_array();
    for (const std::string& example : finding.examples) json.text(example);
    json.end().end();
  }
  json.end().key("inference").begin_object();
  json.key("keys_total_order").number(facts.keys_total_order);
  json.key("keys_partial")
      .number(facts.keys_partial_order)
      .key("keys_none")
      .number(facts.keys_no_order)
      .end();
  json.key("blindly_written_keys").number(facts.blindly_written_keys);
  json.key("predicate_operations").number(facts.predicate_operations);
  json.key("lacks_certificate").boolean(lacks_certificate(loaded.history, facts));
  json.key("aborted").number(facts.aborted).key("timed").number(facts.timed);
  json.key("fits_mini_transactions").boolean(fits_mini_transactions(facts));
  json.key("fits_lightweight_transactions").boolean(fits_lightweight_transactions(facts, loaded.history));
  return json.end().take() + "\n";
}

int show_lint(const LintFlags& flags, Budget& budget) {
  const LoadedHistory loaded = load_history(flags.path, flags.reading, budget);
  const Lint facts = lint(loaded.history, &budget);
  print(flags.json ? json_of(flags.path, loaded, facts) : text_of(flags.path, loaded, facts));
  return kHolds;
}

}  // namespace

Action declare_lint(Arguments& arguments) {
  auto flags = std::make_shared<LintFlags>();
  arguments.word("FILE", flags->path, "The history; - is standard input");
  declare_reading_flags(arguments, flags->reading);
  declare_limit_flags(arguments, flags->limits);
  arguments.flag("--json", flags->json, "One JSON object instead of text");
  return [flags] {
    return within_limits(flags->limits, [&](Budget& budget) { return show_lint(*flags, budget); });
  };
}

}  // namespace serval::cli
