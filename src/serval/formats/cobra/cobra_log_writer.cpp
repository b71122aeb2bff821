#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "serval/base/byte_order.h"
#include "serval/base/error.h"
#include "serval/formats/byte_reader.h"
#include "serval/formats/cobra/cobra_log.h"
#include "serval/formats/cobra/cobra_record.h"
#include "serval/formats/cobra/cobra_version_order.h"
#include "serval/formats/register_view.h"

namespace serval {
namespace {

class CobraLogWriter {
 public:
  CobraLogWriter(const History& history, Losses& losses)
      : history_(history), view_(history, kRules, losses), keys_(view_.number_keys(losses)) {
    for (const SessionId s : history.sessions())
      sessions_are_numbers_ = sessions_are_numbers_ && has_number(s);
    number_transactions(losses);
    number_writes(losses);
  }

  std::string log(SessionId session) const {
    std::string bytes;
    std::vector<RegisterStep> steps;
    for (const TransactionId t : history_.session_transactions(session)) {
      if (!view_.contains(t)) continue;
      put(bytes, 'S', {ids_[t.index]});
      view_.steps(t, steps);
      for (const RegisterStep& step : steps) append(bytes, step);
      put(bytes, 'C', {ids_[t.index]});
    }
    return bytes;
  }

  // Named by label if all labels are numbers, else by position.
  std::string file_name(SessionId session) const {
    const Value label = history_.session_label(session);
    return fmt::format("T{}.log",
                       sessions_are_numbers_ ? label.as_integer() : static_cast<std::int64_t>(session.index));
  }
  bool sessions_are_numbers() const noexcept { return sessions_are_numbers_; }

  // The bytes of the *.vo file for the writes that have versions; empty if there are none.
  std::string version_order(Losses& losses) const {
    std::vector<cobra::KeyVersions> keys;
    for (const auto& [key, versions] : numbered_writes(losses)) {
      cobra::KeyVersions list{key, {}};
      for (const auto& [number, value] : versions) {
        list.values.push_back(value);
        if (number != static_cast<std::int64_t>(list.values.size()))
          losses.add("versions replaced by their places in the version order");
      }
      keys.push_back(std::move(list));
    }
    return keys.empty() ? std::string() : format_version_order(keys);
  }

 private:
  static constexpr RegisterRules kRules{.initial = RegisterRules::Initial::Written,
                                        .integers = RegisterRules::Integers::Signed64,
                                        .aborted = RegisterRules::Aborted::LeftOut,
                                        .versions = RegisterRules::Versions::OfWrites};
  using Version = std::pair<KeyId, Value>;
  struct Write {
    TransactionId transaction;  // None: the value was read but never written.
    std::int64_t id = 0;
    bool ambiguous = false;  // Several transactions wrote it.
  };

  bool has_number(SessionId s) const {
    const Value label = history_.session_label(s);
    return label.is_integer() && label.as_integer() >= 0;
  }

  static void put(std::string& bytes, char tag, std::initializer_list<std::int64_t> numbers) {
    bytes += tag;
    for (const std::int64_t number : numbers) append_big_endian(bytes, static_cast<std::uint64_t>(number));
  }

  void append(std::string& bytes, const RegisterStep& step) const {
    const std::int64_t key = whole_number(history_.values(), keys_[step.key.index]);
    if (step.value.is_nil()) return put(bytes, 'R', {cobra::kInitial, cobra::kInitial, key, 0});
    const Write& write = writes_.at({step.key, step.value});
    const std::int64_t value = whole_number(history_.values(), step.value);
    if (step.kind == OperationKind::Write) return put(bytes, 'W', {write.id, key, value});
    const std::int64_t writer = write.transaction.is_none() ? nobody_ : ids_[write.transaction.index];
    put(bytes, 'R', {writer, write.id, key, value});
  }

  // The labels, if they are distinct integers; else the positions.
  void number_transactions(Losses& losses) {
    absl::flat_hash_set<std::int64_t> used;
    bool fit = true;
    for (const TransactionId t : history_.transactions()) {
      const Value label = history_.label(t);
      if (view_.contains(t))
        fit = fit && label.is_integer() && !cobra::is_reserved(label.as_integer()) &&
              used.insert(label.as_integer()).second;
      ids_.push_back(fit && label.is_integer() ? label.as_integer() : 0);
    }
    if (!fit) {
      used.clear();
      for (const TransactionId t : history_.transactions()) {
        ids_[t.index] = t.index;
        used.insert(t.index);
        if (view_.contains(t)) losses.add("labels of transactions replaced by numbers");
      }
    }
    while (used.contains(nobody_) || cobra::is_reserved(nobody_)) ++nobody_;
  }

  // If all values are distinct, the id of a write is its value, so that a reader gets the same values
  // back.
  void number_writes(Losses& losses) {
    std::vector<Version> order;
    absl::flat_hash_set<Value> values;
    bool distinct = collect_writes(order, values);
    collect_missing(order, values, distinct);
    std::int64_t next = 1;
    for (const Version& version : order) {
      while (cobra::is_reserved(next)) ++next;
      writes_[version].id = distinct ? whole_number(history_.values(), version.second) : next++;
    }
    if (!distinct) losses.add("values replaced by the numbers of their writes", order.size());
  }

  bool collect_writes(std::vector<Version>& order, absl::flat_hash_set<Value>& values) {
    bool distinct = true;
    each_step([&](TransactionId t, const RegisterStep& step) {
      if (step.kind != OperationKind::Write) return;
      const auto [write, is_new] = writes_.try_emplace({step.key, step.value}, Write{t});
      if (!is_new && write->second.transaction != t) write->second.ambiguous = true;
      if (is_new) order.emplace_back(step.key, step.value);
      distinct = values.insert(step.value).second && distinct;
      distinct = distinct && !cobra::is_reserved(whole_number(history_.values(), step.value));
    });
    return distinct;
  }

  // Adds versions that were read, but whose write is missing or left out.
  void collect_missing(std::vector<Version>& order, absl::flat_hash_set<Value>& values, bool& distinct) {
    each_step([&](TransactionId t, const RegisterStep& step) {
      if (step.kind != OperationKind::Read || step.value.is_nil()) return;
      const auto [write, is_new] = writes_.try_emplace({step.key, step.value}, Write{TransactionId::none()});
      if (write->second.ambiguous) refuse(t, step);
      if (!is_new) return;
      order.emplace_back(step.key, step.value);
      distinct = values.insert(step.value).second && distinct;
      distinct = distinct && !cobra::is_reserved(whole_number(history_.values(), step.value));
    });
  }

  // For each key, values by version number. A list of values cannot represent equal version numbers, and
  // cannot distinguish two writes of the same value.
  using Numbered = std::map<std::int64_t, std::map<std::int64_t, std::int64_t>>;
  Numbered numbered_writes(Losses& losses) const {
    if (!history_.has_rare_members()) return {};
    absl::flat_hash_map<Version, int> written;
    std::map<std::pair<KeyId, std::int64_t>, int> used;
    const auto version_of = [&](const RegisterStep& step) {
      const bool is_write = history_.kind(step.operation) == OperationKind::Write;
      return is_write ? history_.operation(step.operation).version : std::nullopt;
    };
    each_step([&](TransactionId, const RegisterStep& step) {
      if (step.kind != OperationKind::Write) return;
      ++written[{step.key, step.value}];
      if (const auto version = version_of(step)) ++used[{step.key, *version}];
    });
    Numbered numbered;
    each_step([&](TransactionId, const RegisterStep& step) {
      const auto version = version_of(step);
      if (!version) return;
      if (written[{step.key, step.value}] > 1 || used[{step.key, *version}] > 1)
        return losses.add("versions of equal values or with equal numbers dropped");
      const std::int64_t key = whole_number(history_.values(), keys_[step.key.index]);
      numbered[key][*version] = whole_number(history_.values(), step.value);
    });
    return numbered;
  }

  template <class Visit>
  void each_step(const Visit& visit) const {
    std::vector<RegisterStep> steps;
    for (const TransactionId t : history_.transactions()) {
      if (!view_.contains(t)) continue;
      view_.steps(t, steps);
      for (const RegisterStep& step : steps) visit(t, step);
    }
  }

  [[noreturn]] void refuse(TransactionId t, const RegisterStep& step) const {
    throw OutputError(fmt::format(
        "a read in Cobra's logs names its write, but transaction {} read {} = {}, which several "
        "transactions wrote",
        history_.format(history_.label(t)), history_.format_key(step.key), history_.format(step.value)));
  }

  const History& history_;
  bool sessions_are_numbers_ = true;
  RegisterView view_;
  std::vector<Value> keys_;              // By key.
  std::vector<std::int64_t> ids_;        // By transaction.
  std::int64_t nobody_ = 1'000'000'000;  // Cited as the writer of values that no transaction wrote.
  absl::flat_hash_map<Version, Write> writes_;
};

}  // namespace

void write_cobra_folder(const History& history, const FileOutput& file, const Notice& lossy) {
  Losses losses;
  const CobraLogWriter writer(history, losses);
  if (!writer.sessions_are_numbers()) losses.add("labels of sessions dropped", history.session_count());
  for (const SessionId session : history.sessions()) file(writer.file_name(session), writer.log(session));
  if (const std::string order = writer.version_order(losses); !order.empty()) file("version_order.vo", order);
  losses.report(lossy);
}

void write_cobra(const History& history, const ByteOutput& out, const Notice& lossy) {
  if (history.session_count() > 1)
    throw OutputError(
        fmt::format("a history of {} sessions is a folder of {} logs in Cobra's format: name a "
                    "folder to write",
                    history.session_count(), history.session_count()));
  Losses losses;
  const CobraLogWriter writer(history, losses);
  for (const SessionId session : history.sessions()) {
    if (history.session_label(session) != Value::integer(0)) losses.add("labels of sessions dropped");
    out(writer.log(session));
  }
  if (!writer.version_order(losses).empty()) losses.add("version order dropped, which is a file of its own");
  losses.report(lossy);
}

}  // namespace serval
