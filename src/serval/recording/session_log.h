#pragma once
// What one session asked and heard, as lines of the native format (docs/formats/jsonl.md). One thread
// writes, a Recorder collects; they share a lock only for the moment of handing over, so that no session
// waits for a disk.
//
//   log.begin(now());
//   log.ask(request, now());              // From here on others may see what it writes.
//   log.hear(request, answer, now());
//   log.end(Outcome::Committed, now(), {});

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serval/history/operation.h"
#include "serval/history/transaction.h"
#include "serval/recording/ledger.h"
#include "serval/recording/table_text.h"
#include "serval/workload/request.h"
#include "serval/workload/schema.h"

namespace serval {

class SessionLog {
 public:
  // `label` is the session's; transactions take their labels from `last_transaction`, which sessions share;
  // `text` spells keys and rows, for as long as the log lives.
  enum class Ledger : std::uint8_t { None, Kept };
  SessionLog(std::int64_t label, const TableText& text, std::atomic<std::int64_t>& last_transaction,
             Ledger ledger = Ledger::None)
      : label_(label),
        text_(text),
        last_transaction_(last_transaction),
        keeps_ledger_(ledger == Ledger::Kept) {}

  // Before anything is asked for. Where the recorder has promised that nothing begins before a time later
  // than `at`, the transaction begins then.
  void begin(Time at);
  void ask(const Request& request, Time at);
  void hear(const Request& request, const Answer& answer, Time at);
  void lose(const Request& request);  // The answer never came.
  // `seen`: the timestamp for the answers that saw the end of their transaction.
  void end(Outcome outcome, Time at, const TransactionHints& hints,
           std::optional<std::int64_t> seen = std::nullopt);

  std::int64_t label() const noexcept { return label_; }

  // For the recorder. Whole lines since the last call. Returns when the transaction began that is open;
  // without one, `now`: then no transaction of this session will begin before it.
  Time take_lines(std::string& into, Time now);
  // "open" lines of what may have been written and is not in any line taken: by the transaction that is open,
  // and by those that ended since take_lines.
  void peek_writes(std::string& into);
  // Once the session has ended.
  const std::vector<LedgerEntry>& ledger() const noexcept { return ledger_; }

 private:
  void open_item(std::string_view kind);  // Of the operations.
  void close_item(const Request& request, Time end);
  void put_times(const Request& request, Time end);
  void put_values(std::string& to, const Request& request, const Answer& answer) const;
  void add_range(const Request& request, const Answer& answer, Time end);
  void put_answered(const Request& request, const Answer& answer);
  void put_sight(const Answer& answer);
  void put_late_sights(std::optional<std::int64_t> seen);
  void note(Outcome outcome, const TransactionHints& hints);  // Into the ledger.
  // What it writes for certain, or nothing, as a write of the given kind.
  void put_written(std::string& to, const Request& request, std::string_view letter) const;
  void put_open_line(std::string& to) const;

  std::int64_t label_;
  const TableText& text_;
  std::atomic<std::int64_t>& last_transaction_;
  std::int64_t transaction_ = 0;
  Time begin_ = 0;
  Time asked_ = 0;
  std::string operations_;           // Of the open transaction, comma-separated.
  std::vector<std::size_t> sights_;  // Places in it for what is seen at the end.
  std::string line_;                 // Kept for its room.

  bool keeps_ledger_;
  std::vector<std::int64_t> tags_;  // Of the open transaction.
  bool surely_wrote_ = false;
  std::vector<LedgerEntry> ledger_;

  std::mutex handing_over_;
  bool open_ = false;              // From begin() to end().
  Time promised_ = kUnknownBegin;  // No transaction begins before it.
  std::string lines_;              // Whole transactions.
  std::string ended_writes_;       // "open" lines of those of them that wrote.
  std::string open_writes_;        // Writes asked for by the open transaction, comma-separated.
};

}  // namespace serval
