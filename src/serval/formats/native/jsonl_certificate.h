#pragma once
// The version certificate in the native line format, described in docs/formats/jsonl.md. Transactions are
// cited by session and label, [1,42], or, if that is ambiguous, by their number in the file.
//
//   {"event":"order","key":"x","versions":[[1,42],[2,43]],"complete":true}
//   {"event":"certificate","order":"commit_ts"}
//   {"event":"settled","s":1,"t":42,"outcome":"committed","server_txn":"991"}
//   ["pr",...,{"saw":[["x",[1,42]],["y",null]]}]   {"saw":{"ts":99}}   {"saw":{"snapshot":"10:20:12,15"}}
//
// A record may cite later transactions, so citations are kept until the end of the file.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "serval/formats/native/json_cursor.h"
#include "serval/formats/native/jsonl_line.h"
#include "serval/history/history_builder.h"

namespace serval {

struct JsonlCitation {
  std::optional<Value> session;  // Absent: `label` is a number in the file, from 1.
  Value label;
  std::size_t column = 1;  // Of its line.
};

// The versions that an operation saw, unresolved. There is no citation for the initial version.
struct JsonlSaw {
  using Versions = std::vector<std::pair<Value, std::optional<JsonlCitation>>>;
  std::variant<Versions, std::int64_t, TransactionSnapshot> seen;
};

struct JsonlOrder {
  Value key;
  std::vector<JsonlCitation> versions;
  bool complete = false;
  std::uint64_t line = 0;
};

// The outcome of a transaction whose own earlier line does not have it.
struct JsonlSettled {
  JsonlCitation transaction;
  Outcome outcome;
  TransactionHints hints;
  std::uint64_t line = 0;
};

// Throw JsonFailure.
std::vector<JsonlCitation> parse_json_citations(JsonCursor& at, ValuePool& pool);
JsonlSaw parse_json_saw(JsonCursor& at, ValuePool& pool);

// Collects certificate records until every transaction is known.
class CertificateReader {
 public:
  explicit CertificateReader(HistoryBuilder& builder) : builder_(builder) {}

  void add_order(JsonlOrder order) { orders_.push_back(std::move(order)); }
  void add_saw(OperationId op, JsonlSaw saw, std::uint64_t line) {
    saws_.push_back({op, std::move(saw), line});
  }
  void add_settled(JsonlSettled settled) { settled_.push_back(std::move(settled)); }
  // Passes everything to the builder. Throws InputError for a citation of no or several transactions, and
  // for contradicting outcomes.
  void finish(const std::string& file);
  // Checks the resulting history. Throws InputError for an order that contradicts others, or the writes.
  void check_orders(const History& history, const std::string& file) const;

 private:
  struct Saw {
    OperationId op;
    JsonlSaw saw;
    std::uint64_t line;
  };

  HistoryBuilder& builder_;
  std::vector<JsonlOrder> orders_;
  std::vector<Saw> saws_;
  std::vector<JsonlSettled> settled_;
};

class CertificateWriter {
 public:
  explicit CertificateWriter(const History& history);

  void append_saw(std::string& out, const VersionSet& set) const;  // The member "saw".
  void append_records(std::string& out) const;                     // Lines, for the end of the file.

 private:
  PooledValue spelled(Value value) const { return {history_.values(), value}; }
  void append_citation(std::string& out, TransactionId t) const;

  const History& history_;
  std::vector<bool> by_number_;  // A transaction that shares session and label with another.
};

}  // namespace serval
