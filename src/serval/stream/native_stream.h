#pragma once
// Turns lines of the native format (docs/formats/jsonl.md) into records of a pipeline as they arrive.
// Each session is a client.
//
//   NativeStream stream("run.jsonl", intake);
//   stream.take("{...}\n{...}\n{");        // Any number of complete and partial lines.
//   stream.flush();                        // Nothing more for now.
//   stream.take_last_line();               // The input has ended, perhaps without a newline.
//   stream.end();                          // Nothing more at all.
//
// A transaction needs the times of its begin and end, and its times must not contradict each other
// (find_time_contradiction). Operations without times count as invoked and completed at any time within it.
// Lines after the last "sync" are ignored, as in a file. Transactions open at the end are indeterminate.
//
// Throws InputError with line and column. Not thread-safe.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serval/formats/native/jsonl_record.h"
#include "serval/history/history.h"
#include "serval/stream/intake.h"

namespace serval {

struct TransactionLine;

class NativeStream {
 public:
  // The origin of the lines. In our own recordings labels are the numbers of transactions; clients that
  // connect may use any labels.
  enum class Origin : std::uint8_t { File, Connection };
  // From now on nothing leaves the pipeline until the stream has announced its sessions, in its header or
  // by its first record.
  NativeStream(std::string name, Intake& intake, Origin origin = Origin::File);
  NativeStream(const NativeStream&) = delete;
  NativeStream& operator=(const NativeStream&) = delete;

  void take(std::string_view bytes);
  void take_line(std::string_view line);  // Without its newline.
  // Takes what follows the last newline, if it is a complete line. Returns false if it is cut off: what it
  // says is missing. After a "sync" nothing is missing, since the lines there do not count anyway.
  bool take_last_line();
  // For a history that was already read. Requires times.
  void take_header(const History& history);
  void take_transaction(const History& history, TransactionId t);
  void flush();
  void end();                                              // Closes all clients, even if it throws.
  bool is_complete() const noexcept { return complete_; }  // A "sync" was marked as the last.

  const std::string& name() const noexcept { return name_; }
  std::uint64_t lines() const noexcept { return line_; }
  std::uint64_t unsynced_lines() const noexcept { return unsynced_; }  // Ignored at the end.
  // It has sent a header, so its actions in the database count.
  bool takes_part() const noexcept { return herald_->takes_part(); }
  // Everything not yet reported begins then or later.
  Time promised() const;
  SourceGate& source() const noexcept { return *source_; }
  std::size_t kept_bytes() const noexcept {
    return held_.size() + open_bytes_ + name_bytes_;
  }  // Lines that wait for others, and names of sessions.

 private:
  // Reported event by event, or by "open" records. Operations are kept as text until the transaction
  // ends.
  struct OpenTransaction {
    std::uint64_t order = 0;
    Time begin = kUnknownBegin;
    std::vector<std::string> lines;  // "op" records, or the last "open".
    std::size_t bytes = 0;           // Of them.
  };
  struct Session {
    std::shared_ptr<ClientFeed> feed;
    bool has_news = false;                        // For flush().
    std::map<std::string, OpenTransaction> open;  // By label.
  };

  void line(std::string_view text);    // '\n' follows it in memory.
  bool is_cut(std::string_view text);  // It ends too early.
  void accept();
  void forget_line();
  // For a connection: rejects times in the future and very long names.
  void expect_past(Time time) const;
  void expect_past_times() const;
  void expect_short(Value name) const;
  void expect_short_keys() const;
  void header();
  void promise();
  Session& session_of(Value label);
  void note_news(Session& session);
  OpenTransaction& open_transaction(Session& session);
  void begin();
  void keep_line();
  void end_transaction();
  void whole_transaction();
  void leave_open_transactions();
  JsonlRecord assembled(const OpenTransaction& open);
  void append(const TransactionLine& line, ClientFeed& feed, std::uint64_t number) const;
  std::uint64_t number_of(const std::string& label);
  void parse(std::string_view text);
  [[noreturn]] void fail(const std::string& expected, std::size_t column = 1) const;

  std::string name_;
  Intake& intake_;
  const Origin origin_;
  const std::shared_ptr<SourceGate> source_;
  ValuePool pool_;  // Values of the current line and of recent ones.
  JsonlRecord record_;
  std::map<std::string, Session> sessions_;
  std::vector<Session*> news_;  // Sessions with records since the last flush().
  // A client without records. It holds the merge back until the sessions are known, and longer if "sync"
  // records make promises, which also cover sessions that are not yet known.
  const std::shared_ptr<ClientFeed> herald_;
  bool promises_ = false;
  std::string text_;  // An incomplete line, or one that is parsed again.
  std::string line_text_;
  bool seen_header_ = false, holding_ = false, trusts_labels_ = false, complete_ = false;
  std::string held_;            // Lines since the last "sync".
  std::size_t open_bytes_ = 0;  // Of the lines of open transactions.
  std::size_t name_bytes_ = 0;  // Of sessions.
  std::size_t pooled_ = 0;      // Bytes of lines since the pool was created.
  std::uint64_t held_lines_ = 0, unsynced_ = 0, opened_ = 0;
  std::uint64_t line_ = 0;
};

}  // namespace serval
