#include "serval/formats/native/jsonl_line.h"

#include "serval/formats/native/jsonl_value.h"

namespace serval {
namespace {

void put_text(std::string& to, std::string_view name, std::string_view text, JsonBytes bytes) {
  if (text.empty()) return;
  put_member(to, name);
  append_json_string(to, text, bytes);
}

void put_hints(std::string& to, const TransactionHints& hints, JsonBytes bytes) {
  if (hints.start_timestamp) put_member(to, R"("start_ts":)", *hints.start_timestamp);
  if (hints.commit_timestamp) put_member(to, R"("commit_ts":)", *hints.commit_timestamp);
  put_text(to, R"("server_txn":)", hints.server_transaction, bytes);
  put_text(to, R"("snapshot":)", hints.snapshot, bytes);
  put_text(to, R"("node":)", hints.node, bytes);
  put_text(to, R"("error":)", hints.error, bytes);
}

}  // namespace

void put(std::string& to, const PooledValue& value) { append_json_value(to, value.pool, value.value); }

void put_transaction_end(std::string& to, Interval interval, Outcome outcome, const TransactionHints* hints,
                         JsonBytes bytes) {
  to += ']';
  if (interval.begin != kUnknownBegin) put_all(to, R"(,"begin":)", interval.begin);
  if (interval.end != kUnknownEnd) put_all(to, R"(,"end":)", interval.end);
  if (outcome != Outcome::Committed) put_all(to, R"(,"outcome":")", name_of(outcome), "\"");
  if (hints != nullptr) put_hints(to, *hints, bytes);
  to += "}\n";
}

void put_header_line(std::string& to, std::string_view initial, std::span<const JsonlFact> facts,
                     std::string_view sessions, JsonBytes bytes) {
  to += R"({"serval":"history","version":1)";
  if (!initial.empty()) put_all(to, R"(,"initial":)", initial);
  if (!facts.empty()) {
    to += R"(,"facts":{)";
    for (const auto& [name, text] : facts) {
      put_separator(to);
      append_json_string(to, name, bytes);
      to += ':';
      append_json_string(to, text, bytes);
    }
    to += '}';
  }
  if (!sessions.empty()) put_all(to, R"(,"sessions":)", sessions);
  to += "}\n";
}

void put_sync_line(std::string& to, Time at, std::string_view since, bool is_last) {
  put_all(to, R"({"event":"sync","at":)", at);
  if (!since.empty()) put_all(to, R"(,"since":[)", since, "]");
  put(to, is_last ? ",\"last\":true}\n" : "}\n");
}

void put_settled_line(std::string& to, std::int64_t session, std::int64_t label, Outcome outcome,
                      const TransactionHints& hints, JsonBytes bytes) {
  put_all(to, R"({"event":"settled","s":)", session, R"(,"t":)", label, R"(,"outcome":")", name_of(outcome),
          "\"");
  put_hints(to, hints, bytes);
  to += "}\n";
}

}  // namespace serval
