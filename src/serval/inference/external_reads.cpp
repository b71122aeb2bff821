#include "serval/inference/external_reads.h"

#include <algorithm>

#include "serval/inference/key_kinds.h"

namespace serval {
namespace {

constexpr bool reads(OperationKind kind) { return reads_register(kind) || kind == OperationKind::ReadList; }

// One transaction's external reads, operation by operation.
class Rereading {
 public:
  Rereading(const History& history, const Relations& relations, TransactionId t)
      : history_(history), relations_(relations), sets_(relations.read_write_sets), t_(t) {}

  std::vector<CertainRead> run() {
    written_.assign(sets_.of(t_).size(), false);
    for (const OperationId op : history_.operations(t_)) {
      if (is_predicate(history_.kind(op))) continue;
      const std::size_t own = access_to(history_.key(op));
      if (own == written_.size()) continue;
      if (reads(history_.kind(op))) look_at(op, own);
      if (writes_key(history_.kind(op))) written_[own] = true;
    }
    return std::move(found_);
  }

 private:
  std::size_t access_to(KeyId key) const {
    const std::span<const Access> accesses = sets_.of(t_);
    const Access* const found = sets_.access(t_, key);
    return found == nullptr ? accesses.size() : static_cast<std::size_t>(found - accesses.data());
  }

  void look_at(OperationId op, std::size_t own) {
    const OperationId first = sets_.read_operation[sets_.first_access[t_.index] + own];
    const KeyId key = history_.key(op);
    VersionId version = VersionId::none();
    if (op == first ||
        (!written_[own] && !first.is_none() && value_seen(history_, op) == value_seen(history_, first)))
      version = sets_.of(t_)[own].read;
    else if (const auto again =
                 std::ranges::lower_bound(relations_.repeated_reads, op, {}, &RepeatedRead::read);
             again != relations_.repeated_reads.end() && again->read == op)
      version = again->version;
    if (!version.is_none()) found_.push_back({key, version, op});
  }

  const History& history_;
  const Relations& relations_;
  const ReadWriteSets& sets_;
  TransactionId t_;
  std::vector<bool> written_;  // By access.
  std::vector<CertainRead> found_;
};

}  // namespace

std::vector<CertainRead> certain_reads(const History& history, const Relations& relations, TransactionId t) {
  return Rereading(history, relations, t).run();
}

bool ExternalReads::has_changed_reads(TransactionId t) const {
  return std::ranges::binary_search(relations_.repeated_reads, t, {}, &RepeatedRead::transaction);
}

bool ExternalReads::reads_more_often(TransactionId t) const {
  std::size_t operations = 0;
  for (const OperationId op : history_.operations(t)) operations += reads(history_.kind(op)) ? 1 : 0;
  return operations > found_.size();
}

// Accesses to lists are separate from those to registers.
bool ExternalReads::follow_program_order(TransactionId t) const {
  OperationId last{0};
  for (std::uint32_t i = sets_.first_access[t.index]; i < sets_.first_access[t.index + 1]; ++i) {
    const OperationId read = sets_.read_operation[i];
    if (read.is_none()) continue;
    if (read < last) return false;
    last = read;
  }
  return true;
}

void ExternalReads::add_all(TransactionId t) {
  found_.clear();
  for (const CertainRead& read : certain_reads(history_, relations_, t))
    found_.push_back({read.key, read.version, sets_.versions[read.version.index].writer});
}

}  // namespace serval
