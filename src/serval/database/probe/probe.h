#pragma once
// Which anomalies a database lets happen at each isolation it offers, by playing the tests of Hermitage.
//
//   for (const ProbeRow& row : probe_database("rocksdb:", {}))
//     row.isolation, row.cells[0].result         // "serializable", ProbeCell::Result::Prevented
//
// A step that does not answer within `patience` is waiting for a lock: the schedule goes on without its
// client, whose further steps follow when it wakes. "Prevented" means that the schedule ended without the
// anomaly, by whatever means; that a database can never show it, no test of this kind can say.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serval/database/database.h"
#include "serval/database/probe/probe_anomaly.h"

namespace serval {

struct ProbeCell {
  enum class Result : std::uint8_t {
    Prevented,
    Happens,
    Blocked,        // A client still waited when all had done what they could.
    NotApplicable,  // The driver lacks what the test needs.
  };
  Result result = Result::NotApplicable;
  bool waited = false;                  // Some step had to wait for another client.
  std::optional<FailureCause> refused;  // Some transaction was refused: why the first one was.
};
std::string_view name_of(ProbeCell::Result result);  // "prevented", "happens", "blocked", "n/a"

struct ProbeRow {
  std::string isolation;
  std::map<std::string, std::string> facts;  // Of the database.
  std::vector<ProbeCell> cells;              // In the order of all_probe_anomalies().
};

struct ProbeOptions {
  std::vector<std::string> isolations;  // By name; none: all that the driver has.
  std::vector<std::string> nodes;
  std::chrono::milliseconds patience{300};
  std::chrono::milliseconds give_up{10'000};  // For those that still wait at the end.
  // Called before each test, from this thread; what it throws ends the probe.
  std::function<void(std::string_view isolation, std::string_view anomaly)> progress =
      [](std::string_view, std::string_view) {};
};

// Makes the table serval_probe anew, and connects and disconnects as many clients as the test has. Throws
// DatabaseError, also when a connection is lost: nothing can be said then.
ProbeCell probe_anomaly(Database& database, const ProbeAnomaly& anomaly, const ProbeOptions& options);

// Throws InputError for an address or isolation that does not exist, and DatabaseError.
std::vector<ProbeRow> probe_database(std::string_view address, const ProbeOptions& options);

}  // namespace serval
