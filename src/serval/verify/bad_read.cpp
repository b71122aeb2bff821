#include "serval/verify/bad_read.h"

#include <fmt/format.h>

#include "serval/history/notation.h"
#include "serval/verify/violation.h"

// A bad read is proven if nothing could have supplied its value: neither the preceding write of its own
// transaction, nor the initial state, nor the final write of another live transaction. The kinds differ
// in which transaction wrote the value. `source` is that write, or the operation of the same transaction
// that the read contradicts.

namespace serval::verify {
namespace {

class RegisterReading final : public BadReadProof {
 public:
  RegisterReading(const Facts& facts, const BadRead& claim)
      : BadReadProof(facts, claim), value_(*value_read(history_, claim.read)) {}

 private:
  // If nothing supplies the value, no level that forbids dirty and intermediate reads allows the read.
  // After an own write, only that write can supply it.
  Flaw flaw_of_supply() const {
    const OperationId own = facts_.own_write_before(claim_.read);
    if (!own.is_none()) {
      if (facts_.value_left_by(own) != value_) return std::nullopt;
      return fmt::format("{} reads {}, its own last write", spelled(claim_.read), spelled(own));
    }
    if (may_be_initial(facts_.history(), value_))
      return fmt::format("{} may have read the initial version", spelled(claim_.read));
    if (facts_.final_writers_besides(claim_.reader, key_, value_) > 0)
      return fmt::format("{} may have read a final write of another transaction", spelled(claim_.read));
    return std::nullopt;
  }

  Flaw flaw_of_source_write() const {
    if (claim_.source.index >= history_.operation_count()) return "cites no write as the source";
    return flaw_of_source_in(history_.transaction_of(claim_.source));
  }
  Flaw flaw_of_source_in(TransactionId writer) const {
    if (Flaw flaw = flaw_of_write(facts_, writer, key_, claim_.source)) return flaw;
    const Value written = *value_written(history_, claim_.source);
    if (written != value_ && !written.is_unknown())
      return fmt::format("{} does not write what {} read", spelled(claim_.source), spelled(claim_.read));
    return std::nullopt;
  }

  Flaw flaw_of_thin_air() const override {
    if (may_be_initial(facts_.history(), value_))
      return fmt::format("{} may have read the initial version", spelled(claim_.read));
    if (facts_.written_by_anyone(key_, value_))
      return fmt::format("the history writes what {} read", spelled(claim_.read));
    return std::nullopt;
  }

  Flaw flaw_of_aborted() const override {
    if (Flaw flaw = flaw_of_source_write()) return flaw;
    if (history_.outcome(source_transaction()) != Outcome::Aborted)
      return fmt::format("{} did not abort", name(history_, source_transaction()));
    return flaw_of_supply();
  }

  Flaw flaw_of_intermediate() const override {
    if (Flaw flaw = flaw_of_source_write()) return flaw;
    if (!facts_.live(source_transaction()))
      return fmt::format("{} aborted", name(history_, source_transaction()));
    if (facts_.is_final_write(claim_.source))
      return fmt::format("{} is the final write of {}", spelled(claim_.source),
                         name(history_, source_transaction()));
    return flaw_of_supply();
  }

  Flaw flaw_of_future() const override {
    if (Flaw flaw = flaw_of_source_write()) return flaw;
    // A compare-and-set that saw the value that it sets counts as its own later write.
    const bool not_before = source_transaction() == claim_.reader && claim_.source >= claim_.read;
    if (!not_before)
      return fmt::format("{} is not a later write of {}", spelled(claim_.source),
                         name(history_, claim_.reader));
    return flaw_of_supply();
  }

  bool wrote_before(Value value) const {
    for (const OperationId op : history_.operations(claim_.reader)) {
      if (op >= claim_.read) return false;
      const bool same = !is_predicate(history_.kind(op)) && history_.key(op) == key_;
      if (same && value_written(history_, op) == value) return true;
    }
    return false;
  }

  Flaw flaw_of_own_writes(AnomalyKind kind) const override {
    const OperationId last = facts_.own_write_before(claim_.read);
    if (last.is_none())
      return fmt::format("{} did not write {} before", name(history_, claim_.reader),
                         history_.format_key(key_));
    if (facts_.value_left_by(last) == value_)
      return fmt::format("{} reads {}, its own last write", spelled(claim_.read), spelled(last));
    const bool of_earlier_write = wrote_before(value_);
    if (of_earlier_write != (kind == AnomalyKind::NotMyLastWrite))
      return fmt::format("{} {} an earlier write of its own", spelled(claim_.read),
                         of_earlier_write ? "saw" : "did not see");
    const bool source_stands = facts_.belongs(claim_.source, claim_.reader) && claim_.source < claim_.read &&
                               !flaw_of_write(facts_, claim_.reader, key_, claim_.source);
    return source_stands ? std::nullopt : Flaw("the source is not an earlier write of the same transaction");
  }

  Flaw flaw_of_repetition() const override {
    if (claim_.source >= claim_.read) return "the read it contradicts does not come first";
    if (Flaw flaw = flaw_of_read(facts_, claim_.reader, key_, claim_.source)) return flaw;
    if (!facts_.own_write_before(claim_.read).is_none())
      return fmt::format("{} wrote {} before {}", name(history_, claim_.reader), history_.format_key(key_),
                         spelled(claim_.read));
    const Value before = *value_read(history_, claim_.source);
    if (before == value_ ||
        (may_be_initial(facts_.history(), before) && may_be_initial(facts_.history(), value_)))
      return fmt::format("{} and {} agree", spelled(claim_.source), spelled(claim_.read));
    return std::nullopt;
  }

  Flaw flaw_of_other(AnomalyKind kind) const override {
    return fmt::format("a single read does not show {}", name_of(kind));
  }

  Value value_;
};

Flaw flaw_of_citation(const Facts& facts, const BadRead& claim) {
  const History& history = facts.history();
  if (Flaw flaw = flaw_of_participation(facts, claim.reader)) return flaw;
  if (!facts.belongs(claim.read, claim.reader))
    return fmt::format("cites a read that {} does not have", name(history, claim.reader));
  if (is_predicate(history.kind(claim.read))) return "cites a predicate operation";
  const KeyId key = history.key(claim.read);
  if (Flaw flaw = flaw_of_read(facts, claim.reader, key, claim.read)) return flaw;
  // What others wrote does not matter after an own write.
  if (facts.opaque(key) && (facts.lists().is_opaque(key) || facts.own_write_before(claim.read).is_none()))
    return "cannot prove a read of a key that is both list and register, or has unknown writes";
  return std::nullopt;
}

}  // namespace

BadReadProof::BadReadProof(const Facts& facts, const BadRead& claim)
    : facts_(facts), history_(facts.history()), claim_(claim), key_(history_.key(claim.read)) {}

std::string BadReadProof::spelled(OperationId op) const { return print_operation(history_, op); }

Flaw BadReadProof::flaw(AnomalyKind kind) const {
  switch (kind) {
    case AnomalyKind::ThinAirRead:
      return flaw_of_thin_air();
    case AnomalyKind::AbortedRead:
      return flaw_of_aborted();
    case AnomalyKind::IntermediateRead:
      return flaw_of_intermediate();
    case AnomalyKind::FutureRead:
      return flaw_of_future();
    case AnomalyKind::NotMyOwnWrite:
    case AnomalyKind::NotMyLastWrite:
      return flaw_of_own_writes(kind);
    case AnomalyKind::NonRepeatableRead:
      return flaw_of_repetition();
    default:
      return flaw_of_other(kind);
  }
}

Flaw flaw_of(const Facts& facts, AnomalyKind kind, const BadRead& claim) {
  if (kind == AnomalyKind::PhantomRead) return flaw_of_phantom_read(facts, claim);
  if (Flaw flaw = flaw_of_citation(facts, claim)) return flaw;
  if (facts.is_list(facts.history().key(claim.read))) return flaw_of_list_read(facts, kind, claim);
  return RegisterReading(facts, claim).flaw(kind);
}

}  // namespace serval::verify
