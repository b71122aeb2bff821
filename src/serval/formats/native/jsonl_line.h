#pragma once
// Spells the records of the native line format (docs/formats/jsonl.md). All writers of that format use
// these functions: the history writer, the recorder of a run, and the recovery of version certificates.
//
//   put_transaction_start(line, 1, 42);                      {"s":1,"t":42,"ops":[
//   put_operation_start(line, OperationKind::Read);          ["r",
//   put_all(line, key, ",", tag);                            7,3
//   put_options_start(line, {10, 20});                       ,{"at":[10,20]
//   put_options_end(line);                                   }]
//   put_transaction_end(line, {5, 30}, Outcome::Committed);  ],"begin":5,"end":30}
//
// Everything is appended to a string. Sessions, labels, keys and values may be numbers, text that is
// already spelled, or a PooledValue. The functions that a recorder calls for every operation are inline
// and make no temporaries.

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "serval/base/json_string.h"
#include "serval/history/operation.h"
#include "serval/history/transaction.h"
#include "serval/history/value.h"

namespace serval {

struct PooledValue {
  const ValuePool& pool;
  Value value;
};

inline void put(std::string& to, std::string_view spelled) { to += spelled; }
template <std::size_t size>
void put(std::string& to, const char (&literal)[size]) {  // Without counting its characters again.
  to.append(literal, size - 1);
}
inline void put(std::string& to, std::int64_t number) {
  std::array<char, 24> digits;
  to.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}
void put(std::string& to, const PooledValue& value);
template <class... Parts>
void put_all(std::string& to, const Parts&... parts) {
  (put(to, parts), ...);
}
// A comma, except before the first element of a list or an object.
inline void put_separator(std::string& to) {
  if (!to.empty() && to.back() != '[' && to.back() != '{' && to.back() != ',') to += ',';
}
// `name` with its quotes and colon.
template <class... Parts>
void put_member(std::string& to, std::string_view name, const Parts&... value) {
  put_separator(to);
  put_all(to, name, value...);
}

inline constexpr std::array<std::string_view, 12> kOperationStarts{
    "[\"r\",", "[\"w\",",   "[\"a\",",    "[\"l\",",  "[\"i\",",  "[\"i!\",",
    "[\"d\",", "[\"cas\",", "[\"cas!\",", "[\"pr\",", "[\"pu\",", "[\"pd\","};
// "r", "cas!", ... The reader also accepts name_of(kind).
constexpr std::string_view short_name_of(OperationKind kind) {
  const std::string_view start = kOperationStarts[static_cast<std::size_t>(kind)];
  return start.substr(2, start.size() - 4);
}

// One operation: its start; the key and the values, or the predicate and the rows; the options; its end.
inline void put_operation_start(std::string& to, OperationKind kind) {
  put_separator(to);
  to += kOperationStarts[static_cast<std::size_t>(kind)];
}
inline void put_options_start(std::string& to, Interval time) {
  if (time == Interval{}) return put(to, ",{");
  to += R"(,{"at":[)";
  time.begin == kUnknownBegin ? put(to, "null") : put(to, time.begin);
  to += ',';
  time.end == kUnknownEnd ? put(to, "null") : put(to, time.end);
  to += ']';
}
inline void put_exclusive_lock(std::string& to) { put_member(to, R"("lock":"exclusive")"); }
inline void put_counts(std::string& to, std::optional<std::int64_t> matched,
                       std::optional<std::int64_t> changed) {
  if (matched) put_member(to, R"("matched":)", *matched);
  if (changed) put_member(to, R"("changed":)", *changed);
}
template <class Spelled>
void put_result(std::string& to, const Spelled& value) {
  put_member(to, R"("result":)", value);
}
inline void put_saw(std::string& to, std::int64_t timestamp) {
  put_member(to, R"("saw":{"ts":)", timestamp, "}");
}
inline void put_saw(std::string& to, std::string_view snapshot) {
  put_member(to, R"("saw":{"snapshot":")", snapshot, "\"}");
}
// Also ends the operation. Without any option there is no object.
inline void put_options_end(std::string& to) {
  if (to.back() != '{') return put(to, "}]");
  to.resize(to.size() - 2);
  to += ']';
}

// One transaction: its start, its operations, its end.
template <class Session, class Label>
void put_transaction_start(std::string& to, const Session& session, const Label& label) {
  put_all(to, R"({"s":)", session, R"(,"t":)", label, R"(,"ops":[)");
}
void put_transaction_end(std::string& to, Interval interval, Outcome outcome,
                         const TransactionHints* hints = nullptr, JsonBytes bytes = JsonBytes::Kept);

// The known writes of a transaction that has not ended. `operations` are spelled, separated by commas.
template <class Session, class Label>
void put_open_line(std::string& to, const Session& session, const Label& label, Time begin,
                   std::string_view operations) {
  put_all(to, R"({"event":"open","s":)", session, R"(,"t":)", label, R"(,"at":)", begin, R"(,"ops":[)",
          operations, "]}\n");
}

using JsonlFact = std::pair<std::string_view, std::string_view>;
// `initial` is a value and `sessions` a list of values; both are spelled, and left out if empty.
void put_header_line(std::string& to, std::string_view initial, std::span<const JsonlFact> facts,
                     std::string_view sessions, JsonBytes bytes = JsonBytes::Kept);

// No session begins another transaction before `at`, except those that `since` lists (put_since).
void put_sync_line(std::string& to, Time at, std::string_view since, bool is_last);
inline void put_since(std::string& to, std::int64_t session, Time since) {
  put_separator(to);
  put_all(to, "[", session, ",", since, "]");
}

// The version order of a key: its start, its citations, its end.
template <class Key>
void put_order_start(std::string& to, const Key& key) {
  put_all(to, R"({"event":"order","key":)", key, R"(,"versions":[)");
}
template <class Session, class Label>
void put_citation(std::string& to, const Session& session, const Label& label) {
  put_separator(to);
  put_all(to, "[", session, ",", label, "]");
}
inline void put_order_end(std::string& to, bool complete) {
  put(to, complete ? "],\"complete\":true}\n" : "]}\n");
}
inline void put_ordered_by_commit_line(std::string& to) {
  put(to, "{\"event\":\"certificate\",\"order\":\"commit_ts\"}\n");
}
void put_settled_line(std::string& to, std::int64_t session, std::int64_t label, Outcome outcome,
                      const TransactionHints& hints, JsonBytes bytes = JsonBytes::Kept);

}  // namespace serval
