#pragma once
// What a recorder appends to a file of native lines (docs/formats/jsonl.md), each line read and parsed once,
// as transactions for a screen.
//
//   RecordingTail tail("run.jsonl");
//   RecordingTail::Batch batch;
//   while (tail.read(batch, budget)) use(batch);      // All that was added up to the last "sync".
//
// Lines after the last "sync" and a line that is not finished wait for the rest; before the first "sync"
// every whole line counts. Transactions of a batch are in the order of their ends, as far as that is session
// order: a database mostly commits in this order, while a recorder goes from session to session.
//
// Only whole transactions and "open" records have a meaning here. After anything else (another header, single
// events, certificates) nothing more is read, and obstacle() says why. Throws InputError with line and
// column. Memory: what is not parsed yet, and every text that is not an integer once. One thread.

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

  // Replaces the batch by the next one, of about a megabyte of the file. False: there is nothing new.
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
  std::size_t scanned_ = 0;   // Bytes of it in lines that were looked at,
  std::size_t complete_ = 0;  // and in those that count.
  bool seen_sync_ = false, seen_header_ = false;
  std::uint64_t line_ = 0;
  JsonlRecord record_;
  ValuePool of_lines_;  // Made anew now and then.
  ValuePool kept_;
  Value initial_;
  std::vector<Open> open_;  // Few: one for each session at most.
  std::string_view obstacle_;
};

}  // namespace serval::watch
