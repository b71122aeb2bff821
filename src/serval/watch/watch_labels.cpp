#include "serval/watch/watch_labels.h"

#include <utility>

namespace serval::watch {
namespace {

constexpr std::size_t kFewest = 1 << 10, kMostTransactions = 1 << 17, kMostSessions = 1 << 16;

constexpr std::size_t kLongest = 256;

// Does not cut UTF-8 in the middle of a character.
std::string_view shortened(std::string_view text) {
  if (text.size() <= kLongest) return text;
  std::size_t size = kLongest;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0u) == 0x80u) --size;
  return text.substr(0, size);
}

void set(Label& label, const TraceValue& value) {
  label.is_number = value.is_integer();
  if (value.is_integer())
    label.text = std::to_string(value.integer);
  else
    label.text = value.has_text() ? shortened(value.text()) : std::string_view();
}

// Doubles the table until `place` is free or the limit is reached.
template <typename Entry, typename Taken>
Entry& place_for(std::vector<Entry>& entries, std::uint64_t number, std::size_t most, const Taken& taken) {
  if (entries.empty()) entries.resize(kFewest);
  while (entries.size() < most && taken(entries[number % entries.size()])) {
    std::vector<Entry> old = std::exchange(entries, std::vector<Entry>(2 * entries.size()));
    for (Entry& entry : old)
      if (taken(entry)) std::swap(entries[entry.number % entries.size()], entry);
  }
  return entries[number % entries.size()];
}

}  // namespace

void WatchLabels::note(const Record& record) {
  if (record.kind == RecordKind::Begin) return note_begin(record);
  if (record.kind != RecordKind::Operation || transactions_.empty()) return;
  Transaction& transaction = transactions_[record.transaction % transactions_.size()];
  if (transaction.number == record.transaction && transaction.first_answer == kUnknownEnd)
    transaction.first_answer = record.time.end;
}

void WatchLabels::note_begin(const Record& record) {
  if (record.row_count != 1) return;
  Transaction& transaction = place_for(transactions_, record.transaction, kMostTransactions,
                                       [](const Transaction& other) { return other.number != 0; });
  transaction.number = record.transaction;
  transaction.session = record.session;
  transaction.begin = record.time.begin;
  transaction.first_answer = kUnknownEnd;
  set(transaction.label, record.rows->value);
  Session& session = place_for(sessions_, record.session, kMostSessions, [&](const Session& other) {
    return other.number != 0xFFFFFFFFu && other.number != record.session;
  });
  session.number = record.session;
  set(session.label, record.rows->key);
}

const WatchLabels::Transaction* WatchLabels::find(std::uint64_t number) const {
  if (transactions_.empty()) return nullptr;
  const Transaction& found = transactions_[number % transactions_.size()];
  return number != 0 && found.number == number ? &found : nullptr;
}

const Label* WatchLabels::session(std::uint32_t number) const {
  if (sessions_.empty()) return nullptr;
  const Session& found = sessions_[number % sessions_.size()];
  return found.number == number ? &found.label : nullptr;
}

}  // namespace serval::watch
