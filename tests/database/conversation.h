#pragma once
// Short forms of the requests that driver tests send to a client.

#include <optional>
#include <vector>

#include "serval/database/client.h"
#include "serval/database/database.h"

namespace serval {

// Table 0 holds registers 0 to 9, table 1 lists, and table 2 rows with two columns, which are initially
// absent.
inline Schema three_tables() {
  return {{.name = "registers", .rows = 10},
          {.name = "lists", .holds = TableInfo::Holds::Lists},
          {.name = "rows",
           .initial = TableInfo::Initial::Absent,
           .columns = {{.name = "colour", .initial = 7, .indexed = true}, {.name = "size", .initial = 8}}}};
}

inline std::optional<std::int64_t> read(Client& client, std::uint64_t key, std::uint32_t table = 0) {
  const Answer answer = client.perform({.kind = Request::Kind::Read, .table = table, .key = key});
  return answer.rows.empty() ? std::nullopt : std::optional(answer.rows.front().tag);
}

inline void write(Client& client, std::uint64_t key, std::int64_t tag, std::uint32_t table = 0) {
  client.perform({.kind = Request::Kind::Write, .table = table, .key = key, .tag = tag});
}

inline std::vector<std::int64_t> read_list(Client& client, std::uint64_t key) {
  return client.perform({.kind = Request::Kind::ReadList, .table = 1, .key = key}).list;
}

// The outcome of a commit, and the reason if it failed.
struct Ending {
  Outcome outcome = Outcome::Committed;
  std::optional<FailureCause> cause;
  friend bool operator==(const Ending&, const Ending&) = default;
};

inline const Ending kCommitted{Outcome::Committed, std::nullopt};
inline const Ending kRefused{Outcome::Aborted, FailureCause::Serialization};

// Runs `steps`, which end with a commit, and returns how the transaction ended.
template <class Steps>
Ending ending_of(Steps steps) {
  try {
    return {steps(), std::nullopt};
  } catch (const TransactionFailure& failure) {
    return {failure.outcome(), failure.cause()};
  }
}

inline Ending commit(Client& client) {
  return ending_of([&] { return client.commit(); });
}

}  // namespace serval
