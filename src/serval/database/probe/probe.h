#pragma once
// Finds out which anomalies a database permits at each isolation, with the tests of Hermitage.
//
//   for (const ProbeRow& row : probe_database("rocksdb:", {}))
//     row.isolation, row.cells[0].result         // "serializable", ProbeCell::Result::Prevented
//
// A step that does not complete within `patience` counts as waiting for a lock: the schedule continues
// without its client, whose later steps follow when it wakes. "Prevented" means that the schedule ended
// without the anomaly, for any reason. Such a test cannot show that the anomaly is impossible.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serval/database/database.h"
#include "serval/database/probe/probe_anomaly.h"

namespace serval {

struct ProbeCell {
  // The worst last.
  enum class Result : std::uint8_t {
    NotApplicable,  // The driver lacks what the test needs.
    Prevented,
    Blocked,  // A client still waited when the others were done.
    Happens,
  };
  Result result = Result::NotApplicable;
  bool waited = false;  // Some step had to wait for another client.
  // The number of the first step that waited until the transaction of another client ended.
  std::optional<std::size_t> waited_at;
  // A transaction afterwards, on a new connection, saw every key as a committed transaction left it.
  bool finally_current = true;
  std::optional<FailureCause> refused;  // Why the first failed transaction failed, if any.
};
std::string_view name_of(ProbeCell::Result result);  // "prevented", "happens", "blocked", "n/a"

struct ProbeRow {
  std::string isolation;
  std::map<std::string, std::string> facts;  // Of the database.
  std::vector<ProbeCell> cells;              // In the order of all_probe_anomalies().
  std::vector<ProbeCell> more;               // In the order of ProbeOptions::more.
};

struct ProbeOptions {
  std::vector<std::string> isolations;  // By name; empty: all isolations of the driver.
  std::vector<std::string> nodes;
  std::span<const ProbeAnomaly> more = {};  // To be probed as well: mechanism_probes().
  std::chrono::milliseconds patience{300};
  std::chrono::milliseconds give_up{10'000};  // For clients that still wait at the end.
  // Called before each test, from this thread; an exception ends the probe.
  std::function<void(std::string_view isolation, std::string_view anomaly)> progress =
      [](std::string_view, std::string_view) {};
};

// Recreates the table serval_probe, and connects the clients of the test. Throws DatabaseError, also if a
// connection is lost.
ProbeCell probe_anomaly(Database& database, const ProbeAnomaly& anomaly, const ProbeOptions& options);

// Throws InputError for an address or isolation that does not exist, and DatabaseError.
std::vector<ProbeRow> probe_database(std::string_view address, const ProbeOptions& options);

}  // namespace serval
