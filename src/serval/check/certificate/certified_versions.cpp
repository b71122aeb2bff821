#include "serval/check/certificate/certified_versions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "serval/inference/grouped.h"
#include "serval/inference/initial_rows.h"

namespace serval {

class VersionCollector {
 public:
  VersionCollector(const History& history, CertifiedVersions& out, Budget& budget)
      : history_(history), out_(out), budget_(budget) {}

  void run() {
    collect_writes();
    if (!out_.problem_.empty()) return;
    find_orders();
    if (!out_.problem_.empty()) return;
    place_versions();
  }

 private:
  using Version = CertifiedVersions::Version;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  struct Write {
    KeyId key;
    Version version;
  };

  // The last write of every key by every non-aborted transaction, transaction by transaction.
  void collect_writes() {
    std::vector<std::uint32_t> slot(history_.key_count(), kNone);
    first_write_.reserve(history_.transaction_count() + 1);
    for (const TransactionId t : history_.transactions()) {
      budget_.poll("certified versions");
      const auto begin = static_cast<std::uint32_t>(writes_.size());
      first_write_.push_back(begin);
      if (history_.outcome(t) == Outcome::Aborted) continue;
      for (const OperationId op : history_.operations(t)) {
        if (history_.kind(op) == OperationKind::Append || history_.kind(op) == OperationKind::ReadList)
          return refuse(fmt::format("{} uses lists, which certificates do not cover", name(t)));
        for_each_write(history_, op, [&](KeyId key, Value value) {
          std::uint32_t& at = slot[key.index];
          if (at == kNone || at < begin || at >= writes_.size() || writes_[at].key != key) {
            at = static_cast<std::uint32_t>(writes_.size());
            writes_.push_back({key, {t, op, value}});
          } else {
            if (writes_[at].version.write == op && history_.kind(op) == OperationKind::PredicateUpdate)
              refuse(fmt::format("{} changed two rows of {} in one statement", name(t), format(key)));
            writes_[at].version = {t, op, value};
          }
        });
      }
    }
    first_write_.push_back(static_cast<std::uint32_t>(writes_.size()));
  }

  std::span<const Write> writes_of(TransactionId t) const {
    return std::span(writes_).subspan(first_write_[t.index],
                                      first_write_[t.index + 1] - first_write_[t.index]);
  }
  const Write* write_of(TransactionId t, KeyId key) const {
    const auto writes = writes_of(t);
    const auto found = std::ranges::find(writes, key, &Write::key);
    return found == writes.end() ? nullptr : &*found;
  }

  void find_orders() {
    out_.takes_part_.assign(history_.transaction_count(), false);
    for (const TransactionId t : history_.transactions())
      out_.takes_part_[t.index] = history_.outcome(t) == Outcome::Committed;
    given_.assign(history_.key_count(), nullptr);
    for (const KeyOrder& order : history_.certificate().orders) {
      if (order.complete)
        given_[order.key.index] = &order;
      else if (!history_.certificate().ordered_by_commit)
        return refuse(fmt::format("the certificate's order of {} is incomplete", format(order.key)));
      for (const TransactionId t : order.installers) note_installer(t, order.key);
    }
    if (history_.certificate().ordered_by_commit) note_commit_timestamps();
    require_whole_transactions();
  }

  void note_installer(TransactionId t, KeyId key) {
    if (history_.outcome(t) == Outcome::Aborted)
      return refuse(
          fmt::format("the certificate lists a version of {} by {}, which aborted", format(key), name(t)));
    if (write_of(t, key) == nullptr)
      return refuse(fmt::format("the certificate lists a version of {} by {}, which has not written it",
                                format(key), name(t)));
    out_.takes_part_[t.index] = true;
  }

  void note_commit_timestamps() {
    timestamps_.assign(history_.transaction_count(), std::nullopt);
    for (const TransactionId t : history_.transactions()) {
      const TransactionHints* hints = history_.hints(t);
      const bool indeterminate = history_.outcome(t) == Outcome::Indeterminate;
      if (hints != nullptr && hints->commit_timestamp) {
        timestamps_[t.index] = hints->commit_timestamp;
        if (indeterminate) out_.takes_part_[t.index] = true;
      } else if (indeterminate && may_have_written(t)) {
        out_.unplaced_ = t;
      }
    }
  }

  // Keys that no complete order covers. Which rows a range wrote is known only from its response.
  bool may_have_written(TransactionId t) const {
    for (const OperationId op : history_.operations(t))
      if (history_.kind(op) == OperationKind::PredicateUpdate ||
          history_.kind(op) == OperationKind::PredicateDelete)
        return true;
    const auto is_open = [&](const Write& write) { return given_[write.key.index] == nullptr; };
    return std::ranges::any_of(writes_of(t), is_open);
  }

  // A transaction that participated did so with all its writes.
  void require_whole_transactions() {
    std::vector<std::uint32_t> writers(history_.key_count(), 0);
    for (const Write& write : writes_)
      if (out_.takes_part_[write.version.installer.index]) ++writers[write.key.index];
    for (const KeyId key : history_.key_ids()) {
      if (given_[key.index] != nullptr) {
        if (given_[key.index]->installers.size() != writers[key.index]) return name_missing(key);
        continue;
      }
      if (writers[key.index] > 1 && !history_.certificate().ordered_by_commit)
        return refuse(
            fmt::format("the certificate does not say in which order the {} versions of {} were installed",
                        writers[key.index], format(key)));
    }
  }

  void name_missing(KeyId key) {
    const std::vector<TransactionId>& listed = given_[key.index]->installers;
    for (const Write& write : writes_)
      if (write.key == key && out_.takes_part_[write.version.installer.index] &&
          std::ranges::find(listed, write.version.installer) == listed.end())
        return refuse(fmt::format("the certificate's order of {} lacks {}, which wrote it", format(key),
                                  name(write.version.installer)));
    refuse(fmt::format("the certificate's order of {} names a transaction twice", format(key)));
  }

  void place_versions() {
    Jagged<std::uint32_t> by_key = writes_by_key();
    out_.first_.assign(1, 0);
    std::vector<std::uint32_t> position(writes_.size(), kNone);
    for (const KeyId key : history_.key_ids()) {
      if (!order_key(key, by_key[key.index])) return;
      out_.versions_.push_back({TransactionId::none(), OperationId::none(), initial_row(key)});
      std::uint32_t at = 0;
      for (const std::uint32_t write : ordered_) {
        out_.versions_.push_back(writes_[write].version);
        if (position[write] != kNone) return name_missing(key);
        position[write] = ++at;
      }
      out_.first_.push_back(static_cast<std::uint32_t>(out_.versions_.size()));
    }
    for (const TransactionId t : history_.transactions()) {
      out_.first_installed_.push_back(static_cast<std::uint32_t>(out_.installed_.size()));
      if (!out_.takes_part_[t.index]) continue;
      for (std::uint32_t i = first_write_[t.index]; i < first_write_[t.index + 1]; ++i)
        out_.installed_.push_back({writes_[i].key, position[i]});
    }
    out_.first_installed_.push_back(static_cast<std::uint32_t>(out_.installed_.size()));
  }

  // For the key whose writes are in ordered_.
  Value initial_row(KeyId key) {
    if (history_.initial_value().is_nil()) return Value::nil();
    if (found_.empty()) found_ = rows_found(history_);
    if (ordered_.empty()) return found_[key.index] ? history_.initial_value() : Value::nil();
    OperationKind first = OperationKind::Read;
    for (const OperationId op : history_.operations(writes_[ordered_.front()].version.installer))
      for_each_write(history_, op, [&](KeyId written, Value) {
        if (written == key && first == OperationKind::Read) first = history_.kind(op);
      });
    return first == OperationKind::Insert ? Value::nil() : history_.initial_value();
  }

  // Writes of participating transactions.
  Jagged<std::uint32_t> writes_by_key() const {
    return grouped<std::uint32_t>(history_.key_count(), [&](auto&& visit) {
      for (std::uint32_t i = 0; i < writes_.size(); ++i)
        if (out_.takes_part_[writes_[i].version.installer.index]) visit(writes_[i].key.index, i);
    });
  }

  // Fills ordered_. False if refused.
  bool order_key(KeyId key, std::span<const std::uint32_t> writes) {
    ordered_.assign(writes.begin(), writes.end());
    if (const KeyOrder* given = given_[key.index]) {
      for (std::size_t i = 0; i < ordered_.size(); ++i)
        ordered_[i] = static_cast<std::uint32_t>(write_of(given->installers[i], key) - writes_.data());
    } else if (ordered_.size() > 1) {
      const auto timestamp = [&](std::uint32_t write) {
        return timestamps_[writes_[write].version.installer.index];
      };
      for (const std::uint32_t write : ordered_)
        if (!timestamp(write)) {
          refuse(fmt::format("{} wrote {} but has no commit timestamp",
                             name(writes_[write].version.installer), format(key)));
          return false;
        }
      if (!std::ranges::is_sorted(ordered_, {}, timestamp)) std::ranges::sort(ordered_, {}, timestamp);
      const auto tie = std::ranges::adjacent_find(ordered_, {}, timestamp);
      if (tie != ordered_.end()) {
        refuse(fmt::format("two transactions that wrote {} have the same commit timestamp", format(key)));
        return false;
      }
    }
    return true;
  }

  void refuse(std::string reason) {
    if (out_.problem_.empty()) out_.problem_ = std::move(reason);
  }
  std::string name(TransactionId t) const { return "transaction " + history_.format(history_.label(t)); }
  std::string format(KeyId key) const { return history_.format_key(key); }

  const History& history_;
  CertifiedVersions& out_;
  Budget& budget_;
  std::vector<Write> writes_;
  std::vector<std::uint32_t> first_write_;  // By transaction, plus a sentinel.
  std::vector<const KeyOrder*> given_;      // By key; null: no complete order.
  std::vector<std::optional<std::int64_t>> timestamps_;
  std::vector<std::uint32_t> ordered_;  // The writes of the current key.
  std::vector<bool> found_;             // See initial_rows.h; empty until needed.
};

CertifiedVersions::CertifiedVersions(const History& history, Budget& budget) {
  VersionCollector(history, *this, budget).run();
}

}  // namespace serval
