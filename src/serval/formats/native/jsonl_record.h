#pragma once
// One parsed line of the native line format. It is separate from the history, so that a truncated line
// has no effect. The record is reused for every line.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serval/formats/native/json_cursor.h"
#include "serval/formats/native/jsonl_certificate.h"
#include "serval/history/operation.h"
#include "serval/history/predicate.h"
#include "serval/history/transaction.h"
#include "serval/history/value.h"

namespace serval {

struct JsonlRecord {
  enum class Kind {
    Header,       // {"serval":"history","version":1,...}
    Transaction,  // {"s":1,"t":42,"ops":[...]}
    Begin,        // {"event":"begin","s":1,"t":42,"at":10}
    Operation,    // {"event":"op","s":1,"t":42,"op":["r","x",0]}
    End,          // {"event":"end","s":1,"t":42,"at":20,"outcome":"committed"}
    Sync,         // {"event":"sync"}, perhaps with "at" and "since"
    Heartbeat,    // {"event":"heartbeat","s":1,"at":10}
    Order,        // {"event":"order","key":"x","versions":[[1,42]]}
    Certificate,  // {"event":"certificate","order":"commit_ts"}
    Settled,      // {"event":"settled","s":1,"t":42,"outcome":"committed","server_txn":"991"}
    Open,         // {"event":"open","s":1,"t":42,"at":10,"ops":[["w","x",1]]}
    Unknown,      // An event of a later version.
  };

  // Members that few operations have.
  struct Extra {
    Value expected;
    Interval time;
    std::optional<Predicate> predicate;
    std::vector<std::pair<Value, Value>> rows;
    std::optional<std::int64_t> version, matched, changed;
    LockMode lock = LockMode::None;
    std::optional<JsonlSaw> saw;
  };
  static constexpr std::uint32_t kNoExtra = 0xFFFFFFFFu;
  struct Op {
    OperationKind kind;
    std::uint32_t extra;  // Into `extras`, or kNoExtra.
    Value key, value;
  };

  Kind kind = Kind::Unknown;
  std::string event;
  std::optional<Value> session, label;
  std::vector<Op> ops;
  std::vector<Extra> extras;
  Interval interval;  // Of a transaction; Begin uses its begin, End its end.
  std::optional<Outcome> outcome;
  bool has_hints = false;
  TransactionHints hints;

  std::string ignored;  // The first member with an unknown name; empty: none.

  JsonlOrder order;  // Order only.

  // Sync and Heartbeat: the next transaction of the session, or of all sessions, begins at this time or
  // later, except for the sessions in `since`, each with its own time.
  std::optional<Time> at;
  std::vector<std::pair<Value, Time>> since;
  bool is_last = false;  // For Sync: nothing follows.

  // Header only.
  std::int64_t version = 0;
  std::optional<Value> initial;
  std::vector<Value> sessions;
  std::vector<std::pair<std::string, std::string>> facts;
};

// Parses the line at `at`; values go into `pool`. Throws JsonFailure.
void parse_jsonl_record(JsonCursor& at, ValuePool& pool, JsonlRecord& record);

// Whether a line begins like a sync record, {"event":"sync", with any JSON white space.
bool begins_as_sync(std::string_view line);

}  // namespace serval
