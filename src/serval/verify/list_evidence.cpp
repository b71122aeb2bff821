#include <algorithm>

#include <fmt/format.h>

#include "serval/history/notation.h"
#include "serval/verify/bad_read.h"
#include "serval/verify/violation.h"

// A read must show a state that the list had: the appends of transactions one after another, each
// transaction's in its own order, and the reader's own at the end. Each kind of bad read violates one
// part of this.

namespace serval::verify {
namespace {

class ListReading final : public BadReadProof {
 public:
  ListReading(const Facts& facts, const BadRead& claim)
      : BadReadProof(facts, claim), lists_(facts.lists()), shown_(elements_read(history_, claim.read)) {}

 private:
  Flaw flaw_of_other(AnomalyKind kind) const override {
    if (kind == AnomalyKind::DuplicateElements) return flaw_of_duplicates();
    if (kind == AnomalyKind::IncompatibleOrder) return flaw_of_disorder();
    return fmt::format("a read of a list does not show {}", name_of(kind));
  }

  Flaw flaw_of_source_append() const {
    if (claim_.source.index >= history_.operation_count()) return "cites no append as the source";
    if (history_.kind(claim_.source) != OperationKind::Append || history_.key(claim_.source) != key_)
      return fmt::format("{} is not an append to the list that was read", spelled(claim_.source));
    return std::nullopt;
  }
  Flaw flaw_of_source_shown() const {
    if (Flaw flaw = flaw_of_source_append()) return flaw;
    if (lists_.times_shown(claim_.read, element()) > 0) return std::nullopt;
    return fmt::format("{} does not show what {} appended", spelled(claim_.read), spelled(claim_.source));
  }
  Value element() const { return history_.value(claim_.source); }
  bool is_only_append(OperationId append) const {
    return lists_.only_append(key_, history_.value(append)) == append;
  }

  Flaw flaw_of_thin_air() const override {
    const auto nobodys = [&](Value shown) { return lists_.appended(key_, shown).all == 0; };
    if (std::ranges::any_of(shown_, nobodys)) return std::nullopt;
    return fmt::format("the history appends every element of {}", spelled(claim_.read));
  }

  Flaw flaw_of_aborted() const override {
    if (Flaw flaw = flaw_of_source_shown()) return flaw;
    if (facts_.live(source_transaction()))
      return fmt::format("{} did not abort", name(history_, source_transaction()));
    if (lists_.times_shown(claim_.read, element()) > lists_.appended(key_, element()).live)
      return std::nullopt;
    return fmt::format("{} may have seen another transaction's append", spelled(claim_.read));
  }

  Flaw flaw_of_intermediate() const override {
    if (Flaw flaw = flaw_of_source_shown()) return flaw;
    if (!facts_.own_write_before(claim_.read).is_none()) return "the reader had appended itself";
    if (!is_only_append(claim_.source) || source_transaction() == claim_.reader)
      return fmt::format("{} may have seen another append", spelled(claim_.read));
    if (facts_.is_final_write(claim_.source))
      return fmt::format("{} is the last append of {}", spelled(claim_.source),
                         name(history_, source_transaction()));
    if (shown_.back() == element()) return std::nullopt;
    return fmt::format("{} does not end with what {} appended", spelled(claim_.read), spelled(claim_.source));
  }

  Flaw flaw_of_future() const override {
    if (Flaw flaw = flaw_of_source_shown()) return flaw;
    if (source_transaction() != claim_.reader || claim_.source < claim_.read)
      return fmt::format("{} is not a later append of {}", spelled(claim_.source),
                         name(history_, claim_.reader));
    if (is_only_append(claim_.source)) return std::nullopt;
    return fmt::format("{} may have seen another append", spelled(claim_.read));
  }

  Flaw flaw_of_own_writes(AnomalyKind kind) const override {
    const OperationId last = facts_.own_write_before(claim_.read);
    if (last.is_none())
      return fmt::format("{} did not append to {} before", name(history_, claim_.reader),
                         history_.format_key(key_));
    if (!shown_.empty() && shown_.back() == history_.value(last))
      return fmt::format("{} ends with its own last append", spelled(claim_.read));
    if (Flaw flaw = flaw_of_source_append()) return flaw;
    if (source_transaction() != claim_.reader || claim_.source > claim_.read)
      return "the source is not an earlier append of the same transaction";
    const bool ends_with_earlier = !shown_.empty() && shown_.back() == element();
    if (ends_with_earlier == (kind == AnomalyKind::NotMyLastWrite)) return std::nullopt;
    return fmt::format("{} {} an earlier append of its own", spelled(claim_.read),
                       ends_with_earlier ? "ends with" : "does not end with");
  }

  std::vector<Value> own_appends() const {
    std::vector<Value> own;
    for (const OperationId op : history_.operations(claim_.reader))
      if (op < claim_.read && history_.kind(op) == OperationKind::Append && history_.key(op) == key_)
        own.push_back(history_.value(op));
    return own;
  }

  // What the read shows before the reader's own appends differs from what the reader had read earlier.
  Flaw flaw_of_repetition() const override {
    if (claim_.source >= claim_.read) return "the read it contradicts does not come first";
    if (!facts_.belongs(claim_.source, claim_.reader) || !lists_.is_list_read(claim_.source) ||
        history_.key(claim_.source) != key_ || !facts_.own_write_before(claim_.source).is_none())
      return "does not contradict an external read of the same list by the same transaction";
    const std::vector<Value> own = own_appends();
    if (own.size() > shown_.size() || !std::equal(own.rbegin(), own.rend(), shown_.rbegin()))
      return fmt::format("{} does not end with the reader's own appends", spelled(claim_.read));
    if (!std::ranges::equal(shown_.first(shown_.size() - own.size()), elements_read(history_, claim_.source)))
      return std::nullopt;
    return fmt::format("{} and {} agree", spelled(claim_.source), spelled(claim_.read));
  }

  Flaw flaw_of_duplicates() const {
    for (const Value shown : shown_) {
      const std::ptrdiff_t live = lists_.appended(key_, shown).live;
      if (live > 0 && lists_.times_shown(claim_.read, shown) > live) return std::nullopt;
    }
    return fmt::format("{} shows nothing more often than it was appended", spelled(claim_.read));
  }

  // The read shows a later append of the same transaction, but not the source's element before it, even
  // if other transactions appended that element too.
  Flaw flaw_of_disorder() const {
    if (Flaw flaw = flaw_of_source_append()) return flaw;
    const std::optional<std::size_t> place = lists_.first_position(claim_.read, element());
    for (const OperationId op : history_.operations(source_transaction())) {
      const bool later = op > claim_.source && history_.kind(op) == OperationKind::Append &&
                         history_.key(op) == key_ && is_only_append(op);
      if (!later) continue;
      const std::optional<std::size_t> place_later = lists_.first_position(claim_.read, history_.value(op));
      if (place_later && (!place || *place_later < *place)) return std::nullopt;
    }
    return fmt::format("{} shows the appends of {} in order", spelled(claim_.read),
                       name(history_, source_transaction()));
  }

  const Lists& lists_;
  std::span<const Value> shown_;
};

bool is_prefix(const std::vector<Value>& shorter, const std::vector<Value>& longer) {
  return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

Flaw flaw_of_participating_read(const Facts& facts, KeyId key, OperationId read) {
  const History& history = facts.history();
  if (read.index >= history.operation_count()) return "cites no read";
  if (Flaw flaw = flaw_of_participation(facts, history.transaction_of(read))) return flaw;
  if (is_predicate(history.kind(read)) || history.key(read) != key || !facts.lists().is_list_read(read))
    return fmt::format("{} is not a read of the list", print_operation(history, read));
  return std::nullopt;
}

}  // namespace

Flaw flaw_of_list_read(const Facts& facts, AnomalyKind kind, const BadRead& claim) {
  if (!facts.lists().is_list_read(claim.read)) return "cites no read of a list";
  return ListReading(facts, claim).flaw(kind);
}

Flaw flaw_of_append_order(const Facts& facts, OperationId first, OperationId second) {
  if (facts.lists().certainly_before(first, second, facts.participants())) return std::nullopt;
  return fmt::format("no read shows that {} came before {}", print_operation(facts.history(), first),
                     print_operation(facts.history(), second));
}

Flaw flaw_of_missed_append(const Facts& facts, OperationId read, OperationId later) {
  const History& history = facts.history();
  const std::optional<OperationId> version = facts.version_read(read);
  if (!version) return fmt::format("it is not certain which version {} saw", print_operation(history, read));
  if (version->is_none() || *version == later) {
    if (version->is_none()) return std::nullopt;
    return fmt::format("{} saw {}", print_operation(history, read), print_operation(history, later));
  }
  return flaw_of_append_order(facts, *version, later);
}

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const OrderConflict& claim) {
  if (kind != AnomalyKind::IncompatibleOrder)
    return fmt::format("two reads of a list do not show {}", name_of(kind));
  for (const OperationId read : {claim.first, claim.second})
    if (Flaw flaw = flaw_of_participating_read(facts, claim.key, read)) return flaw;
  const std::vector<Value> first = facts.lists().counted(claim.first);
  const std::vector<Value> second = facts.lists().counted(claim.second);
  if (!is_prefix(first, second) && !is_prefix(second, first)) return std::nullopt;
  return fmt::format("{} and {} agree", print_operation(facts.history(), claim.first),
                     print_operation(facts.history(), claim.second));
}

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const DirtyUpdate& claim) {
  const History& history = facts.history();
  const Lists& lists = facts.lists();
  if (kind != AnomalyKind::DirtyUpdate)
    return fmt::format("an append after an aborted one does not show {}", name_of(kind));
  if (Flaw flaw = flaw_of_participating_read(facts, claim.key, claim.read)) return flaw;
  for (const OperationId append : {claim.aborted, claim.update})
    if (append.index >= history.operation_count() || history.kind(append) != OperationKind::Append ||
        history.key(append) != claim.key)
      return "cites no appends to the list";
  if (facts.live(history.transaction_of(claim.aborted)))
    return fmt::format("{} did not abort", name(history, history.transaction_of(claim.aborted)));
  if (Flaw flaw = flaw_of_participation(facts, history.transaction_of(claim.update))) return flaw;
  const Value lost = history.value(claim.aborted), kept = history.value(claim.update);
  if (lists.appended(claim.key, lost).live > 0 || lists.only_append(claim.key, kept) != claim.update)
    return "the elements do not identify their appends";
  const auto lost_at = lists.first_position(claim.read, lost),
             kept_at = lists.first_position(claim.read, kept);
  if (lost_at && kept_at && *lost_at < *kept_at) return std::nullopt;
  return fmt::format("{} does not show the two in this order", print_operation(history, claim.read));
}

}  // namespace serval::verify
