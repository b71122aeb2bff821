#include <algorithm>
#include <array>

#include "serval/base/json_writer.h"
#include "serval/report/explanation.h"
#include "serval/report/json_members.h"
#include "serval/report/names.h"
#include "serval/report/report.h"

namespace serval {
namespace {

class JsonReport {
 public:
  explicit JsonReport(const Report& report) : report_(report) {}

  std::string write() && {
    begin_report(json_, "serval.report/2", report_);
    facts();
    json_.key("verdict").text(name_of(headline(report_)));
    levels();
    json_.key("complete").boolean(report_.result.complete);
    const auto* why = std::get_if<Undecided>(&report_.result.verdict);
    json_.key("undecided");
    why != nullptr ? undecided(*why) : json_.null();
    json_.key("counts");
    report_.history != nullptr ? counts(*report_.history) : json_.null();
    anomalies();
    put_texts(json_, "notes", remarks(report_));
    json_.key("engine").text(report_.result.engine);
    json_.key("verified").boolean(report_.verification == Verification::Passed);
    put_phases(json_, report_.result.phases);
    attempts();
    put_text_or_null(json_, "without_certificate", answer_of(report_.result.without_certificate));
    put_text_or_null(json_, "without_expected_order", answer_of(report_.result.without_expected_order));
    json_.key("run");
    if (report_.run)
      write_json(json_, *report_.run, level_of_gate(report_), report_.max_findings);
    else
      json_.null();
    json_.key("time_s").number(report_.budget.seconds);
    json_.key("peak_rss_bytes").number(report_.budget.peak_rss_bytes);
    budget();
    json_.key("exit_code").number(report_.exit_code);
    json_.end();
    return json_.take();
  }

 private:
  void facts() {
    json_.key("facts").begin_object();
    if (report_.history != nullptr)
      for (const auto& [name, text] : report_.history->facts()) json_.key(name).text(text);
    json_.end().end();
  }

  void list(std::string_view name, const std::vector<Level>& levels) {
    put_texts(json_, name, levels, name_of<Level>);
  }

  void levels() {
    const Standing known = standing(report_);
    json_.key("level").begin_object().key("asked").begin_array();
    if (report_.gate && report_.gate->origin == Gate::Origin::Asked) json_.text(name_of(report_.gate->level));
    json_.end().key("verdict").text(name_of(level_headline(report_))).key("gate");
    report_.gate ? gate(*report_.gate) : json_.null();
    put_text_or_null(json_, "strongest_not_refuted",
                     known.strongest.empty() ? "" : name_of(known.strongest.front()));
    list("strongest_not_refuted_all", known.strongest);
    list("refuted", known.refuted);
    list("not", known.weakest_refuted);
    list("also_not", known.also_refuted);
    list("holds", known.holds);
    list("open", known.open);
    json_.end();
  }

  JsonWriter& gate(const Gate& gate) {
    json_.begin_object().key("level").text(name_of(gate.level));
    return json_.key("origin").text(name_of(gate.origin)).end();
  }

  JsonWriter& undecided(const Undecided& why) {
    json_.begin_object().key("cause").text(name_of(why.cause)).key("reason").text(why.reason);
    put_texts(json_, "details", why.details);
    return json_.end();
  }

  static std::string_view name_of(Undecided::Cause cause) {
    static constexpr std::array<std::string_view, 8> kNames{"no-engine",       "precondition",  "no-times",
                                                            "no-transactions", "effort-budget", "time-budget",
                                                            "memory-budget",   "stopped"};
    return kNames[static_cast<std::size_t>(cause)];
  }
  template <class Named>
  static std::string_view name_of(Named named) {
    return serval::name_of(named);
  }

  JsonWriter& counts(const History& history) {
    std::array<std::uint64_t, 3> outcomes{};
    for (const Outcome outcome : history.outcome_column()) ++outcomes[static_cast<std::size_t>(outcome)];
    json_.begin_object();
    json_.key("txns").number(std::uint64_t{history.transaction_count()});
    json_.key("committed").number(outcomes[0]).key("aborted").number(outcomes[1]);
    json_.key("indeterminate").number(outcomes[2]);
    json_.key("ops").number(std::uint64_t{history.operation_count()});
    json_.key("sessions").number(std::uint64_t{history.session_count()});
    put_number_or_null(json_, "clients", clients_of(history));
    return json_.key("keys").number(std::uint64_t{history.key_count()}).end();
  }

  void anomalies() {
    const std::vector<ShownAnomaly> shown = shown_anomalies(report_);
    const auto& counts = counts_of(report_);
    std::uint64_t total = 0;
    for (const auto& [kind, count] : counts) total += count;
    json_.key("anomalies").begin_object();
    json_.key("total").number(std::max<std::uint64_t>(total, shown.size()));
    json_.key("by_type").begin_object();
    for (const auto& [kind, count] : counts) json_.key(name_of(kind)).number(count);
    json_.end().key("found").begin_object();
    for (const auto& [kind, count] : report_.survey ? report_.survey->found : counts)
      json_.key(name_of(kind)).number(count);
    json_.end().key("shown").begin_array();
    for (std::size_t i = 0; i < shown.size(); ++i) anomaly(i + 1, shown[i].level, *shown[i].anomaly);
    json_.end().end();
  }

  void anomaly(std::uint64_t id, Level level, const Anomaly& one) {
    const Explanation story = explain(*report_.history, level, one, report_.clock);
    json_.begin_object().key("id").number(id).key("type").text(name_of(one.kind));
    put_text_or_null(json_, "alias", info(one.kind).adya);
    put_texts(json_, "txns", story.participants, &Explanation::Participant::name);
    edges(one, story);
    transactions(story);
    json_.key("prose").text(prose(story)).key("fingerprint").text(story.fingerprint).end();
  }

  // Position of an operation in its transaction; null if there is none or it belongs to another
  // transaction.
  void position(OperationId op, TransactionId t) {
    if (op.is_none() || report_.history->transaction_of(op) != t)
      json_.null();
    else
      json_.number(std::uint64_t{op.index - report_.history->operations(t).first});
  }

  void edges(const Anomaly& one, const Explanation& story) {
    json_.key("edges").begin_array();
    std::visit([&](const auto& evidence) { edges_of(evidence, story); }, one.evidence);
    json_.end();
  }

  void edges_of(const Cycle& cycle, const Explanation& story) {
    for (std::size_t i = 0; i < cycle.edges.size(); ++i)
      edge(cycle.edges[i], story.participants[i].name, story.participants[(i + 1) % cycle.edges.size()].name,
           story, story.steps[i].why);
  }

  // The steps of every case. Those that hold only in their case are marked ("assumed": "case").
  void edges_of(const Contradiction& claim, const Explanation& story) {
    for (const Contradiction::Node& node : claim.nodes)
      for (const Edge& step : node.cycle)
        edge(step, name_in(story, step.from), name_in(story, step.to), story, "");
  }

  void edges_of(const Divergence& split, const Explanation& story) {
    edge(branch(split, split.first, split.second), name_in(story, split.first.transaction),
         name_in(story, split.second.transaction), story, story.steps[0].why);
    edge(branch(split, split.second, split.first), name_in(story, split.second.transaction),
         name_in(story, split.first.transaction), story, story.steps[1].why);
  }

  // Evidence about reads, rows and versions rather than an order of transactions.
  template <class Other>
  void edges_of(const Other&, const Explanation&) {}

  static Edge branch(const Divergence& split, const Divergence::Branch& from, const Divergence::Branch& to) {
    return {from.transaction, to.transaction, EdgeKind::ReadWrite, split.key, from.read, to.write, to.read};
  }
  static std::string name_in(const Explanation& story, TransactionId t) {
    return std::ranges::find(story.participants, t, &Explanation::Participant::transaction)->name;
  }

  // The reader, if the order follows from a read of a third transaction.
  void reader(OperationId read, const Explanation& story) {
    const TransactionId t = report_.history->transaction_of(read);
    json_.key("reader").text(name_in(story, t)).key("reader_op");
    position(read, t);
  }

  void edge(const Edge& one, const std::string& from, const std::string& to, const Explanation& story,
            const std::string& why) {
    json_.begin_object().key("from").text(from).key("to").text(to).key("kind").text(name_of(one.kind));
    json_.key("key");
    one.key.is_none() ? json_.null() : json_.text(report_.history->format_key(one.key));
    json_.key("from_op");
    position(one.from_op, one.from);
    json_.key("to_op");
    position(one.to_op, one.to);
    json_.key("to_read");
    position(one.to_read, one.to);
    if (one.kind == EdgeKind::CommitOrder) reader(one.to_read, story);
    put_text_or_null(json_, "assumed", one.basis == OrderBasis::Reads ? "" : name_of(one.basis));
    if (one.of_predicate) json_.key("predicate").boolean(true);
    json_.key("why").text(why).end();
  }

  void transactions(const Explanation& story) {
    json_.key("transactions").begin_array();
    for (const Explanation::Participant& one : story.participants) {
      const History& history = *report_.history;
      json_.begin_object().key("name").text(one.name);
      json_.key("label").text(history.format(history.label(one.transaction)));
      json_.key("session").text(history.format(history.session_label(history.session(one.transaction))));
      json_.key("outcome").text(name_of(history.outcome(one.transaction)));
      put_texts(json_, "operations", one.operations,
                [&](OperationId op) { return format_operation(history, op); });
      json_.end();
    }
    json_.end();
  }

  static std::string_view answer_of(const std::optional<CheckResult::OtherOrders>& other) {
    using Answer = CheckResult::OtherOrders::Answer;
    if (!other) return "";
    return other->answer == Answer::SomeOrderExists ? "some-order-exists"
           : other->answer == Answer::NoOrderExists ? "no-order-exists"
                                                    : "not-known";
  }

  void attempts() {
    json_.key("attempts").begin_array();
    for (const Attempt& one : report_.result.attempts) {
      json_.begin_object().key("step").text(one.step).key("time_s").number(one.seconds);
      json_.key("result").text(one.result).end();
    }
    json_.end();
  }

  void budget() {
    const BudgetUse& use = report_.budget;
    const auto* why = std::get_if<Undecided>(&report_.result.verdict);
    json_.key("budget").begin_object();
    put_number_or_null(json_, "timeout_s", use.timeout_seconds);
    put_number_or_null(json_, "memory_limit_bytes", use.memory_limit_bytes);
    json_.key("time_s").number(use.seconds).key("peak_rss_bytes").number(use.peak_rss_bytes);
    put_text_or_null(json_, "hit",
                     why == nullptr || why->cause < Undecided::Cause::TimeBudget ? ""
                     : why->cause == Undecided::Cause::TimeBudget                ? "time"
                     : why->cause == Undecided::Cause::MemoryBudget              ? "memory"
                                                                                 : "signal");
    json_.end();
  }

  const Report& report_;
  JsonWriter json_;
};

}  // namespace

std::string json_report(const Report& report) { return JsonReport(report).write(); }

}  // namespace serval
