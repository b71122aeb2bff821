#include "serval/report/explanation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "serval/report/certified_words.h"
#include "serval/report/names.h"
#include "serval/report/order_words.h"
#include "serval/report/quantity.h"

namespace serval {
namespace {

constexpr std::size_t kLongestChain = 5;  // The conclusion does not repeat longer cycles.

using Participant = Explanation::Participant;

// Writes the sentences.
class Narrator {
 public:
  Narrator(const History& history, Level level, Clock clock, std::vector<Participant> participants,
           const std::vector<TransactionId>& others)
      : history_(history), level_(level), clock_(clock), names_(history, ids(participants, others)) {
    story_.participants = std::move(participants);
    for (Participant& participant : story_.participants) {
      participant.name = names_(participant.transaction);
      std::ranges::sort(participant.operations);
      participant.operations.erase(std::unique(participant.operations.begin(), participant.operations.end()),
                                   participant.operations.end());
    }
  }

  Explanation tell(const Anomaly& anomaly) && {
    story_.fingerprint = name_of(anomaly.kind);
    std::visit([&](const auto& evidence) { tell_about(anomaly.kind, evidence); }, anomaly.evidence);
    return std::move(story_);
  }

 private:
  static std::vector<TransactionId> ids(const std::vector<Participant>& participants,
                                        std::vector<TransactionId> out) {
    for (const Participant& participant : participants) out.push_back(participant.transaction);
    return out;
  }

  std::string name(TransactionId t) const { return names_(t); }
  std::string name(OperationId op) const { return names_(history_.transaction_of(op)); }
  std::string key_of(OperationId op) const { return history_.format_key(history_.key(op)); }

  // What an operation read and what it wrote. An insert finds no value.
  Value value_seen(OperationId op) const {
    const bool compares = history_.kind(op) == OperationKind::CompareAndSet;
    return compares ? history_.expected(op) : history_.value(op);
  }
  bool found_nothing(OperationId op) const {
    return history_.kind(op) == OperationKind::Insert || value_seen(op).is_nil();
  }
  std::string seen(OperationId op) const {
    return found_nothing(op) ? "no value" : format_short(history_, value_seen(op));
  }
  std::string made(OperationId op) const { return format_short(history_, history_.value(op)); }

  std::string saw(OperationId op) const {
    if (found_nothing(op)) return fmt::format("found no value at {}", key_of(op));
    return fmt::format("read {} = {}", key_of(op), seen(op));
  }
  std::string wrote(OperationId op) const {
    if (history_.kind(op) == OperationKind::Delete) return "deleted " + key_of(op);
    const char* verb = history_.kind(op) == OperationKind::Append   ? "appended {1} to {0}"
                       : history_.kind(op) == OperationKind::Insert ? "inserted {} = {}"
                                                                    : "wrote {} = {}";
    return fmt::format(fmt::runtime(verb), key_of(op), made(op));
  }

  std::string wrote_briefly(OperationId op) const {
    if (history_.kind(op) == OperationKind::Delete) return "deleted it";
    return (history_.kind(op) == OperationKind::Append ? "appended " : "wrote ") + made(op);
  }

  std::string why(const Edge& edge) const {
    if (edge.basis == OrderBasis::Certificate && !edge.key.is_none()) return certified_.why(edge);
    switch (edge.kind) {
      case EdgeKind::WriteRead:
        return fmt::format("{} {}; {} read that {}", name(edge.from), wrote(edge.from_op), name(edge.to),
                           made(edge.from_op));
      case EdgeKind::WriteWrite:
        return why_overwritten(edge, name(edge.from) + " " + wrote(edge.from_op), made(edge.from_op));
      case EdgeKind::ReadWrite:
        return why_overwritten(edge, name(edge.from) + " " + saw(edge.from_op), seen(edge.from_op));
      case EdgeKind::Session:
        return fmt::format("session {} ran {} before {}",
                           format_short(history_, history_.session_label(history_.session(edge.from))),
                           name(edge.from), name(edge.to));
      case EdgeKind::RealTime:
        return why_earlier(edge.from, edge.to);
      case EdgeKind::CommitOrder:
        return why_committed_before(edge);
    }
    return {};
  }

  void tell_about(AnomalyKind kind, const BadRow& bad) {
    story_.steps.push_back({fmt::format("{}: {}", name(bad.reader), certified_.asked(bad.op, bad.key)),
                            certified_.why(kind, bad)});
    story_.conclusion =
        kind == AnomalyKind::OutsideSnapshot
            ? "so the transaction did not keep to its snapshot."
            : "so no order of the transactions that respects the certificate explains the result.";
  }

  void tell_about(AnomalyKind kind, const BrokenOrder& broken) {
    story_.steps.push_back({order_words_.claim(broken), order_words_.why(broken)});
    story_.conclusion = order_words_.conclusion(kind, broken);
  }

  // "T3 read x = 1 from T1 although it had seen T2, which wrote x = 2: T2 ─wr(y)→ T3"
  std::string why_committed_before(const Edge& edge) const {
    return fmt::format("{} {} from {} although it had seen {}, which {}", name(edge.to_read),
                       saw(edge.to_read), name(edge.to), name(edge.from), wrote(edge.from_op));
  }
  std::string how_seen(const Cycle& cycle, std::size_t edge) const {
    const auto found = std::ranges::find(cycle.visibility_paths, edge, &VisibilityPath::edge);
    return found == cycle.visibility_paths.end() || found->path.empty() ? "" : ": " + circle(found->path);
  }

  std::string both_found_nothing(KeyId key, TransactionId writer, OperationId write) const {
    return fmt::format("both found no value at {}; {} then {}", history_.format_key(key), name(writer),
                       wrote_briefly(write));
  }

  std::string why_overwritten(const Edge& edge, const std::string& before, const std::string& version) const {
    if (edge.to_op.is_none()) return before;
    if (edge.basis == OrderBasis::Case)
      return fmt::format("{}; {} {} after that", before, name(edge.to), wrote_briefly(edge.to_op));
    if (edge.basis != OrderBasis::Reads)
      return fmt::format("{}; {} {} later: {}", before, name(edge.to), wrote_briefly(edge.to_op),
                         on_what(edge.basis, edge.seen_earlier, edge.seen_later));
    if (edge.kind == EdgeKind::ReadWrite && !edge.to_read.is_none() && found_nothing(edge.from_op))
      return both_found_nothing(edge.key, edge.to, edge.to_op);
    if (edge.to_read == edge.to_op)
      return fmt::format("{}; {} replaced that same {} with {}", before, name(edge.to), version,
                         made(edge.to_op));
    if (!edge.to_read.is_none())
      return fmt::format("{}; {} read that same {} and {}", before, name(edge.to), version,
                         wrote_briefly(edge.to_op));
    if (history_.kind(edge.to_op) == OperationKind::Append)
      return fmt::format("{}; {} appended {} after that", before, name(edge.to), made(edge.to_op));
    if (edge.kind == EdgeKind::ReadWrite)
      return fmt::format("{}, the state before any write; {} {}", before, name(edge.to),
                         wrote_briefly(edge.to_op));
    return fmt::format("{}; {} overwrote it: {}", before, name(edge.to), wrote_briefly(edge.to_op));
  }

  // Why the version that `earlier` saw or wrote came before that of `later`.
  std::string on_what(OrderBasis basis, OperationId earlier, OperationId later) const {
    const TransactionId from = history_.transaction_of(earlier), to = history_.transaction_of(later);
    switch (basis) {
      case OrderBasis::Reads:
        return fmt::format("{} had read the one and wrote the other", name(to));
      case OrderBasis::Versions:
        return fmt::format("the database numbered them {} and {}", *history_.operation(earlier).version,
                           *history_.operation(later).version);
      case OrderBasis::CommitOrder:
        return fmt::format("{} committed before {} (commit-order)", name(from), name(to));
      case OrderBasis::SequentialKeys:
        return fmt::format("a session {} and then {} (sequential-keys)", touched(earlier), touched(later));
      case OrderBasis::LinearizableKeys:
        return fmt::format("{} before {} (linearizable-keys)", touched(earlier), touched(later));
      case OrderBasis::Case:
        return "by assumption in this case";
      case OrderBasis::Certificate:
        return "according to the certificate";
    }
    return {};
  }
  std::string touched(OperationId op) const {
    const bool reads = history_.kind(op) == OperationKind::Read;
    return fmt::format("{} in {}", reads ? saw(op) : wrote(op), name(op));
  }

  void tell_about(AnomalyKind, const VersionContradiction& versions) {
    const auto version = [&](OperationId write) {
      return write.is_none() ? std::string("the initial version") : made(write);
    };
    for (const VersionPrecedence& step : versions.steps) {
      const bool initial = step.seen_earlier.is_none();
      story_.steps.push_back(
          {fmt::format("{} ─{}→ {}", version(step.earlier), name_of(step.basis), version(step.later)),
           initial ? "the initial version precedes every write"
                   : on_what(step.basis, step.seen_earlier, step.seen_later)});
    }
    story_.fingerprint += fmt::format(":{}", name_of(versions.basis));
    story_.conclusion =
        fmt::format("so no order of the versions of {} is consistent with both {} and what was seen.",
                    history_.format_key(versions.key), name_of(versions.basis));
  }

  std::string why_earlier(TransactionId from, TransactionId to) const {
    if (clock_ == Clock::FilePositions)
      return fmt::format("{} had ended before {} began, by the order of the file", name(from), name(to));
    const double gap =
        static_cast<double>(history_.interval(to).begin) - static_cast<double>(history_.interval(from).end);
    return fmt::format("{} had ended {}{} before {} began", name(from),
                       clock_ == Clock::Widened ? "at least " : "", format_gap(gap), name(to));
  }
  static std::string format_gap(double nanoseconds) {
    return nanoseconds < 1e5 ? fmt::format("{:.0f} ns", nanoseconds) : format_seconds(nanoseconds / 1e9);
  }

  std::string label(const Edge& edge) const {
    const std::string key = edge.key.is_none() ? "" : "(" + history_.format_key(edge.key) + ")";
    return fmt::format("{}{}{}", edge.of_predicate ? "predicate-" : "", name_of(edge.kind), key);
  }

  // "serial order exists that respects real time", "order of the transactions satisfies both"
  std::string order(std::string_view satisfies, std::string_view respects) const {
    if (implies(level_, Level::Serializable)) return fmt::format("serial order exists{}", respects);
    if (implies(level_, Level::SnapshotIsolation))
      return fmt::format("order of snapshots and commits exists{}", respects);
    return fmt::format("order of the transactions{} satisfies {}", respects, satisfies);
  }

  void tell_about(AnomalyKind, const Cycle& cycle) {
    for (std::size_t i = 0; i < cycle.edges.size(); ++i)
      story_.steps.push_back({circle({cycle.edges[i]}), why(cycle.edges[i]) + how_seen(cycle, i)});
    story_.fingerprint += ":" + shape(cycle);
    const std::size_t edges = cycle.edges.size();
    const std::string_view all = edges == 1 ? "that" : edges == 2 ? "both" : "all of these";
    story_.conclusion = fmt::format("so {}: no {}.", contradiction(cycle), order(all, respected(cycle)));
  }

  // If all alternatives but one lead to an immediate contradiction, says what must be, "or else";
  // otherwise distinguishes cases.
  void tell_about(AnomalyKind kind, const Contradiction& claim) {
    const auto leads_nowhere = [](const Contradiction::Node& node) { return !node.cycle.empty(); };
    story_.fingerprint += fmt::format(":{}", std::ranges::count_if(claim.nodes, leads_nowhere));
    tell_node(claim, 0, "");
    const bool real_time =
        kind == AnomalyKind::NoSerialOrderRealTime || kind == AnomalyKind::NoSnapshotOrderRealTime;
    const bool session =
        kind == AnomalyKind::NoSerialOrderSession || kind == AnomalyKind::NoSnapshotOrderSession;
    story_.conclusion =
        fmt::format("so whichever came first, no {}.", order("this", real_time ? " that respects real time"
                                                                     : session ? " that respects the sessions"
                                                                               : ""));
  }
  void tell_node(const Contradiction& claim, std::uint32_t index, const std::string& premise) {
    const Contradiction::Node& node = claim.nodes[index];
    if (!node.cycle.empty()) {
      story_.steps.push_back({premise + circle(node.cycle), reasons(node.cycle)});
      return;
    }
    std::vector<std::size_t> longer;
    for (std::size_t i = 0; i < node.cases.size(); ++i)
      if (claim.nodes[node.cases[i]].cycle.empty()) longer.push_back(i);
    if (longer.size() != 1) {
      for (std::size_t i = 0; i < node.cases.size(); ++i)
        tell_node(claim, node.cases[i], premise + fmt::format("if {}: ", answer(node, i)));
      return;
    }
    std::string otherwise;
    for (std::size_t i = 0; i < node.cases.size(); ++i) {
      if (i == longer[0]) continue;
      const std::vector<Edge>& cycle = claim.nodes[node.cases[i]].cycle;
      otherwise +=
          fmt::format("{}or else {}: {}", otherwise.empty() ? "" : "; ", circle(cycle), reasons(cycle));
    }
    story_.steps.push_back({premise + answer(node, longer[0]), otherwise});
    tell_node(claim, node.cases[longer[0]], premise);
  }
  std::string answer(const Contradiction::Node& node, std::size_t choice) const {
    const OperationId chosen = node.writes[choice];
    if (node.read.is_none())
      return fmt::format("{} {} before {} {}", name(chosen), wrote(chosen), name(node.writes[1 - choice]),
                         wrote(node.writes[1 - choice]));
    if (chosen.is_none()) return fmt::format("{} {} before any write", name(node.read), saw(node.read));
    return fmt::format("{} {} from {}", name(node.read), saw(node.read), name(chosen));
  }
  std::string circle(const std::vector<Edge>& edges) const {
    std::string out = name(edges.front().from);
    for (const Edge& edge : edges) out += fmt::format(" ─{}→ {}", label(edge), name(edge.to));
    return out;
  }
  std::string reasons(const std::vector<Edge>& edges) const {
    std::string out;
    for (const Edge& edge : edges) out += (out.empty() ? "" : ". ") + why(edge);
    return out;
  }

  // What the order would have to respect besides the data; empty if the data alone contradict each other.
  static std::string_view respected(const Cycle& cycle) {
    const auto has = [&](EdgeKind kind) {
      return std::ranges::find(cycle.edges, kind, &Edge::kind) != cycle.edges.end();
    };
    if (has(EdgeKind::RealTime)) return " that respects real time";
    return has(EdgeKind::Session) ? " that respects the sessions" : "";
  }

  std::string contradiction(const Cycle& cycle) const {
    if (cycle.edges.size() == 1) return fmt::format("{} must precede itself", name(cycle.edges[0].from));
    if (cycle.edges.size() == 2) return "each must precede the other";
    if (cycle.edges.size() > kLongestChain)
      return fmt::format("each must precede the next, and {} the first again", name(cycle.edges.back().from));
    std::string out;
    for (std::size_t i = 0; i + 1 < cycle.edges.size(); ++i)
      out += fmt::format("{}{} must precede {}", i == 0 ? "" : ", ", name(cycle.edges[i].from),
                         name(cycle.edges[i].to));
    return out + fmt::format(", and {} must precede {}", name(cycle.edges.back().from),
                             name(cycle.edges.back().to));
  }

  // The kinds of the edges, rotated so that cycles of the same shape give the same text.
  static std::string shape(const Cycle& cycle) {
    std::vector<std::string_view> kinds, best;
    for (const Edge& edge : cycle.edges) kinds.push_back(name_of(edge.kind));
    best = kinds;
    for (std::size_t turn = 1; turn < kinds.size() && kinds.size() <= 64; ++turn) {
      std::rotate(kinds.begin(), kinds.begin() + 1, kinds.end());
      best = std::min(best, kinds);
    }
    return fmt::format("{}", fmt::join(best, ","));
  }

  void tell_about(AnomalyKind kind, const BadRead& bad) {
    const std::string reader = name(bad.reader);
    const bool phantom = kind == AnomalyKind::PhantomRead;
    story_.steps.push_back(
        {"", phantom ? certified_.changed_answer(bad) : reader + " " + saw(bad.read) + contrast(kind, bad)});
    story_.conclusion = lesson(kind, reader);
  }

  std::string contrast(AnomalyKind kind, const BadRead& bad) const {
    if (kind == AnomalyKind::DuplicateElements) return ", in which an element occurs more than once";
    if (bad.source.is_none()) return ", a value that no transaction wrote";
    const std::string source = name(bad.source);
    switch (kind) {
      case AnomalyKind::AbortedRead:
        return fmt::format("; {} {} and then aborted", source, wrote(bad.source));
      case AnomalyKind::IntermediateRead:
        return fmt::format("; {} {} and overwrote it before it committed", source, wrote(bad.source));
      case AnomalyKind::FutureRead:
        return fmt::format("; only later {} {} itself", source, wrote(bad.source));
      case AnomalyKind::NonRepeatableRead:
        return fmt::format("; before that it {} and wrote nothing to {} in between", saw(bad.source),
                           key_of(bad.source));
      case AnomalyKind::NotMyLastWrite:
      case AnomalyKind::NotMyOwnWrite:
        return own_write(bad);
      case AnomalyKind::IncompatibleOrder:
        return fmt::format("; {} {} before others that the list shows", source, wrote(bad.source));
      default:
        return fmt::format("; {} {}", source, wrote(bad.source));
    }
  }
  std::string own_write(const BadRead& bad) const {
    const bool same = history_.value(bad.source) == history_.value(bad.read);
    return same ? fmt::format("; it {} itself, but had overwritten that since", wrote(bad.source))
                : fmt::format("; before that it {} itself", wrote(bad.source));
  }

  static std::string lesson(AnomalyKind kind, const std::string& reader) {
    static constexpr std::array<std::pair<AnomalyKind, const char*>, 10> kLessons{
        {{AnomalyKind::DuplicateElements, "so one append took effect twice."},
         {AnomalyKind::IncompatibleOrder, "so no order of the appends explains both."},
         {AnomalyKind::ThinAirRead,
          "so the value came from nowhere: no order of the transactions explains it."},
         {AnomalyKind::AbortedRead, "so {} used data that was rolled back."},
         {AnomalyKind::IntermediateRead, "so {} used a value that was never committed."},
         {AnomalyKind::FutureRead, "so {} read its own write before it wrote."},
         {AnomalyKind::NonRepeatableRead, "so the key changed under {}: its reads fit no single moment."},
         {AnomalyKind::PhantomRead, "so rows changed under {}: its reads fit no single moment."},
         {AnomalyKind::NotMyLastWrite, "so {} lost its own last write."},
         {AnomalyKind::NotMyOwnWrite, "so {} did not see what it had written itself."}}};
    const auto* found = std::ranges::find(kLessons, kind, [](const auto& one) { return one.first; });
    if (found == kLessons.end()) return "so no order of the transactions explains this read.";
    return fmt::format(fmt::runtime(found->second), reader);
  }

  void tell_about(AnomalyKind, const Divergence& split) {
    const std::string version = seen(split.first.read);
    const auto branch = [&](const Divergence::Branch& from, const Divergence::Branch& to) {
      story_.steps.push_back(
          {fmt::format("{} ─rw({})→ {}", name(from.transaction), history_.format_key(split.key),
                       name(to.transaction)),
           found_nothing(split.first.read)
               ? both_found_nothing(split.key, to.transaction, to.write)
               : fmt::format("{} {}; {} {} and {}", name(from.transaction), saw(from.read),
                             name(to.transaction), "read that same " + version, wrote_briefly(to.write))});
    };
    branch(split.first, split.second);
    branch(split.second, split.first);
    if (!split.version.is_none())
      story_.steps.push_back(
          {"", fmt::format("{} {}, the version that both read", name(split.version), wrote(split.version))});
    story_.fingerprint += ":rw,rw";
    story_.conclusion =
        fmt::format("so whichever comes second overwrites the other unseen: one update of {} is lost.",
                    history_.format_key(split.key));
  }

  void tell_about(AnomalyKind, const OrderConflict& conflict) {
    story_.steps.push_back({"", fmt::format("{} {}; {} {}", name(conflict.first), saw(conflict.first),
                                            name(conflict.second), saw(conflict.second))});
    story_.conclusion = fmt::format("so {} had two histories: neither list can have grown into the other.",
                                    history_.format_key(conflict.key));
  }

  void tell_about(AnomalyKind, const DirtyUpdate& dirty) {
    story_.steps.push_back(
        {"", fmt::format("{} {} and aborted; {} {}; {} {}", name(dirty.aborted), wrote(dirty.aborted),
                         name(dirty.update), wrote(dirty.update), name(dirty.read), saw(dirty.read))});
    story_.conclusion = fmt::format("so {} built on data that was rolled back.", name(dirty.update));
  }

  void tell_about(AnomalyKind, const ChainBreak& broken) {
    story_.steps.push_back({"", chain_story(broken)});
    story_.fingerprint += fmt::format(":{}", name_of(broken.rule));
    static constexpr std::array<std::string_view, 5> kLessons{
        "one of them saw the key absent when it existed", "one of them compared with a value that was gone",
        "the value came from nowhere", "the value could not have been there yet",
        "the only order that explains the values contradicts the clock"};
    story_.conclusion =
        fmt::format("so {}: not linearizable.", kLessons[static_cast<std::size_t>(broken.rule)]);
  }

  std::string chain_story(const ChainBreak& broken) const {
    const std::string first = name(broken.first);
    const bool two = !broken.second.is_none();
    switch (broken.rule) {
      case ChainBreak::Rule::TwoInserts:
        if (two)
          return fmt::format("{} {} and {} {}", first, wrote(broken.first), name(broken.second),
                             wrote(broken.second));
        return fmt::format("{} {}", first, wrote(broken.first));
      case ChainBreak::Rule::TwoSuccessors:
        if (two)
          return fmt::format("{} replaced {} = {} with {}; {} replaced that same {} with {}", first,
                             key_of(broken.first), seen(broken.first), made(broken.first),
                             name(broken.second), seen(broken.second), made(broken.second));
        return fmt::format("{} replaced {} = {}", first, key_of(broken.first), seen(broken.first));
      case ChainBreak::Rule::NeverWritten:
        return fmt::format("{} {}, which no committed operation wrote", first, saw(broken.first));
      case ChainBreak::Rule::Unreachable:
        return fmt::format("{} {}, which was written, but by no chain that starts at the insert of {}", first,
                           saw(broken.first), key_of(broken.first));
      case ChainBreak::Rule::RealTime:
        if (two)
          return fmt::format("in the chain of {}, {} comes before {}, yet {} had ended before {} began",
                             key_of(broken.first), first, name(broken.second), name(broken.second), first);
        return fmt::format("{} is out of order in the chain of {}", first, key_of(broken.first));
    }
    return {};
  }

  const History& history_;
  Level level_;
  Clock clock_;
  TransactionNames names_;
  CertifiedWords certified_{history_, names_};
  OrderWords order_words_{history_, names_};
  Explanation story_;
};

}  // namespace

Explanation explain(const History& history, Level level, const Anomaly& anomaly, Clock clock) {
  return Narrator(history, level, clock, participants_of(history, anomaly.evidence),
                  witnesses_of(history, anomaly.evidence))
      .tell(anomaly);
}

std::string prose(const Explanation& explanation) {
  std::string out;
  for (const Explanation::Step& step : explanation.steps) out += step.why + ". ";
  return out + explanation.conclusion;
}

}  // namespace serval
