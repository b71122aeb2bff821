#pragma once
// Follows a file of native lines (docs/formats/jsonl.md) that a recorder appends to, and returns
// transactions for a screen. Each line is read and parsed once.
//
//   RecordingTail tail("run.jsonl");
//   RecordingTail::Batch batch;
//   while (tail.read(batch, budget)) use(batch);      // All that was added up to the last "sync".
//
// Lines after the last "sync", and an unfinished line, wait for the rest; before the first "sync" every
// whole line counts. The transactions of a batch are ordered by their ends, as far as session order
// allows: a database mostly commits in this order, while a recorder writes session by session.
//
// Only whole transactions and "open" records are supported. After anything else (another header, single
// events, certificates) nothing more is read, and obstacle() says why. Throws InputError with line and
// column. Memory: what is not parsed yet, and each distinct value that is not an integer. Not
// thread-safe.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/base/budget.h"
#include "serval/formats/native/jsonl_record.h"
#include "serval/screen/screened_transaction.h"

namespace serval::watch {

class RecordingTail {
 public:
  struct Batch {
    std::vector<ScreenedTransaction> transactions;
    std::vector<OpenWrite> open;  // Of the transactions that are running at its end.
  };

  explicit RecordingTail(std::string path);
  ~RecordingTail();
  RecordingTail(const RecordingTail&) = delete;
  RecordingTail& operator=(const RecordingTail&) = delete;

  // Replaces the batch with the next one, about a megabyte of the file. False: there is nothing new.
  bool read(Batch& batch, Budget& budget);

  // The same for bytes that do not come from the file: take() any piece of it, then parse() what is complete.
  void take(std::string_view bytes);
  bool parse(Batch& batch, Budget& budget);

  std::uint64_t offset() const noexcept { return offset_; }  // Bytes of the file that were read.
  Value initial() const noexcept { return initial_; }        // Once a batch was parsed.
  std::string_view obstacle() const noexcept { return obstacle_; }

 private:
  using OpenKey = std::pair<Value, Value>;  // Session, label.
  struct Open {
    OpenKey key;
    std::vector<OpenWrite> writes;
  };

  bool read_piece();
  void line(std::string_view text, Batch& batch);
  void accept(std::string_view text, Batch& batch);
  void header(std::string_view text);
  void add_transaction(Batch& batch);
  void keep_open();
  ScreenedOperation operation(const JsonlRecord::Op& op);
  Value kept(Value value);
  static void sort_by_ends(std::vector<ScreenedTransaction>& transactions);

  std::string path_;
  int file_ = -1;
  std::uint64_t offset_ = 0;
  std::string piece_;         // Room for bytes of the file.
  std::string text_;          // Not parsed yet.
  std::size_t scanned_ = 0;   // Bytes of it in lines that were examined,
  std::size_t complete_ = 0;  // and in those that count.
  bool seen_sync_ = false, seen_header_ = false;
  std::uint64_t line_ = 0;
  JsonlRecord record_;
  ValuePool of_lines_;  // Recreated from time to time.
  ValuePool kept_;
  Value initial_;
  std::vector<Open> open_;  // Few: one for each session at most.
  std::string_view obstacle_;
};

}  // namespace serval::watch
